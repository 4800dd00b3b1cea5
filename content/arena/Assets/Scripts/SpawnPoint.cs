using UnityEngine;

public class SpawnPoint : MonoBehaviour
{
}
