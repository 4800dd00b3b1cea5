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

/// A component type of a world, together with its C++ type. `World::component` returns a handle.
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

/// Options of a new entity. Each option has a default.
struct EntityOptions {
  EntityId parent{};  ///< The parent; null for a root. The new entity becomes its last child and
                      ///< gets its player.
  NameId name = NameId::empty;
  Signature signature{};             ///< If a living entity has this signature, the entity gets
                                     ///< `signature.with(n)` with the lowest unused `n`.
  PlayerId player = PlayerId::none;  ///< The player of a root; ignored for a child.
  bool is_active = true;
};

/// Entities with dense components of the types passed to the constructor. The state consists of
/// plain arrays: one array of entity records, and three arrays per component type. Only one thread
/// at a time may use a world. Exception: several threads may read and change component values in
/// place if they use different component types. The watchers of a world are `SnapshotRing`,
/// `ViewEvents`, `ComponentEvents` and `StructureWatch`. A copy of a world has no watchers. An
/// assignment keeps the watchers of its left side: the ring is then empty, and `ViewEvents` and
/// `ComponentEvents` report the changes.
///
/// The id of a removed entity may be passed to every function: a read returns an empty value, and a
/// change returns false.
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
  /// Requires: the descriptions pass `check` and have unique names.
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
  /// Finds a component type by a binary search for its name.
  std::optional<ComponentId> find_component(std::string_view name) const;
  /// Requires: the component type `name` exists, and its description has the size and alignment of
  /// `T`.
  template <typename T>
  ComponentHandle<T> component(std::string_view name) const;
  const ComponentStorage& storage(ComponentId id) const { return storages_[id.value()]; }

  // Entities.
  /// Creates an entity. If the parent has a despawn request, the new child is removed together with
  /// the parent. A parent that was removed ends the program with a message.
  EntityId create(const EntityOptions& options = {});
  bool is_alive(EntityId entity) const {
    if (entity.slot() >= records_.size()) return false;
    const EntityRecord& record = records_[entity.slot()];
    return record.is_alive != 0 && record.generation == entity.generation();
  }
  /// The birth number of an entity: each creation in this world gets a new number. 0 for a removed
  /// entity. After a restore, other entities can get the same ids, but never the same birth
  /// numbers.
  std::uint64_t birth(EntityId entity) const {
    return is_alive(entity) ? records_[entity.slot()].birth : 0;
  }
  Creation creation(EntityId entity) const { return {entity, birth(entity)}; }
  /// True if the entity of this creation is still alive. Another entity with the same id does not
  /// count.
  bool is_current(const Creation& one) const {
    return one.birth != 0 && birth(one.entity) == one.birth;
  }
  std::uint32_t entity_count() const { return state_.alive_count; }
  /// A number that grows when an entity is removed, when the world is restored, or when another
  /// world is assigned to this world. While the number is unchanged, every entity that was alive is
  /// still alive.
  std::uint64_t end_count() const { return end_count_; }
  /// Calls `visit(EntityId)` for every entity in the order of slots. Entities may be created during
  /// the call. The slot of a new entity decides whether the entity is visited.
  template <typename Visit>
  void each_entity(Visit visit) const;

  /// The number of a name, for `EntityOptions` and `set_name`. If there are thousands of names,
  /// `process_despawns` drops names that no entity has.
  NameId intern(std::string_view name) { return names_.intern(name); }
  /// Does the same as `intern`, but the name is never dropped. Use this function if the caller
  /// stores the number.
  NameId intern_kept(std::string_view name) { return names_.intern_kept(name); }
  /// The number of known names.
  std::size_t name_count() const { return names_.size(); }
  std::string_view text(NameId name) const { return names_.text(name); }
  /// The name of an entity; empty for a removed entity.
  std::string_view name(EntityId entity) const;
  /// Changes the name of an entity. Returns false for a removed entity.
  bool set_name(EntityId entity, NameId name);
  /// The signature of an entity, or no signature. A removed entity has no signature.
  Signature signature(EntityId entity) const;
  /// The living entity with a signature; null if no living entity has the signature.
  EntityId find(Signature signature) const;
  /// The active flag of the entity itself. The flags of its parents do not matter. False for a
  /// removed entity.
  bool is_active(EntityId entity) const;
  bool set_active(EntityId entity, bool is_active);

  /// The player that owns an entity; `PlayerId::none` for a removed entity.
  PlayerId player(EntityId entity) const;
  /// Gives an entity and all its descendants to a player. Returns false for a removed entity.
  bool set_player(EntityId entity, PlayerId player);
  /// True if a machine computes an entity itself. The server (`PlayerId::none`) computes all
  /// entities, and the machine of a player computes the entities of that player. For all other
  /// entities, a machine shows received state. False for a removed entity.
  bool is_simulated_by(PlayerId machine, EntityId entity) const {
    return is_alive(entity) && (machine == PlayerId::none || player(entity) == machine);
  }

  // Hierarchy. Children keep their order of addition. A result is null if there is no such entity.
  EntityId parent(EntityId entity) const;
  EntityId first_child(EntityId entity) const;
  EntityId next_sibling(EntityId entity) const;
  /// Moves `child`, with all its descendants, to the end of the children of `parent`. All moved
  /// entities get the parent's player. If `parent` is null, `child` becomes a root and all moved
  /// entities keep their player. Returns false if `child` or `parent` is removed or has a despawn
  /// request, or if `parent` is `child` or a descendant of `child`.
  bool set_parent(EntityId child, EntityId parent);

  // Removal. An entity is removed at the end of a tick, so that systems can first react to the
  // request.
  /// Marks an entity and all its descendants for removal. Returns false for a removed entity.
  bool request_despawn(EntityId entity);
  bool is_despawning(EntityId entity) const;
  /// Ends a tick: removes all marked entities, in the order of the requests, children before their
  /// parents. Calls `deinitialise(EntityId)` for each entity while its components still exist.
  /// `deinitialise` may change component values of this world. `deinitialise` must not create,
  /// remove or despawn entities, and must not add or remove components. `deinitialise` must not
  /// change objects outside the world, because `deinitialise` is called again when the tick is
  /// computed again. Use `ComponentEvents` for such objects. Returns the number of removed
  /// entities.
  template <typename Deinitialise>
  std::uint32_t process_despawns(Deinitialise deinitialise);
  std::uint32_t process_despawns() {
    return process_despawns([](EntityId) {});
  }

  // Components. An entity has at most one component of each type.
  /// Adds a component. Returns false, and changes nothing, if the entity is removed or already has
  /// a component of this type. A value of another size than the component ends the program with a
  /// message.
  bool add(ComponentId id, EntityId entity, Bytes value) {
    ComponentStorage& storage = storages_[id.value()];
    if (value.size() != storage.stride_bytes()) refuse_size(id, value.size());
    if (!is_alive(entity) || storage.has(entity)) return false;
    storage.add(entity, value);
    const std::uint32_t index = storage.count() - 1;
    note_component(WorldChange::Kind::component_added, id, entity, index, index);
    initialised_.push_back({entity, id});
    return true;
  }
  template <typename T>
  bool add(ComponentHandle<T> handle, EntityId entity, const T& value) {
    return add(handle.id(), entity, std::as_bytes(std::span<const T, 1>(&value, 1)));
  }
  /// Removes a component. Returns false if the entity does not have the component.
  bool remove(ComponentId id, EntityId entity);
  bool has(ComponentId id, EntityId entity) const { return storages_[id.value()].has(entity); }
  /// The bytes of a component; empty if the entity does not have the component.
  std::span<std::byte> bytes(ComponentId id, EntityId entity) {
    return storages_[id.value()].find(entity);
  }
  Bytes bytes(ComponentId id, EntityId entity) const { return storages_[id.value()].find(entity); }
  /// A pointer to a component; null if the entity does not have the component. The pointer is valid
  /// until a component of this type is added or removed.
  template <typename T>
  T* get(ComponentHandle<T> handle, EntityId entity) {
    return reinterpret_cast<T*>(data_or_null(storages_[handle.id().value()].find(entity)));
  }
  template <typename T>
  const T* get(ComponentHandle<T> handle, EntityId entity) const {
    return reinterpret_cast<const T*>(data_or_null(storages_[handle.id().value()].find(entity)));
  }
  /// All components of a type. `owners` returns their owners in the same order.
  template <typename T>
  std::span<T> values(ComponentHandle<T> handle) {
    ComponentStorage& storage = storages_[handle.id().value()];
    return {reinterpret_cast<T*>(storage.bytes().data()), storage.count()};
  }
  template <typename T>
  std::span<const EntityId> owners(ComponentHandle<T> handle) const {
    return storages_[handle.id().value()].owners();
  }

  /// The components that were added since the last `process_despawns`, in order. Some of these
  /// components may already be removed. Systems use the list to initialise other components of the
  /// same entities. The list is part of the state: a restore also restores the list. Use
  /// `ComponentEvents` for objects outside the world.
  std::span<const EntityComponent> initialised() const { return initialised_; }

  /// Reserves memory for `entities` entities, and for `components` components of each type.
  void reserve(std::uint32_t entities, std::uint32_t components);

  /// The hash of the state: the entities, their components, and every field. Equal worlds have
  /// equal checksums on every machine. Reads every byte of the state, and allocates nothing.
  std::uint64_t checksum() const;

 private:
  // Snapshots and change reports have their own classes.
  friend class SnapshotRing;
  friend class ViewEvents;
  friend class ComponentEvents;
  friend class StructureWatch;
  template <typename First, typename... Rest>
  friend class Query;
  friend void differences(const World& left, const World& right, std::size_t count_max,
                          std::vector<WorldDifference>& out);

  /// The entities at one time, stored as a position in the log of changes.
  struct Bookmark {
    std::uint64_t log_position = 0;
    std::uint32_t first_free = kNoSlot;
    std::uint32_t alive_count = 0;
    std::uint32_t first_despawn = kNoSlot;
    std::uint32_t last_despawn = kNoSlot;
  };
  /// Reserves memory for `changes` changes in the log. Requires: the log has no other user.
  void prepare_log(std::size_t changes);
  /// Makes a bookmark of the current entities. Starts the log if it was not started yet. Requires:
  /// `prepare_log` was called.
  Bookmark bookmark();
  /// Undoes every change of entities and components since a bookmark. Restored components have
  /// unspecified values, and all other components keep their values. Requires:
  /// `remembers(bookmark)`.
  void undo_to(const Bookmark& bookmark, std::span<const EntityComponent> initialised);
  /// Makes `out` the state of this world at the bookmark, and does not change this world. Otherwise
  /// does the same as the first `undo_to`.
  void undo_to(const Bookmark& bookmark, std::span<const EntityComponent> initialised,
               World& out) const;
  /// True if `undo_to` can undo to this bookmark: the log since the bookmark was not dropped, and
  /// no other world was assigned to this world since then.
  bool remembers(const Bookmark& bookmark) const { return watch_.log.has(bookmark.log_position); }
  /// Drops the log before a bookmark.
  void forget_before(const Bookmark& bookmark) { watch_.log.forget_before(bookmark.log_position); }
  /// The index that an entity's component had in its array at a bookmark;
  /// `ComponentStorage::kAbsent` if the entity did not have the component. The time is linear in
  /// the number of later changes.
  std::uint32_t index_at(const Bookmark& bookmark, ComponentId id, EntityId entity) const;
  /// Drops and stops the log.
  void stop_log();

  /// Moves into `out` the signatures that were added or removed since the last call, also by a
  /// restore. The world records these signatures from the first call until `stop_touched`.
  void drain_touched(std::vector<Signature>& out);
  void stop_touched();
  /// Does the same as `drain_touched`, for components. A component is listed once for each addition
  /// and each removal.
  void drain_touched_components(std::vector<EntityComponent>& out);
  void stop_touched_components();
  /// The id of the living entity in a slot, or the id that the next entity in the slot will get.
  /// Null for a slot that was never used.
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
  /// Ends the program with a message if the component is not registered with this size and
  /// alignment.
  ComponentId demand_component(std::string_view name, std::size_t size_bytes,
                               std::size_t alignment_bytes) const;
  /// Ends the program with a message about a value of the wrong size.
  [[noreturn]] void refuse_size(ComponentId id, std::size_t size_bytes) const;
  // Every change of a record uses this function, so that the log keeps the old record.
  EntityRecord& edit(std::uint32_t slot) {
    if (watch_.is_logging) log_record(slot);
    return records_[slot];
  }
  void log_record(std::uint32_t slot);
  void log_component(WorldChange::Kind kind, ComponentId component, EntityId entity,
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
  void note_component(WorldChange::Kind kind, ComponentId component, EntityId entity,
                      std::uint32_t index, std::uint32_t last) {
    storages_[component.value()].set_version(++last_version_);
    if (watch_.is_tracking_structure) {
      note_structure(
          {.entity = entity, .kind = StructureChange::Kind::component, .component = component});
    }
    if (!watch_.is_logging && !watch_.is_tracking_components) return;
    log_component(kind, component, entity, index, last);
  }
  void note_structure(StructureChange change) {
    if (!watch_.is_tracking_structure) return;
    change.order = static_cast<std::uint32_t>(watch_.structure.size());
    watch_.structure.push_back(change);
  }
  void undo(const WorldChange& change);
  void touch(ComponentId component, EntityId entity) {
    if (watch_.is_tracking_components) {
      watch_.touched_components.push_back({entity, component});
    }
  }
  void touch_all();
  void replaced(std::uint64_t version);
  void forget_names();

  /// The components of each type, sorted by the names of the types.
  std::vector<ComponentStorage> storages_;
  std::vector<EntityRecord> records_;
  SignatureTable signatures_;
  Bookmark state_;  ///< The current lists of entities; `log_position` is not used.
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
  // This check also runs in builds without assertions, because a wrong size would write past the
  // end of an array.
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
    const std::uint32_t above = records_[slot].parent;
    const bool was_requested = slot == state_.first_despawn;
    destroy_leaf(slot);
    slot = was_requested ? state_.first_despawn : above;
    ++destroyed;
  }
  initialised_.clear();
  if (names_.is_crowded()) forget_names();
  return destroyed;
}

}  // namespace muster
