public class PresentationRegistry : ScriptableObject
{
}
