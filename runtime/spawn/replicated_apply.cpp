// A despawned entity loses its network id at once. The entity stays in the world until the end of
// the tick, so that systems can react.
#include "runtime/spawn/replicated_apply.h"

#include <algorithm>
#include <cstring>

namespace muster {

void ReplicatedApply::apply(const Changes& changes) {
  for (const EntityReference id : changes.despawned) despawn(id);
  for (const Spawn& one : changes.spawned) spawn(one);
  for (const Update& one : changes.updated) update(one, changes.tick);
  // Updates of several components of an entity in one tick count as one update.
  for (const Update& one : changes.updated) note_tick(one.id, changes.tick);
}

void ReplicatedApply::apply_newest(Tick tick, std::span<const Update> updates) {
  apply_again(updates);
  for (const Update& one : updates) note_tick(one.id, tick);
}

void ReplicatedApply::note_tick(EntityReference id, Tick tick) {
  if (collection_.find(id).is_null()) return;
  const auto index = static_cast<std::size_t>(id.network_id);
  if (index >= updated_at_.size()) updated_at_.resize(index + 1);
  updated_at_[index] = std::max(updated_at_[index], tick);
}

Tick ReplicatedApply::updated_at(EntityReference id) const {
  const auto index = static_cast<std::size_t>(id.network_id);
  if (id.network_id < 0 || index >= updated_at_.size()) return {};
  return collection_.find(id).is_null() ? Tick() : updated_at_[index];
}

void ReplicatedApply::despawn(EntityReference id) {
  const EntityId entity = collection_.find(id);
  if (entity.is_null()) {
    ++counters_.unknown_id;
    return;
  }
  (void)collection_.remove(id);  // Cannot fail, because the id was found.
  world_.request_despawn(entity);
  ++counters_.despawned;
}

void ReplicatedApply::spawn(const Spawn& spawn) {
  if (spawn.id.network_id < 0 || spawn.id.network_id >= kMaxNetworkIds) {
    ++counters_.refused;
    return;
  }
  const auto index = static_cast<std::size_t>(spawn.id.network_id);
  if (index >= updated_at_.size()) updated_at_.resize(index + 1);
  if (const EntityId present = collection_.find(spawn.id); !present.is_null()) {
    if (spawn.id.network_id >= collection_.placed_count()) {
      ++counters_.refused;
      return;
    }
    world_.set_player(present, spawn.player);
    ++counters_.placed;
  } else if (world_.is_alive(spawn.existing)) {
    world_.set_player(spawn.existing, spawn.player);
    // Cannot fail, because the id is in range and free, and the entity is alive.
    (void)collection_.add(spawn.id, spawn.existing);
  } else {
    EntityOptions options;
    options.player = spawn.player;
    const EntityId entity = spawner_.spawn_type(registry_, spawn.type, options);
    // Cannot fail, because the id is in range and free, and the entity is alive.
    (void)collection_.add(spawn.id, entity);
  }
  // A new server may begin with a lower tick.
  updated_at_[index] = Tick();
  ++counters_.spawned;
}

void ReplicatedApply::update(const Update& update, Tick tick) {
  const EntityId entity = collection_.find(update.id);
  if (entity.is_null()) {
    ++counters_.unknown_id;
    return;
  }
  const auto index = static_cast<std::size_t>(update.id.network_id);
  if (index >= updated_at_.size()) updated_at_.resize(index + 1);
  if (tick <= updated_at_[index]) {
    ++counters_.stale;
    return;
  }
  put(update, entity);
}

void ReplicatedApply::apply_again(std::span<const Update> updates) {
  for (const Update& one : updates) {
    const EntityId entity = collection_.find(one.id);
    if (entity.is_null()) {
      ++counters_.unknown_id;
    } else {
      put(one, entity);
    }
  }
}

void ReplicatedApply::put(const Update& update, EntityId entity) {
  if (!update.below.is_null()) entity = update.below;
  // Only the client sets the stage of a prefab, because a forged stage would spawn it again.
  const bool is_known = update.component.value() < world_.component_type_count() &&
                        update.component != link_ && world_.is_alive(entity);
  if (!is_known ||
      update.value.size() != world_.storage(update.component).description().size_bytes) {
    ++counters_.refused;
    return;
  }
  const std::span<std::byte> present = world_.bytes(update.component, entity);
  if (present.empty()) {
    world_.add(update.component, entity, update.value);
  } else {
    std::memcpy(present.data(), update.value.data(), update.value.size());
  }
  ++counters_.updated;
}

}  // namespace muster
