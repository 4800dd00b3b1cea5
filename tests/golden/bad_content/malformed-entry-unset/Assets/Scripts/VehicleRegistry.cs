public class VehicleRegistry : ScriptableObject
{
}
