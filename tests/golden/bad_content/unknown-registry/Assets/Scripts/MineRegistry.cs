public class MineRegistry : ScriptableObject
{
}
