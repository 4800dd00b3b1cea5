public class ItemTypeDefinition : DynamicEnum, IReplicatedEntityProvider
{
}
