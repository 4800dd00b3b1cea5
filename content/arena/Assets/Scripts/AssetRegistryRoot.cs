using UnityEngine;

public class AssetRegistryRoot : ScriptableObject
{
}
