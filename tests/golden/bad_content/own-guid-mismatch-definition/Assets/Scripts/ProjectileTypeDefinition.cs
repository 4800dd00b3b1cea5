public class ProjectileTypeDefinition : ScriptableObject
{
}
