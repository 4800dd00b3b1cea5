public class SpinFactory : ReplicatedEntityFactory
{
}
