public class AssetRegistryRoot : ScriptableObject
{
}
