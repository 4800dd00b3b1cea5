// Past states of some entities of a world, for example those that a player predicts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "registry/base/tick.h"
#include "registry/components/comparison.h"
#include "runtime/world/world.h"

namespace muster {

/// A difference between the world and the stored state of an entity.
struct EntityDifference {
  EntityId entity;
  ComponentId component;
  /// A difference above its tolerance; empty if only one side has the component.
  std::optional<FieldDifference> field;
};

/// The component values of some entities, for restoring or comparing, for example of those that a
/// player predicts. It does not store which entities exist.
class EntitySnapshot {
 public:
  /// Reserves memory, so that capturing this many entities, with this many components and value
  /// bytes in all, does not allocate.
  void reserve(std::size_t entities, std::size_t components, std::size_t value_bytes);

  /// Stores the components of these entities; removed ones have none. Does not allocate after an
  /// equally large capture.
  void capture(const World& world, std::span<const EntityId> entities);

  /// Restores the components' values; adds missing components, and removes those that the entities
  /// did not have. Skips removed entities and returns their number.
  std::uint32_t restore(World& world) const;

  /// Compares the stored state with the current one, as reconciliation does. Returns the first
  /// component that exists on one side only, or has a field that differs by more than its
  /// tolerance: entities in the order of `capture`, components by id. A removed entity has no
  /// components. Allocates nothing. Requires: a world with the captured component types.
  std::optional<EntityDifference> first_difference(const World& world) const;

  std::span<const EntityId> entities() const { return entities_; }
  /// Empty if the entity had no such component.
  Bytes value(ComponentId component, EntityId entity) const;

 private:
  /// Calls `visit(entity, component, value)` for every possible component of every entity, until it
  /// returns false; the value is empty if the entity had none.
  template <typename Visit>
  void each(const World& world, Visit visit) const;

  struct Part {
    std::uint32_t entity = 0;  ///< Index in `entities_`.
    ComponentId component;
    std::size_t offset_bytes = 0;
  };
  std::vector<EntityId> entities_;
  std::vector<Part> parts_;  ///< By entity, then by component.
  ByteVector values_;
};

/// The last `depth` states of some entities' components. Unlike `SnapshotRing` it needs no log:
/// each state has its own values and components, so the world may change freely, and many rings may
/// use it. Allocates on construction; later only if more is captured than fits.
class EntitySnapshotRing {
 public:
  struct Options {
    std::uint32_t depth = 32;  ///< At least 1.
    std::size_t entities = 16;
    std::size_t components = 64;  ///< For all these entities together.
    std::size_t value_bytes = 4096;
  };
  explicit EntitySnapshotRing(const Options& options);

  /// Stores these entities' components, replacing the oldest state if all are used. Requires: a
  /// later tick than the newest stored one.
  void capture(Tick tick, const World& world, std::span<const EntityId> entities);

  /// The state of a tick; null if it is not stored. Valid until the next `capture`.
  const EntitySnapshot* find(Tick tick) const;

  /// Drops all states after a tick, because they are computed again.
  void forget_after(Tick tick);

  std::optional<Tick> oldest() const;
  std::optional<Tick> newest() const;

 private:
  struct Slot {
    Tick tick;
    EntitySnapshot snapshot;
  };
  const Slot& at(std::uint32_t age) const;

  std::vector<Slot> slots_;
  std::uint32_t newest_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace muster
