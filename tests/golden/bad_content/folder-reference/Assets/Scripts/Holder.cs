public class Holder : MonoBehaviour
{
}
