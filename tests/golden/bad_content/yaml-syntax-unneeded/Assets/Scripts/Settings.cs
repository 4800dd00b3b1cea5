public class Settings : ScriptableObject
{
}
