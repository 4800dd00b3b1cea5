using UnityEngine;

public class Explosive : MonoBehaviour
{
}
