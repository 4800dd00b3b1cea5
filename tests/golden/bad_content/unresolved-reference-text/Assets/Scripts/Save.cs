public class Save : ScriptableObject
{
}
