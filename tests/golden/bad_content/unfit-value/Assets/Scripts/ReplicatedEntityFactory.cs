public class ReplicatedEntityFactory : ScriptableObject
{
}
