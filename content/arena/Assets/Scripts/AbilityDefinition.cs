using UnityEngine;

public class AbilityDefinition : ScriptableObject
{
}
