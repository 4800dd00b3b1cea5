using UnityEngine;

public class CapturePoint : MonoBehaviour
{
}
