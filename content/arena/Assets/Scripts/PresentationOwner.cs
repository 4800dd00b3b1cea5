using UnityEngine;

public class PresentationOwner : MonoBehaviour
{
}
