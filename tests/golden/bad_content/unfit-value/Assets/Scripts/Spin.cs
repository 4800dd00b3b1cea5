public class Spin : MonoBehaviour
{
}
