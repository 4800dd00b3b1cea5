// Past states of some entities of a world, for example the entities that a player predicts.
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
  /// A field that differs by more than its tolerance; no value if only one side has the component.
  std::optional<FieldDifference> field;
};

/// The component values of some entities, for restoring or comparing. A snapshot does not store
/// which entities exist.
class EntitySnapshot {
 public:
  /// Reserves memory, so that a capture with up to these numbers of entities, components and value
  /// bytes does not allocate.
  void reserve(std::size_t entities, std::size_t components, std::size_t value_bytes);

  /// Stores the components of these entities. A removed entity has no components. Allocates only if
  /// the capture is larger than all earlier captures and the reserved memory.
  void capture(const World& world, std::span<const EntityId> entities);

  /// Restores the stored components: sets their values, adds missing components, and removes
  /// components that the entities did not have. Skips removed entities and returns the number of
  /// skipped entities.
  std::uint32_t restore(World& world) const;

  /// Compares the stored state with the current state, for reconciliation. Returns the first
  /// component that exists on only one side, or that has a field that differs by more than its
  /// tolerance. Compares entities in the order of `capture`, and the components of an entity in the
  /// order of their ids. A removed entity has no components. Allocates nothing. Requires: `world`
  /// has the captured component types.
  std::optional<EntityDifference> first_difference(const World& world) const;

  std::span<const EntityId> entities() const { return entities_; }
  /// The stored value of a component; empty if the entity had no such component.
  Bytes value(ComponentId component, EntityId entity) const;

 private:
  /// Calls `visit(entity, component, value)` for every entity and every component type, until
  /// `visit` returns false. `value` is empty if the entity did not have the component.
  template <typename Visit>
  void each(const World& world, Visit visit) const;

  struct Part {
    std::uint32_t entity = 0;  ///< The index in `entities_`.
    ComponentId component;
    std::size_t offset_bytes = 0;
  };
  std::vector<EntityId> entities_;
  std::vector<Part> parts_;  ///< The stored components, sorted by entity, then by component.
  ByteVector values_;
};

/// The last `depth` states of the components of some entities. This ring needs no log in the world,
/// in contrast to `SnapshotRing`. So any number of these rings can use one world. The constructor
/// allocates all memory. `capture` allocates only if a capture exceeds the sizes in `Options`.
class EntitySnapshotRing {
 public:
  struct Options {
    std::uint32_t depth = 32;  ///< The number of stored states; at least 1.
    std::size_t entities = 16;
    std::size_t components = 64;  ///< The total number of components of the entities.
    std::size_t value_bytes = 4096;
  };
  explicit EntitySnapshotRing(const Options& options);

  /// Stores the components of these entities as a new state. Replaces the oldest state if `depth`
  /// states are stored. Requires: `tick` is later than the newest stored tick.
  void capture(Tick tick, const World& world, std::span<const EntityId> entities);

  /// The state of a tick; null if the state is not stored. Valid until the next `capture`.
  const EntitySnapshot* find(Tick tick) const;

  /// Drops all states after a tick. Call this function before these ticks are computed again.
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
