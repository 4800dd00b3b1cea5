using UnityEngine;

public class Health : MonoBehaviour
{
}
