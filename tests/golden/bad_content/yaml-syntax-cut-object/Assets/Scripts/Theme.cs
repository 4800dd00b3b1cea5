public class Theme : ScriptableObject
{
}
