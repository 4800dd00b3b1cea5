public class HitscanEffectRegistry : ScriptableObject
{
}
