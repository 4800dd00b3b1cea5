using UnityEngine;

public class ItemRegistry : RegistryBase
{
}
