public class ItemTypeDefinition : ScriptableObject
{
}
