public class ItemRegistry : ScriptableObject
{
}
