// A world: entities, their components, who hangs under whom.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "registry/vocabulary/component.h"
#include "runtime/world/component_storage.h"
#include "runtime/world/entity_id.h"
#include "runtime/world/name_table.h"

namespace muster {

/// A component type of one world: its place among all types sorted by name. Worlds made from equal
/// descriptions, on a client and on a server, number them alike.
class ComponentId {
 public:
  constexpr ComponentId() = default;
  explicit constexpr ComponentId(std::uint32_t value) : value_(value) {}
  constexpr std::uint32_t value() const { return value_; }
  friend constexpr auto operator<=>(const ComponentId&, const ComponentId&) = default;

 private:
  std::uint32_t value_ = 0;
};

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

/// Entities with dense components of the types that it was made with. State is plain arrays:
/// entity records, and three arrays per component type. One thread at a time. Copying a world
/// copies everything.
///
/// Ids of entities that are gone are safe everywhere: reading gives nothing, changing is refused.
///
///     World world(descriptions);
///     const auto health = world.component<Health>("Health");
///     const EntityId hero = world.create(EntityId(), world.intern("Hero"));
///     world.add(health, hero, {.current = 80});
///     if (Health* value = world.get(health, hero)) value->current -= 10;
class World {
 public:
  /// Requires: descriptions that pass `check`, with names of their own.
  explicit World(std::span<const ComponentDescription> components);

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
  /// Makes an entity, as the last child of `parent` or as a root when that is null. A child of an
  /// entity that is about to despawn goes with it. Requires: a parent that is null or alive.
  EntityId create(EntityId parent = {}, NameId name = NameId::empty);
  bool is_alive(EntityId entity) const;
  std::uint32_t entity_count() const { return alive_count_; }
  /// Calls `visit(EntityId)` for every entity in the order of slots. Creating entities meanwhile is
  /// allowed; whether they are visited follows from their slots.
  template <typename Visit>
  void each_entity(Visit visit) const;

  NameId intern(std::string_view name) { return names_.intern(name); }
  std::string_view text(NameId name) const { return names_.text(name); }
  /// Empty for an entity that is gone.
  std::string_view name(EntityId entity) const;
  /// Active by itself; whether its parents are does not count. False for an entity that is gone.
  bool is_active(EntityId entity) const;
  bool set_active(EntityId entity, bool is_active);

  // Hierarchy. Children keep the order in which they came. Null for none.
  EntityId parent(EntityId entity) const;
  EntityId first_child(EntityId entity) const;
  EntityId next_sibling(EntityId entity) const;
  /// Moves `child` with all below it to the end of `parent`'s children; a null parent makes it a
  /// root. Returns false when one is gone or about to despawn, or `parent` is `child` or below it.
  bool set_parent(EntityId child, EntityId parent);

  // Leaving. An entity despawns at the end of a tick, so that systems that run before can see it
  // go.
  /// Marks an entity and all below it. Returns false when it is gone.
  bool request_despawn(EntityId entity);
  bool is_despawning(EntityId entity) const;
  /// Destroys what was marked: in the order of the requests, children before their parents. Returns
  /// how many entities went.
  std::uint32_t process_despawns();

  // Components. An entity has at most one of a type.
  /// Adds a component. Requires: as many bytes as described. Returns false when the entity is gone
  /// or has one already, which stays as it is.
  bool add(ComponentId id, EntityId entity, Bytes value);
  template <typename T>
  bool add(ComponentHandle<T> handle, EntityId entity, const T& value) {
    return add(handle.id(), entity, std::as_bytes(std::span<const T, 1>(&value, 1)));
  }
  bool remove(ComponentId id, EntityId entity) { return storages_[id.value()].remove(entity); }
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

  /// Makes room, so that this many entities with `components` of each type allocate nothing.
  void reserve(std::uint32_t entities, std::uint32_t components);

 private:
  static constexpr std::uint32_t kNoSlot = 0xFFFFFFFF;

  /// Plain data: an array of these is copied as bytes.
  struct EntityRecord {
    std::uint32_t generation = 1;
    std::uint32_t parent = kNoSlot;
    std::uint32_t first_child = kNoSlot;
    std::uint32_t last_child = kNoSlot;
    std::uint32_t next_sibling = kNoSlot;
    std::uint32_t previous_sibling = kNoSlot;
    NameId name = NameId::empty;
    std::uint8_t is_alive = 0;
    std::uint8_t is_active = 0;
    std::uint8_t is_despawning = 0;
    std::uint8_t padding = 0;
  };
  static_assert(std::is_trivially_copyable_v<EntityRecord>);
  static_assert(std::has_unique_object_representations_v<EntityRecord>);

  template <typename Byte>
  static Byte* data_or_null(std::span<Byte> bytes) {
    return bytes.empty() ? nullptr : bytes.data();
  }
  EntityId id_at(std::uint32_t slot) const;
  void link(std::uint32_t child, std::uint32_t parent);
  void unlink(std::uint32_t child);
  std::uint32_t destroy_with_children(std::uint32_t root);
  void destroy_leaf(std::uint32_t slot);

  std::vector<ComponentStorage> storages_;  ///< Sorted by the names of their components.
  std::vector<EntityRecord> records_;
  std::vector<std::uint32_t> free_slots_;  ///< The last one is used next.
  std::vector<EntityId> despawn_requests_;
  std::uint32_t alive_count_ = 0;
  NameTable names_;
};

template <typename T>
ComponentHandle<T> World::component(std::string_view name) const {
  static_assert(std::is_trivially_copyable_v<T>, "a component is plain data");
  const std::optional<ComponentId> id = find_component(name);
  assert(id.has_value());
  assert(storage(*id).description().size_bytes == sizeof(T));
  assert(storage(*id).description().alignment_bytes == alignof(T));
  return ComponentHandle<T>(*id);
}

template <typename Visit>
void World::each_entity(Visit visit) const {
  for (std::uint32_t slot = 0; slot < records_.size(); ++slot) {
    if (records_[slot].is_alive != 0) visit(id_at(slot));
  }
}

}  // namespace muster
