public class SpatialEffectTypeDefinition : ScriptableObject
{
}
