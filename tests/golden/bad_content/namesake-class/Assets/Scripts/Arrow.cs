public class Arrow : ScriptableObject
{
}
