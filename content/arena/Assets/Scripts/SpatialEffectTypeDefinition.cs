using UnityEngine;

public class SpatialEffectTypeDefinition : ScriptableObject
{
}
