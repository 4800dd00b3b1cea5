using UnityEngine;

public class PresentationEntity : MonoBehaviour
{
}
