using UnityEngine;

public class PresentationRegistry : RegistryBase
{
}
