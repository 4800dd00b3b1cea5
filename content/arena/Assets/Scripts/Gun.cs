using UnityEngine;

public class Gun : MonoBehaviour
{
}
