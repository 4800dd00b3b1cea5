public class EffectPack : ScriptableObject
{
}
