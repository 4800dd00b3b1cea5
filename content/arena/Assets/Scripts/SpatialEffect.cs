using UnityEngine;

public class SpatialEffect : MonoBehaviour
{
}
