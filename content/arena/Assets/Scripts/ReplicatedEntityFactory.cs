using UnityEngine;

public class ReplicatedEntityFactory : ScriptableObject
{
}
