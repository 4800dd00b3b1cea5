public class HeroTypeRegistry : ScriptableObject
{
}
