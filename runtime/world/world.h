// A world: entities, their components, who hangs under whom.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "registry/components/component.h"
#include "runtime/world/component_id.h"
#include "runtime/world/component_storage.h"
#include "runtime/world/entity_id.h"
#include "runtime/world/entity_record.h"
#include "runtime/world/name_table.h"
#include "runtime/world/signature_table.h"
#include "runtime/world/world_log.h"
#include "runtime/world/world_watch.h"

namespace muster {

/// A component type whose C++ type is known; made by `World::component`.
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

/// What an entity is made with; all parts are optional.
struct EntityOptions {
  EntityId parent{};  ///< It becomes the last child; its player is the parent's. Null for a root.
  NameId name = NameId::empty;
  Signature signature{};  ///< Taken by another entity that is alive: the next free ordinal of it.
  PlayerId player = PlayerId::none;  ///< Of a root.
  bool is_active = true;
};

/// Entities with dense components of the types that it was made with. State is plain arrays:
/// entity records, and three arrays per component type. One thread at a time, except that reading
/// and changing values of components in place is safe from several threads that touch different
/// types. A copy has everything but those who watch: no `SnapshotRing`, no `ViewEvents`, no
/// `ComponentEvents`. A world that another one is assigned to keeps its watchers: a ring has no
/// past then, the others are told what has changed.
///
/// Ids of entities that are gone are safe everywhere: reading gives nothing, changing is refused.
///
///     World world(descriptions);
///     const auto health = world.component<Health>("Health");
///     const EntityId hero = world.create({.name = world.intern("Hero")});
///     world.add(health, hero, {.current = 80});
///     if (Health* value = world.get(health, hero)) value->current -= 10;
///
/// Going back in time: see `SnapshotRing`.
class World {
 public:
  /// Requires: descriptions that pass `check`, with names of their own.
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
  /// Makes an entity. A child of an entity that is about to despawn goes with it. Requires: a
  /// parent that is null or alive.
  EntityId create(const EntityOptions& options = {});
  bool is_alive(EntityId entity) const {
    if (entity.slot() >= records_.size()) return false;
    const EntityRecord& record = records_[entity.slot()];
    return record.is_alive != 0 && record.generation == entity.generation();
  }
  /// Which creation made it, of all in this world; 0 for an entity that is gone. Going back in time
  /// brings ids back, that then may be given to others, but no births.
  std::uint64_t birth(EntityId entity) const {
    return is_alive(entity) ? records_[entity.slot()].birth : 0;
  }
  Creation creation(EntityId entity) const { return {entity, birth(entity)}; }
  /// Whether an entity is alive and no other has its id by now. Never, of one that was gone.
  bool is_there(const Creation& one) const {
    return one.birth != 0 && birth(one.entity) == one.birth;
  }
  std::uint32_t entity_count() const { return state_.alive_count; }
  /// Rises whenever an entity ends, the world goes back, or another world is assigned: while it is
  /// unchanged, every entity that was alive still is.
  std::uint64_t end_count() const { return end_count_; }
  /// Calls `visit(EntityId)` for every entity in the order of slots. Creating entities meanwhile is
  /// allowed; whether they are visited follows from their slots.
  template <typename Visit>
  void each_entity(Visit visit) const;

  /// The number of a name, for `EntityOptions` and `set_name`. A name that no entity has is
  /// forgotten by a later `process_despawns`, once there are thousands.
  NameId intern(std::string_view name) { return names_.intern(name); }
  /// The same for a name whose number is held while no entity has it: it is never forgotten.
  NameId intern_kept(std::string_view name) { return names_.intern_kept(name); }
  /// Names that the world knows now.
  std::size_t name_count() const { return names_.size(); }
  std::string_view text(NameId name) const { return names_.text(name); }
  /// Empty for an entity that is gone.
  std::string_view name(EntityId entity) const;
  /// False for an entity that is gone.
  bool set_name(EntityId entity, NameId name);
  /// None for an entity without, or one that is gone.
  Signature signature(EntityId entity) const;
  /// Null when no entity that is alive has it.
  EntityId find(Signature signature) const;
  /// Active by itself; whether its parents are does not count. False for an entity that is gone.
  bool is_active(EntityId entity) const;
  bool set_active(EntityId entity, bool is_active);

  /// The player whose entity it is; none for one that is gone.
  PlayerId player(EntityId entity) const;
  /// Gives an entity, and all below it, to a player. False when it is gone.
  bool set_player(EntityId entity, PlayerId player);
  /// Whether the machine of a player (the server is that of none) computes an entity itself, and
  /// does not just show what it is told: the server computes all, a player his own. False for one
  /// that is gone.
  bool is_simulated_by(PlayerId machine, EntityId entity) const {
    return is_alive(entity) && (machine == PlayerId::none || player(entity) == machine);
  }

  // Hierarchy. Children keep the order in which they came. Null for none.
  EntityId parent(EntityId entity) const;
  EntityId first_child(EntityId entity) const;
  EntityId next_sibling(EntityId entity) const;
  /// Moves `child` with all below it to the end of `parent`'s children; a null parent makes it a
  /// root. They all go to the parent's player; those of a new root stay whose they are. Returns
  /// false when one is gone or about to despawn, or `parent` is `child` or below it.
  bool set_parent(EntityId child, EntityId parent);

  // Leaving. An entity despawns at the end of a tick, so that systems that run before can see it
  // go.
  /// Marks an entity and all below it. Returns false when it is gone.
  bool request_despawn(EntityId entity);
  bool is_despawning(EntityId entity) const;
  /// Ends a tick: destroys what was marked, in the order of the requests, children before their
  /// parents. Calls `deinitialise(EntityId)` for each while its components are still there; it must
  /// not create, destroy, add or remove. It is for changing the world: going back undoes that, and
  /// computing the tick again calls it again. What lives outside follows `ComponentEvents`.
  /// Returns how many entities went.
  template <typename Deinitialise>
  std::uint32_t process_despawns(Deinitialise deinitialise);
  std::uint32_t process_despawns() {
    return process_despawns([](EntityId) {});
  }

  // Components. An entity has at most one of a type.
  /// Adds a component. Requires: as many bytes as described. Returns false when the entity is gone
  /// or has one already, which stays as it is.
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
  /// Returns false when the entity has none.
  bool remove(ComponentId id, EntityId entity);
  bool has(ComponentId id, EntityId entity) const { return storages_[id.value()].has(entity); }
  /// The component's bytes; empty when there is none.
  std::span<std::byte> bytes(ComponentId id, EntityId entity) {
    return storages_[id.value()].find(entity);
  }
  Bytes bytes(ComponentId id, EntityId entity) const { return storages_[id.value()].find(entity); }
  /// Null when the entity has none, or is gone. Pointers live until a component of that type is
  /// added or removed.
  template <typename T>
  T* get(ComponentHandle<T> handle, EntityId entity) {
    return reinterpret_cast<T*>(data_or_null(storages_[handle.id().value()].find(entity)));
  }
  template <typename T>
  const T* get(ComponentHandle<T> handle, EntityId entity) const {
    return reinterpret_cast<const T*>(data_or_null(storages_[handle.id().value()].find(entity)));
  }
  /// All components of a type in a row, and their owners in the same order.
  template <typename T>
  std::span<T> values(ComponentHandle<T> handle) {
    ComponentStorage& storage = storages_[handle.id().value()];
    return {reinterpret_cast<T*>(storage.bytes().data()), storage.count()};
  }
  template <typename T>
  std::span<const EntityId> owners(ComponentHandle<T> handle) const {
    return storages_[handle.id().value()].owners();
  }

  /// Components that came since despawns were last processed, in the order of their coming; some
  /// may have gone again. Systems initialise other components for them. Part of the state: going
  /// back brings the list of that time back. What lives outside follows `ComponentEvents`.
  std::span<const EntityComponent> initialised() const { return initialised_; }

  /// Makes room, so that this many entities with `components` of each type allocate nothing.
  void reserve(std::uint32_t entities, std::uint32_t components);

  /// The hash of all that counts: entities, who has which components, and every field. Equal worlds
  /// have equal checksums on every machine. Reads every byte; allocates nothing.
  std::uint64_t checksum() const;

 private:
  // Going back, and telling what happened, have faces of their own.
  friend class SnapshotRing;
  friend class ViewEvents;
  friend class ComponentEvents;
  template <typename First, typename... Rest>
  friend class Query;
  friend void differences(const World& left, const World& right, std::size_t count_max,
                          std::vector<WorldDifference>& out);

  /// The entities as they are now, as a place in the log of changes.
  struct Bookmark {
    std::uint64_t log_position = 0;
    std::uint32_t first_free = kNoSlot;
    std::uint32_t alive_count = 0;
    std::uint32_t first_despawn = kNoSlot;
    std::uint32_t last_despawn = kNoSlot;
  };
  /// Makes room in the log. Requires: it is nobody else's.
  void prepare_log(std::size_t changes);
  /// Starts the log if it is not kept yet. Requires: a prepared one.
  Bookmark bookmark();
  /// Takes back every change of entities and components since. Components that came back have
  /// unspecified values, the others keep theirs. Requires: a bookmark that it remembers.
  void undo_to(const Bookmark& bookmark, std::span<const EntityComponent> initialised);
  /// The same in another world, which becomes this one as it was then; this one stays.
  void undo_to(const Bookmark& bookmark, std::span<const EntityComponent> initialised,
               World& out) const;
  /// Whether `undo_to` can go there: it was not forgotten, and no other world was assigned since.
  bool remembers(const Bookmark& bookmark) const { return watch_.log.has(bookmark.log_position); }
  /// Nobody will go back to before it.
  void forget_before(const Bookmark& bookmark) { watch_.log.forget_before(bookmark.log_position); }
  /// Where an entity's component lay in its array at a bookmark; `ComponentStorage::kAbsent` for
  /// none. Takes time linear in what has happened since.
  std::uint32_t index_at(const Bookmark& bookmark, ComponentId id, EntityId entity) const;
  /// Forgets the log, and keeps none.
  void stop_log();

  /// Signatures that came or went (also by going back) since they were last taken. Kept from the
  /// first call until `stop_touched`.
  void take_touched(std::vector<Signature>& out);
  void stop_touched();
  /// The same of components, as often as they came and went.
  void take_touched_components(std::vector<EntityComponent>& out);
  void stop_touched_components();
  /// The entity that is alive in a slot, or the id that the next one in it will have; null for a
  /// slot that has never been used.
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
  /// Ends the program, naming the component, when it is not registered with this layout.
  ComponentId demand_component(std::string_view name, std::size_t size_bytes,
                               std::size_t alignment_bytes) const;
  // Every change of a record goes through here: the log keeps what it was.
  EntityRecord& edit(std::uint32_t slot) {
    if (watch_.is_logging) log_record(slot);
    return records_[slot];
  }
  void log_record(std::uint32_t slot);
  void log_component(WorldChange::Kind kind, std::uint32_t component, EntityId entity,
                     std::uint32_t index, std::uint32_t last);
  std::uint32_t take_slot();
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
  Bookmark state_;  ///< The position in the log is kept by the log itself.
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
  // Checked without assertions, too: a wrong size would be written past the end of an array.
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
    // What is about to despawn keeps its parent and its children.
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
