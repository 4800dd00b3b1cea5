using UnityEngine;

public class ReplicatedEntity : MonoBehaviour
{
}
