using UnityEngine;

public class ProjectileEntityFactory : ReplicatedEntityFactory
{
}
