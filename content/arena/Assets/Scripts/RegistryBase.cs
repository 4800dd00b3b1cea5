using UnityEngine;

public class RegistryBase : ScriptableObject
{
}
