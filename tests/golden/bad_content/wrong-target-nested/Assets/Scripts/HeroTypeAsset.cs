public class HeroTypeAsset : ScriptableObject
{
}
