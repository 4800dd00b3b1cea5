using UnityEngine;

public class HitscanEffect : MonoBehaviour
{
}
