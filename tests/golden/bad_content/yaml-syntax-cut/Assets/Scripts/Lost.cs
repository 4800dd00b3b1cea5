public class Lost : ScriptableObject
{
}
