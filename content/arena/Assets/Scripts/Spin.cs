using UnityEngine;

public class Spin : MonoBehaviour
{
}
