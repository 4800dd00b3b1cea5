using UnityEngine;

public class HeroTypeAsset : ScriptableObject
{
}
