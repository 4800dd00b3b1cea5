using UnityEngine;

public class CharacterTypeDefinition : ScriptableObject
{
}
