public class PresentationEntity : MonoBehaviour
{
}
