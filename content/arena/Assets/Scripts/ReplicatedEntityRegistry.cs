using UnityEngine;

public class ReplicatedEntityRegistry : RegistryBase
{
}
