using UnityEngine;

public class Projectile : MonoBehaviour
{
}
