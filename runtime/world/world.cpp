// Children hang in a doubly linked list through the records themselves: no allocation per parent,
// and the hierarchy is copied together with the records.
#include "runtime/world/world.h"

#include <algorithm>

namespace muster {

World::World(std::span<const ComponentDescription> components) {
  storages_.reserve(components.size());
  for (const ComponentDescription& component : components) storages_.emplace_back(component);
  std::ranges::sort(storages_, {},
                    [](const ComponentStorage& storage) { return storage.description().name; });
  const auto twice = std::ranges::adjacent_find(
      storages_, {}, [](const ComponentStorage& storage) { return storage.description().name; });
  assert(twice == storages_.end());
  (void)twice;
}

std::optional<ComponentId> World::find_component(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      storages_, name, {}, [](const ComponentStorage& storage) -> std::string_view {
        return storage.description().name;
      });
  if (found == storages_.end() || found->description().name != name) return std::nullopt;
  return ComponentId(static_cast<std::uint32_t>(found - storages_.begin()));
}

EntityId World::create(EntityId parent, NameId name) {
  assert(parent.is_null() || is_alive(parent));
  std::uint32_t slot = 0;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  EntityRecord& record = records_[slot];
  record.name = name;
  record.is_alive = 1;
  record.is_active = 1;
  if (!parent.is_null()) {
    record.is_despawning = records_[parent.slot()].is_despawning;
    link(slot, parent.slot());
  }
  ++alive_count_;
  return id_at(slot);
}

bool World::is_alive(EntityId entity) const {
  if (entity.slot() >= records_.size()) return false;
  const EntityRecord& record = records_[entity.slot()];
  return record.is_alive != 0 && record.generation == entity.generation();
}

std::string_view World::name(EntityId entity) const {
  return is_alive(entity) ? names_.text(records_[entity.slot()].name) : std::string_view();
}

bool World::is_active(EntityId entity) const {
  return is_alive(entity) && records_[entity.slot()].is_active != 0;
}

bool World::set_active(EntityId entity, bool is_active) {
  if (!is_alive(entity)) return false;
  records_[entity.slot()].is_active = is_active ? 1 : 0;
  return true;
}

EntityId World::parent(EntityId entity) const {
  return is_alive(entity) ? id_at(records_[entity.slot()].parent) : EntityId();
}

EntityId World::first_child(EntityId entity) const {
  return is_alive(entity) ? id_at(records_[entity.slot()].first_child) : EntityId();
}

EntityId World::next_sibling(EntityId entity) const {
  return is_alive(entity) ? id_at(records_[entity.slot()].next_sibling) : EntityId();
}

bool World::set_parent(EntityId child, EntityId parent) {
  if (!is_alive(child) || is_despawning(child) || is_despawning(parent)) return false;
  if (!parent.is_null() && !is_alive(parent)) return false;
  for (EntityId above = parent; !above.is_null(); above = this->parent(above)) {
    if (above == child) return false;
  }
  unlink(child.slot());
  if (!parent.is_null()) link(child.slot(), parent.slot());
  return true;
}

bool World::request_despawn(EntityId entity) {
  if (!is_alive(entity)) return false;
  if (is_despawning(entity)) return true;
  despawn_requests_.push_back(entity);
  // Down to the first child, else to the next sibling, else up and on: once around the tree.
  const std::uint32_t root = entity.slot();
  std::uint32_t slot = root;
  while (true) {
    records_[slot].is_despawning = 1;
    if (records_[slot].first_child != kNoSlot) {
      slot = records_[slot].first_child;
      continue;
    }
    while (slot != root && records_[slot].next_sibling == kNoSlot) slot = records_[slot].parent;
    if (slot == root) return true;
    slot = records_[slot].next_sibling;
  }
}

bool World::is_despawning(EntityId entity) const {
  return is_alive(entity) && records_[entity.slot()].is_despawning != 0;
}

std::uint32_t World::process_despawns() {
  std::uint32_t destroyed = 0;
  for (const EntityId entity : despawn_requests_) {
    // It may have gone already, with a parent that was asked for first.
    if (is_alive(entity)) destroyed += destroy_with_children(entity.slot());
  }
  despawn_requests_.clear();
  return destroyed;
}

bool World::add(ComponentId id, EntityId entity, Bytes value) {
  ComponentStorage& storage = storages_[id.value()];
  if (!is_alive(entity) || storage.has(entity)) return false;
  storage.add(entity, value);
  return true;
}

void World::reserve(std::uint32_t entities, std::uint32_t components) {
  records_.reserve(entities);
  free_slots_.reserve(entities);
  despawn_requests_.reserve(entities);
  for (ComponentStorage& storage : storages_) storage.reserve(components, entities);
}

EntityId World::id_at(std::uint32_t slot) const {
  return slot == kNoSlot ? EntityId() : EntityId(slot, records_[slot].generation);
}

void World::link(std::uint32_t child, std::uint32_t parent) {
  EntityRecord& record = records_[child];
  EntityRecord& above = records_[parent];
  record.parent = parent;
  record.previous_sibling = above.last_child;
  record.next_sibling = kNoSlot;
  if (above.last_child == kNoSlot) {
    above.first_child = child;
  } else {
    records_[above.last_child].next_sibling = child;
  }
  above.last_child = child;
}

void World::unlink(std::uint32_t child) {
  EntityRecord& record = records_[child];
  if (record.parent == kNoSlot) return;
  EntityRecord& above = records_[record.parent];
  if (record.previous_sibling == kNoSlot) {
    above.first_child = record.next_sibling;
  } else {
    records_[record.previous_sibling].next_sibling = record.next_sibling;
  }
  if (record.next_sibling == kNoSlot) {
    above.last_child = record.previous_sibling;
  } else {
    records_[record.next_sibling].previous_sibling = record.previous_sibling;
  }
  record.parent = record.previous_sibling = record.next_sibling = kNoSlot;
}

std::uint32_t World::destroy_with_children(std::uint32_t root) {
  std::uint32_t destroyed = 0;
  std::uint32_t slot = root;
  while (true) {
    while (records_[slot].first_child != kNoSlot) slot = records_[slot].first_child;
    const std::uint32_t above = records_[slot].parent;
    destroy_leaf(slot);
    ++destroyed;
    if (slot == root) return destroyed;
    slot = above;
  }
}

void World::destroy_leaf(std::uint32_t slot) {
  const EntityId entity = id_at(slot);
  for (ComponentStorage& storage : storages_) storage.remove(entity);
  unlink(slot);
  EntityRecord fresh;
  // Zero stays the null id, even after four billion uses of one slot.
  fresh.generation = entity.generation() == 0xFFFFFFFF ? 1 : entity.generation() + 1;
  records_[slot] = fresh;
  free_slots_.push_back(slot);
  --alive_count_;
}

}  // namespace muster
