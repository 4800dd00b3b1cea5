public class ReplicatedEntityRegistry : ScriptableObject
{
}
