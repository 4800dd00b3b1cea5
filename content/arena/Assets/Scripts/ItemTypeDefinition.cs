using UnityEngine;

public class ItemTypeDefinition : ScriptableObject
{
}
