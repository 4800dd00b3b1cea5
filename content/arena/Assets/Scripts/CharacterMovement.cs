using UnityEngine;

public class CharacterMovement : MonoBehaviour
{
}
