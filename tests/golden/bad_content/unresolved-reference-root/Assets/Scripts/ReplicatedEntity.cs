public class ReplicatedEntity : MonoBehaviour
{
}
