#include "runtime/spawn/replicated_collection.h"

#include <algorithm>

namespace muster {

CollectionVerdict ReplicatedCollection::add(EntityReference id, EntityId entity) {
  if (id.network_id < 0 || id.network_id >= kMaxNetworkIds) {
    return CollectionVerdict::id_out_of_range;
  }
  if (!world_.is_alive(entity)) return CollectionVerdict::entity_is_gone;
  const auto index = static_cast<std::size_t>(id.network_id);
  if (index >= entities_.size()) entities_.resize(index + 1);
  if (world_.is_alive(entities_[index])) return CollectionVerdict::id_in_use;
  entities_[index] = entity;
  return CollectionVerdict::accepted;
}

CollectionVerdict ReplicatedCollection::remove(EntityReference id) {
  const auto index = static_cast<std::size_t>(id.network_id);
  if (id.network_id < 0 || index >= entities_.size() || entities_[index].is_null()) {
    return CollectionVerdict::unknown_id;
  }
  entities_[index] = EntityId();
  search_from_ = std::min(search_from_, std::max(id.network_id, placed_count_));
  return CollectionVerdict::accepted;
}

EntityId ReplicatedCollection::find(EntityReference id) const {
  const auto index = static_cast<std::size_t>(id.network_id);
  if (id.network_id < 0 || index >= entities_.size()) return {};
  return world_.is_alive(entities_[index]) ? entities_[index] : EntityId();
}

EntityReference ReplicatedCollection::lowest_free() {
  if (searched_at_ != world_.end_count()) search_from_ = placed_count_;
  searched_at_ = world_.end_count();
  std::int32_t id = search_from_;
  while (id < kMaxNetworkIds && !find({id}).is_null()) ++id;
  checked_count_ += static_cast<std::uint64_t>(id - search_from_) + 1;
  search_from_ = id;
  return {id < kMaxNetworkIds ? id : -1};
}

namespace {

// Lists the components of an entity, and of all entities below that entity. Lists only components
// with these receivers.
void list_part(const World& world, EntityId root, Receivers receivers,
               std::vector<GroupComponent>& out) {
  EntityId entity = world.is_alive(root) ? root : EntityId();
  while (!entity.is_null()) {
    for (std::uint32_t i = 0; i < world.component_type_count(); ++i) {
      if (world.storage(ComponentId(i)).receivers() != receivers) continue;
      if (world.has(ComponentId(i), entity)) out.push_back({entity, ComponentId(i)});
    }
    EntityId next = world.first_child(entity);
    while (next.is_null() && entity != root) {
      next = world.next_sibling(entity);
      entity = world.parent(entity);
    }
    entity = next;
  }
}

}  // namespace

void list_group(const World& world, EntityId root, std::vector<GroupComponent>& out) {
  out.clear();
  for (const Receivers receivers :
       {Receivers::everyone, Receivers::owner, Receivers::all_but_owner}) {
    list_part(world, root, receivers, out);
  }
}

}  // namespace muster
