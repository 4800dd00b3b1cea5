public class CharacterTypeRegistry : ScriptableObject
{
}
