using UnityEngine;

public class ProjectileTypeDefinition : ScriptableObject
{
}
