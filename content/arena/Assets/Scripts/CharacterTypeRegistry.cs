using UnityEngine;

public class CharacterTypeRegistry : RegistryBase
{
}
