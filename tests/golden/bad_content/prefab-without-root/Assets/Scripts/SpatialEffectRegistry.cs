public class SpatialEffectRegistry : ScriptableObject
{
}
