public class Pack : ScriptableObject
{
}
