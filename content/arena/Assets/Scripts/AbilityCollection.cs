using UnityEngine;

public class AbilityCollection : ReplicatedEntityFactory
{
}
