using UnityEngine;

public class ParticleBurst : MonoBehaviour
{
}
