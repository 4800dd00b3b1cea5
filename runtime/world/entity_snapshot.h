// The recent past of some entities of a world: those that a player predicts, say.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "registry/base/tick.h"
#include "registry/components/comparison.h"
#include "runtime/world/world.h"

namespace muster {

/// Where a world differs from what was kept of an entity.
struct EntityDifference {
  EntityId entity;
  ComponentId component;
  /// By more than its tolerance; nothing when only the one or the other has the component.
  std::optional<FieldDifference> field;
};

/// The values of some entities' components, to put back or to compare with: those that a player
/// predicts, say. Which entities exist is not part of it.
class EntitySnapshot {
 public:
  /// Makes room, so that capturing this many entities, with this many components of so many bytes
  /// in all, allocates nothing.
  void reserve(std::size_t entities, std::size_t components, std::size_t value_bytes);

  /// Keeps the components of these entities; those that are gone have none. Allocates nothing once
  /// as much has been captured before.
  void capture(const World& world, std::span<const EntityId> entities);

  /// Gives the components their values back; adds those that are missing, and removes what the
  /// entities did not have. Entities that are gone are left out. Returns how many there were.
  std::uint32_t restore(World& world) const;

  /// Compares what was kept with these entities as they are now, as reconciliation does: the first
  /// component that is there only once, or has a field that differs by more than its tolerance;
  /// entities in the order of `capture`, each one's components by their ids. An entity that is gone
  /// has none. Allocates nothing. Requires: a world of the component types that were captured.
  std::optional<EntityDifference> first_difference(const World& world) const;

  std::span<const EntityId> entities() const { return entities_; }
  /// Empty when the entity had no such component.
  Bytes value(ComponentId component, EntityId entity) const;

 private:
  /// Calls `visit(entity, component, value)` for every component that an entity had or could have
  /// had, until it returns false; the value is empty where it had none.
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

/// The last `depth` states of some entities' components. Other than `SnapshotRing` it needs no log:
/// each place holds the values themselves, and which components there were, so the world may do
/// whatever it wants in between, and many rings may watch it. Allocates when it is made; after that
/// nothing, unless more is captured than there is room for.
class EntitySnapshotRing {
 public:
  struct Options {
    std::uint32_t depth = 32;  ///< At least 1.
    std::size_t entities = 16;
    std::size_t components = 64;  ///< Of all these entities together.
    std::size_t value_bytes = 4096;
  };
  explicit EntitySnapshotRing(const Options& options);

  /// Keeps these entities' components in the place of the oldest if all are taken. Requires: a
  /// later tick than the newest one kept.
  void capture(Tick tick, const World& world, std::span<const EntityId> entities);

  /// What was kept at a tick; null when that tick is not kept. Lives until the next `capture`.
  const EntitySnapshot* find(Tick tick) const;

  /// Forgets what came after a tick: it is computed again.
  void forget_after(Tick tick);

  std::optional<Tick> oldest() const;
  std::optional<Tick> newest() const;

 private:
  struct Place {
    Tick tick;
    EntitySnapshot snapshot;
  };
  const Place& at(std::uint32_t age) const;

  std::vector<Place> places_;
  std::uint32_t newest_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace muster
