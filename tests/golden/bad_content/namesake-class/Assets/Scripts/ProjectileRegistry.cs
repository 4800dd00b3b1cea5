public class ProjectileRegistry : ScriptableObject
{
}
