// The records of entities contain the links of three kinds of lists: the children of an entity, the
// free slots, and the despawn requests. So all entity data is in one array, and a change is undone
// by restoring the old records.
#include "runtime/world/world.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

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

ComponentId World::demand_component(std::string_view name, std::size_t size_bytes,
                                    std::size_t alignment_bytes) const {
  const std::optional<ComponentId> id = find_component(name);
  const ComponentDescription* const found = id ? &storage(*id).description() : nullptr;
  if (found != nullptr && found->size_bytes == size_bytes &&
      found->alignment_bytes == alignment_bytes) {
    return *id;
  }
  const char* const why =
      found == nullptr ? "is not registered in this world" : "has another size or alignment";
  std::fprintf(stderr, "muster: the component '%.*s' %s (the caller's type has %zu bytes)\n",
               static_cast<int>(name.size()), name.data(), why, size_bytes);
  std::abort();
}

void World::refuse_size(ComponentId id, std::size_t size_bytes) const {
  const ComponentDescription& description = storage(id).description();
  std::fprintf(stderr, "muster: a component '%s' has %u bytes, and the added value has %zu\n",
               description.name.c_str(), description.size_bytes, size_bytes);
  std::abort();
}

std::optional<ComponentId> World::find_component(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      storages_, name, {}, [](const ComponentStorage& storage) -> std::string_view {
        return storage.description().name;
      });
  if (found == storages_.end() || found->description().name != name) return std::nullopt;
  return ComponentId(static_cast<std::uint32_t>(found - storages_.begin()));
}

EntityId World::create(const EntityOptions& options) {
  const EntityId parent = options.parent;
  // This check also runs in builds without assertions, because a wrong parent would corrupt memory.
  if (!parent.is_null() && !is_alive(parent)) {
    std::fputs("muster: an entity was created with a parent that does not exist\n", stderr);
    std::abort();
  }
  const std::uint32_t slot = allocate_slot();
  EntityRecord& record = edit(slot);
  record.birth = ++last_birth_;
  record.next_sibling = kNoSlot;
  record.name = options.name;
  record.player = options.player;
  if (!options.signature.is_none()) record.signature = free_signature(options.signature);
  record.is_alive = 1;
  record.is_active = options.is_active ? 1 : 0;
  if (!parent.is_null()) {
    record.is_despawning = records_[parent.slot()].is_despawning;
    record.player = records_[parent.slot()].player;
    link(slot, parent.slot());
  }
  ++state_.alive_count;
  if (!options.signature.is_none()) bind(slot);
  const EntityId created(slot, records_[slot].generation);
  note_structure({.entity = created, .kind = StructureChange::Kind::created});
  return created;
}

std::string_view World::name(EntityId entity) const {
  return is_alive(entity) ? names_.text(records_[entity.slot()].name) : std::string_view();
}

bool World::set_name(EntityId entity, NameId name) {
  if (!is_alive(entity)) return false;
  if (records_[entity.slot()].name != name) edit(entity.slot()).name = name;
  return true;
}

Signature World::signature(EntityId entity) const {
  return is_alive(entity) ? records_[entity.slot()].signature : Signature();
}

EntityId World::find(Signature signature) const {
  const std::uint32_t slot = signature.is_none() ? kNoSlot : signatures_.find(signature);
  return id_at(slot);
}

bool World::is_active(EntityId entity) const {
  return is_alive(entity) && records_[entity.slot()].is_active != 0;
}

bool World::set_active(EntityId entity, bool is_active) {
  if (!is_alive(entity)) return false;
  const std::uint8_t value = is_active ? 1 : 0;
  if (records_[entity.slot()].is_active != value) edit(entity.slot()).is_active = value;
  return true;
}

PlayerId World::player(EntityId entity) const {
  return is_alive(entity) ? records_[entity.slot()].player : PlayerId::none;
}

bool World::set_player(EntityId entity, PlayerId player) {
  if (!is_alive(entity)) return false;
  each_below(entity.slot(), [&](std::uint32_t slot) {
    if (records_[slot].player != player) edit(slot).player = player;
  });
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
  note_structure(
      {.entity = child, .kind = StructureChange::Kind::parent, .parent = this->parent(child)});
  unlink(child.slot());
  if (parent.is_null()) return true;
  link(child.slot(), parent.slot());
  return set_player(child, player(parent));
}

bool World::request_despawn(EntityId entity) {
  if (!is_alive(entity)) return false;
  if (is_despawning(entity)) return true;
  note_structure(
      {.entity = entity, .kind = StructureChange::Kind::despawn, .parent = parent(entity)});
  const std::uint32_t root = entity.slot();
  if (state_.last_despawn == kNoSlot) {
    state_.first_despawn = root;
  } else {
    edit(state_.last_despawn).next_despawn = root;
  }
  state_.last_despawn = root;
  each_below(root, [&](std::uint32_t slot) {
    if (records_[slot].is_despawning == 0) edit(slot).is_despawning = 1;
  });
  return true;
}

bool World::is_despawning(EntityId entity) const {
  return is_alive(entity) && records_[entity.slot()].is_despawning != 0;
}

bool World::remove(ComponentId id, EntityId entity) {
  ComponentStorage& storage = storages_[id.value()];
  const std::uint32_t index = storage.index_of(entity);
  if (!storage.remove(entity)) return false;
  note_component(WorldChange::Kind::component_removed, id, entity, index, storage.count());
  return true;
}

void World::reserve(std::uint32_t entities, std::uint32_t components) {
  records_.reserve(entities);
  signatures_.reserve(entities);
  initialised_.reserve(components * storages_.size());
  for (ComponentStorage& storage : storages_) storage.reserve(components, entities);
}

EntityId World::id_at(std::uint32_t slot) const {
  return slot == kNoSlot ? EntityId() : EntityId(slot, records_[slot].generation);
}

std::uint32_t World::allocate_slot() {
  if (state_.first_free != kNoSlot) {
    const std::uint32_t slot = state_.first_free;
    state_.first_free = records_[slot].next_sibling;
    return slot;
  }
  records_.emplace_back();
  if (watch_.is_logging) {
    watch_.log.append({.kind = WorldChange::Kind::new_slot,
                       .component = WorldChange::kNoComponent,
                       .index = 0,
                       .last = 0,
                       .entity = {},
                       .before = {}});
  }
  return static_cast<std::uint32_t>(records_.size() - 1);
}

Signature World::free_signature(Signature wanted) const {
  if (wanted.is_none()) return wanted;
  Signature signature = wanted;
  for (std::uint64_t ordinal = 1; signatures_.find(signature) != SignatureTable::kAbsent;
       ++ordinal) {
    signature = wanted.with(ordinal);
  }
  return signature;
}

void World::bind(std::uint32_t slot) {
  const EntityRecord& record = records_[slot];
  if (record.is_alive == 0 || record.signature.is_none()) return;
  signatures_.insert(record.signature, slot);
  if (watch_.is_tracking_signatures) watch_.touched.push_back(record.signature);
}

void World::unbind(std::uint32_t slot) {
  const EntityRecord& record = records_[slot];
  if (record.is_alive == 0 || record.signature.is_none()) return;
  signatures_.erase(record.signature);
  if (watch_.is_tracking_signatures) watch_.touched.push_back(record.signature);
}

// Calls `change(slot)` for an entity and all its descendants, parents first.
template <typename Change>
void World::each_below(std::uint32_t root, Change change) {
  std::uint32_t slot = root;
  while (true) {
    change(slot);
    if (records_[slot].first_child != kNoSlot) {
      slot = records_[slot].first_child;
      continue;
    }
    while (slot != root && records_[slot].next_sibling == kNoSlot) slot = records_[slot].parent;
    if (slot == root) return;
    slot = records_[slot].next_sibling;
  }
}

void World::link(std::uint32_t child, std::uint32_t parent) {
  EntityRecord& record = edit(child);
  EntityRecord& above = edit(parent);
  record.parent = parent;
  record.previous_sibling = above.last_child;
  record.next_sibling = kNoSlot;
  if (above.last_child == kNoSlot) {
    above.first_child = child;
  } else {
    edit(above.last_child).next_sibling = child;
  }
  above.last_child = child;
}

void World::unlink(std::uint32_t child) {
  if (records_[child].parent == kNoSlot) return;
  EntityRecord& record = edit(child);
  EntityRecord& above = edit(record.parent);
  if (record.previous_sibling == kNoSlot) {
    above.first_child = record.next_sibling;
  } else {
    edit(record.previous_sibling).next_sibling = record.next_sibling;
  }
  if (record.next_sibling == kNoSlot) {
    above.last_child = record.previous_sibling;
  } else {
    edit(record.next_sibling).previous_sibling = record.previous_sibling;
  }
  record.parent = record.previous_sibling = record.next_sibling = kNoSlot;
}

void World::destroy_leaf(std::uint32_t slot) {
  const EntityId entity = id_at(slot);
  for (std::uint32_t i = 0; i < storages_.size(); ++i) remove(ComponentId(i), entity);
  unlink(slot);
  unbind(slot);
  EntityRecord& record = edit(slot);
  const EntityRecord before = record;
  record = EntityRecord();
  // A generation of 0 is never used, even after four billion uses of one slot, because 0 means the
  // null id.
  record.generation = entity.generation() == 0xFFFFFFFF ? 1 : entity.generation() + 1;
  record.next_sibling = state_.first_free;
  state_.first_free = slot;
  --state_.alive_count;
  ++end_count_;
  if (state_.first_despawn == slot) {
    state_.first_despawn = before.next_despawn;
    if (state_.first_despawn == kNoSlot) state_.last_despawn = kNoSlot;
  }
}

}  // namespace muster
