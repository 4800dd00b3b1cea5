using UnityEngine;

public class SpatialEffectRegistry : RegistryBase
{
}
