using UnityEngine;

public class Team : MonoBehaviour
{
}
