using UnityEngine;

public class PlayerState : MonoBehaviour
{
}
