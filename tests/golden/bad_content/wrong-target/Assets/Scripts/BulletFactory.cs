public class BulletFactory : ReplicatedEntityFactory
{
}
