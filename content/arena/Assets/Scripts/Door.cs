using UnityEngine;

public class Door : MonoBehaviour
{
}
