public class Tool : ScriptableObject {}
