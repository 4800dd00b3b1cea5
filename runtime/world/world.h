// A world: entities, their components and their hierarchy.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "registry/base/player_id.h"
#include "registry/components/component.h"
#include "runtime/world/component_id.h"
#include "runtime/world/component_storage.h"
#include "runtime/world/entity_id.h"
#include "runtime/world/entity_record.h"
#include "runtime/world/name_table.h"
#include "runtime/world/signature_table.h"
#include "runtime/world/world_log.h"

namespace muster {

/// A component type with its C++ type; made by `World::component`.
template <typename T>
class ComponentHandle {
 public:
  ComponentId id() const { return id_; }

 private:
  friend class World;
  explicit ComponentHandle(ComponentId id) : id_(id) {}
  ComponentId id_;
};

struct WorldDifference;
template <typename First, typename... Rest>
class Query;

/// Options of a new entity; all are optional.
struct EntityOptions {
  EntityId parent{};  ///< The entity becomes its last child and gets its player. Null makes a root.
  NameId name = NameId::empty;
  Signature signature{};  ///< If a living entity has it, `with` the lowest free ordinal is used.
  PlayerId player = PlayerId::none;  ///< For a root.
  bool is_active = true;
};

/// Entities with dense components of the types passed to the constructor. The state is plain
/// arrays: entity records, and three arrays per component type. One thread at a time, except that
/// several threads may read and change component values in place if they use different types. A
/// copy has everything except watchers: no `SnapshotRing`, `ViewEvents` or `ComponentEvents`. A
/// world that is assigned to keeps its watchers: a ring is then empty, and the others report the
/// changes.
///
/// Ids of removed entities are always safe: reading returns nothing, changing is refused.
///
///     World world(descriptions);
///     const auto health = world.component<Health>("Health");
///     const EntityId hero = world.create({.name = world.intern("Hero")});
///     world.add(health, hero, {.current = 80});
///     if (Health* value = world.get(health, hero)) value->current -= 10;
///
/// `SnapshotRing` restores earlier ticks.
class World {
 public:
  /// Requires: descriptions that pass `check`, with unique names.
  explicit World(std::span<const ComponentDescription> components);
  World(const World&) = default;
  World(World&&) = default;
  World& operator=(const World& other);
  World& operator=(World&& other) noexcept;
  ~World() = default;

  // Component types.
  std::uint32_t component_type_count() const {
    return static_cast<std::uint32_t>(storages_.size());
  }
  /// Binary search by name.
  std::optional<ComponentId> find_component(std::string_view name) const;
  /// Requires: a registered name whose description has the size and alignment of `T`.
  template <typename T>
  ComponentHandle<T> component(std::string_view name) const;
  const ComponentStorage& storage(ComponentId id) const { return storages_[id.value()]; }

  // Entities.
  /// Creates an entity. A child of an entity with a despawn request is removed with it. Requires: a
  /// parent that is null or alive.
  EntityId create(const EntityOptions& options = {});
  bool is_alive(EntityId entity) const {
    if (entity.slot() >= records_.size()) return false;
    const EntityRecord& record = records_[entity.slot()];
    return record.is_alive != 0 && record.generation == entity.generation();
  }
  /// Numbers the creations of entities in this world; 0 for a removed entity. After a restore,
  /// other entities can get the same ids, but never the same birth numbers.
  std::uint64_t birth(EntityId entity) const {
    return is_alive(entity) ? records_[entity.slot()].birth : 0;
  }
  Creation creation(EntityId entity) const { return {entity, birth(entity)}; }
  /// True when an entity is alive and its id was not reused. False for an entity that was already
  /// removed.
  bool is_current(const Creation& one) const {
    return one.birth != 0 && birth(one.entity) == one.birth;
  }
  std::uint32_t entity_count() const { return state_.alive_count; }
  /// Grows when an entity is removed, the world is restored, or another world is assigned. While it
  /// is unchanged, every entity that was alive is still alive.
  std::uint64_t end_count() const { return end_count_; }
  /// Calls `visit(EntityId)` for every entity in the order of slots. Creating entities during the
  /// call is allowed; their slots decide whether they are visited.
  template <typename Visit>
  void each_entity(Visit visit) const;

  /// The number of a name, for `EntityOptions` and `set_name`. A later `process_despawns` drops
  /// names without entities, once there are thousands.
  NameId intern(std::string_view name) { return names_.intern(name); }
  /// The same for a name whose number is stored while no entity has it: it is never dropped.
  NameId intern_kept(std::string_view name) { return names_.intern_kept(name); }
  /// The number of known names.
  std::size_t name_count() const { return names_.size(); }
  std::string_view text(NameId name) const { return names_.text(name); }
  /// Empty for a removed entity.
  std::string_view name(EntityId entity) const;
  /// False for a removed entity.
  bool set_name(EntityId entity, NameId name);
  /// None for an entity without one, or a removed one.
  Signature signature(EntityId entity) const;
  /// Null if no living entity has it.
  EntityId find(Signature signature) const;
  /// The entity's own flag; its parents do not matter. False for a removed entity.
  bool is_active(EntityId entity) const;
  bool set_active(EntityId entity, bool is_active);

  /// The player that owns it; none for a removed entity.
  PlayerId player(EntityId entity) const;
  /// Gives an entity and all its descendants to a player. False if it is removed.
  bool set_player(EntityId entity, PlayerId player);
  /// True when a player's machine (`none`: the server) computes an entity itself instead of showing
  /// received state: the server computes all, a player the player's own. False for a removed
  /// entity.
  bool is_simulated_by(PlayerId machine, EntityId entity) const {
    return is_alive(entity) && (machine == PlayerId::none || player(entity) == machine);
  }

  // Hierarchy. Children keep their order of addition. Null: none.
  EntityId parent(EntityId entity) const;
  EntityId first_child(EntityId entity) const;
  EntityId next_sibling(EntityId entity) const;
  /// Moves `child` with all its descendants to the end of `parent`'s children; a null parent makes
  /// it a root. They get the parent's player; those of a new root keep theirs. Returns false if one
  /// is removed or has a despawn request, or if `parent` is `child` or its descendant.
  bool set_parent(EntityId child, EntityId parent);

  // Removal. An entity is removed at the end of a tick, so that systems can react to the request
  // first.
  /// Marks an entity and all its descendants. Returns false if it is removed.
  bool request_despawn(EntityId entity);
  bool is_despawning(EntityId entity) const;
  /// Ends a tick: destroys all marked entities, in the order of the requests, children before their
  /// parents. Calls `deinitialise(EntityId)` for each while its components still exist;
  /// `deinitialise` must not create, destroy, add or remove, and changes only the world: a restore
  /// undoes these changes, and computing the tick again repeats them. Use `ComponentEvents` for
  /// objects outside. Returns the number of removed entities.
  template <typename Deinitialise>
  std::uint32_t process_despawns(Deinitialise deinitialise);
  std::uint32_t process_despawns() {
    return process_despawns([](EntityId) {});
  }

  // Components. An entity has at most one of a type.
  /// Adds a component. Returns false, and changes nothing, if the entity is removed or already has
  /// one. Requires: as many bytes as described.
  bool add(ComponentId id, EntityId entity, Bytes value) {
    ComponentStorage& storage = storages_[id.value()];
    if (!is_alive(entity) || storage.has(entity)) return false;
    storage.add(entity, value);
    const std::uint32_t index = storage.count() - 1;
    note_component(WorldChange::Kind::component_added, id.value(), entity, index, index);
    initialised_.push_back({entity, id});
    return true;
  }
  template <typename T>
  bool add(ComponentHandle<T> handle, EntityId entity, const T& value) {
    return add(handle.id(), entity, std::as_bytes(std::span<const T, 1>(&value, 1)));
  }
  /// Returns false if the entity has none.
  bool remove(ComponentId id, EntityId entity);
  bool has(ComponentId id, EntityId entity) const { return storages_[id.value()].has(entity); }
  /// The component's bytes, or an empty span.
  std::span<std::byte> bytes(ComponentId id, EntityId entity) {
    return storages_[id.value()].find(entity);
  }
  Bytes bytes(ComponentId id, EntityId entity) const { return storages_[id.value()].find(entity); }
  /// Null if the entity has none, or is removed. Pointers are valid until a component of that type
  /// is added or removed.
  template <typename T>
  T* get(ComponentHandle<T> handle, EntityId entity) {
    return reinterpret_cast<T*>(data_or_null(storages_[handle.id().value()].find(entity)));
  }
  template <typename T>
  const T* get(ComponentHandle<T> handle, EntityId entity) const {
    return reinterpret_cast<const T*>(data_or_null(storages_[handle.id().value()].find(entity)));
  }
  /// All components of a type, and their owners in the same order.
  template <typename T>
  std::span<T> values(ComponentHandle<T> handle) {
    ComponentStorage& storage = storages_[handle.id().value()];
    return {reinterpret_cast<T*>(storage.bytes().data()), storage.count()};
  }
  template <typename T>
  std::span<const EntityId> owners(ComponentHandle<T> handle) const {
    return storages_[handle.id().value()].owners();
  }

  /// Components that were added since despawns were last processed, in order; some may be removed
  /// again. Systems initialise other components for them. Part of the state: a restore also
  /// restores the list. Use `ComponentEvents` for objects outside.
  std::span<const EntityComponent> initialised() const { return initialised_; }

  /// Reserves memory for this many entities with `components` of each type.
  void reserve(std::uint32_t entities, std::uint32_t components);

  /// The hash of the state: entities, their components, and every field. Equal worlds have equal
  /// checksums on every machine. Reads every byte; allocates nothing.
  std::uint64_t checksum() const;

 private:
  // Going back, and reporting changes, have their own classes.
  friend class SnapshotRing;
  friend class ViewEvents;
  friend class ComponentEvents;
  template <typename First, typename... Rest>
  friend class Query;
  friend void differences(const World& left, const World& right, std::size_t count_max,
                          std::vector<WorldDifference>& out);

  /// The current entities, as a position in the log of changes.
  struct Bookmark {
    std::uint64_t log_position = 0;
    std::uint32_t first_free = kNoSlot;
    std::uint32_t alive_count = 0;
    std::uint32_t first_despawn = kNoSlot;
    std::uint32_t last_despawn = kNoSlot;
  };
  /// Makes room in the log. Requires: no other user of the log.
  void prepare_log(std::size_t changes);
  /// Starts the log if it is not kept yet. Requires: `prepare_log` was called.
  Bookmark bookmark();
  /// Undoes every later change of entities and components. Restored components have unspecified
  /// values, the others keep theirs. Requires: `remembers(bookmark)`.
  void undo_to(const Bookmark& bookmark, std::span<const EntityComponent> initialised);
  /// The same in another world, which becomes this one's earlier state; this one is unchanged.
  void undo_to(const Bookmark& bookmark, std::span<const EntityComponent> initialised,
               World& out) const;
  /// True when `undo_to` can go there: it was not dropped, and no other world was assigned since.
  bool remembers(const Bookmark& bookmark) const { return watch_.log.has(bookmark.log_position); }
  /// Drops the log before a bookmark.
  void forget_before(const Bookmark& bookmark) { watch_.log.forget_before(bookmark.log_position); }
  /// The index of an entity's component in its array at a bookmark; `ComponentStorage::kAbsent`:
  /// none. Linear in the number of later changes.
  std::uint32_t index_at(const Bookmark& bookmark, ComponentId id, EntityId entity) const;
  /// Drops the log, and stops it.
  void stop_log();

  /// Moves out the signatures that were added or removed (also by a restore) since the last call.
  /// They are recorded from the first call until `stop_touched`.
  void drain_touched(std::vector<Signature>& out);
  void stop_touched();
  /// The same for components, once per addition and removal.
  void drain_touched_components(std::vector<EntityComponent>& out);
  void stop_touched_components();
  /// The living entity of a slot, or the id that the next one in it will have; null for a slot that
  /// was never used.
  EntityId entity_in(std::uint32_t slot) const {
    return slot < records_.size() ? id_at(slot) : EntityId();
  }

  /// The bytes of all components of a type.
  std::span<std::byte> all_bytes(ComponentId id) { return storages_[id.value()].bytes(); }

  template <typename Byte>
  static Byte* data_or_null(std::span<Byte> bytes) {
    return bytes.empty() ? nullptr : bytes.data();
  }
  EntityId id_at(std::uint32_t slot) const;
  /// Ends the program with the component's name if it is not registered with this layout.
  ComponentId demand_component(std::string_view name, std::size_t size_bytes,
                               std::size_t alignment_bytes) const;
  // Every change of a record uses this function, so that the log keeps the old one.
  EntityRecord& edit(std::uint32_t slot) {
    if (watch_.is_logging) log_record(slot);
    return records_[slot];
  }
  void log_record(std::uint32_t slot);
  void log_component(WorldChange::Kind kind, std::uint32_t component, EntityId entity,
                     std::uint32_t index, std::uint32_t last);
  std::uint32_t allocate_slot();
  Signature free_signature(Signature wanted) const;
  void bind(std::uint32_t slot);
  void unbind(std::uint32_t slot);
  template <typename Change>
  void each_below(std::uint32_t root, Change change);
  void link(std::uint32_t child, std::uint32_t parent);
  void unlink(std::uint32_t child);
  void destroy_leaf(std::uint32_t slot);
  void note_component(WorldChange::Kind kind, std::uint32_t component, EntityId entity,
                      std::uint32_t index, std::uint32_t last) {
    storages_[component].set_version(++last_version_);
    if (!watch_.is_logging && !watch_.is_tracking_components) return;
    log_component(kind, component, entity, index, last);
  }
  void undo(const WorldChange& change);
  void touch(std::uint32_t component, EntityId entity) {
    if (watch_.is_tracking_components) {
      watch_.touched_components.push_back({entity, ComponentId(component)});
    }
  }
  void touch_all();
  void replaced(std::uint64_t version);
  void forget_names();

  std::vector<ComponentStorage> storages_;  ///< Sorted by the names of their components.
  std::vector<EntityRecord> records_;
  SignatureTable signatures_;
  Bookmark state_;  ///< The log itself stores its position.
  std::uint64_t last_version_ = 0;
  std::uint64_t last_birth_ = 0;
  std::uint64_t end_count_ = 0;
  std::vector<EntityComponent> initialised_;
  NameTable names_;
  WorldWatch watch_;
};

template <typename T>
ComponentHandle<T> World::component(std::string_view name) const {
  static_assert(std::is_trivially_copyable_v<T>, "a component is plain data");
  // Checked also without assertions, because a wrong size would write past the end of an array.
  return ComponentHandle<T>(demand_component(name, sizeof(T), alignof(T)));
}

template <typename Visit>
void World::each_entity(Visit visit) const {
  for (std::uint32_t slot = 0; slot < records_.size(); ++slot) {
    if (records_[slot].is_alive != 0) visit(id_at(slot));
  }
}

template <typename Deinitialise>
std::uint32_t World::process_despawns(Deinitialise deinitialise) {
  std::uint32_t destroyed = 0;
  std::uint32_t slot = state_.first_despawn;
  while (slot != kNoSlot) {
    while (records_[slot].first_child != kNoSlot) slot = records_[slot].first_child;
    deinitialise(id_at(slot));
    // Entities to be despawned keep their parents and children.
    const std::uint32_t above = records_[slot].parent;
    const bool was_asked_for = slot == state_.first_despawn;
    destroy_leaf(slot);
    slot = was_asked_for ? state_.first_despawn : above;
    ++destroyed;
  }
  initialised_.clear();
  if (names_.is_crowded()) forget_names();
  return destroyed;
}

}  // namespace muster
