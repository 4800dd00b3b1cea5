using UnityEngine;

public class Item : MonoBehaviour
{
}
