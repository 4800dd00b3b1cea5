using UnityEngine;

public class HitVolume : MonoBehaviour
{
}
