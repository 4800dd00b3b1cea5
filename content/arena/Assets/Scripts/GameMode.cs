using UnityEngine;

public class GameMode : MonoBehaviour
{
}
