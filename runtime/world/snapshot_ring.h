// Stores the last states of a world, which can be restored and compared.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "registry/base/tick.h"
#include "registry/components/comparison.h"
#include "runtime/world/world.h"

namespace muster {

/// The last `depth` states of a world. Capturing copies the values of all components, array by
/// array. Additions and removals of entities and components are recorded in a log. So a tick
/// without additions and removals needs only the copy. A restore undoes the changes in the log and
/// copies the values back.
///
/// The world must outlive the ring, and may have only one ring. The world records its changes from
/// the first capture until the ring is destroyed. After an assignment to the world, the ring is
/// empty. The constructor allocates memory for the log. For each state, the constructor also
/// allocates memory for the world's capacity (`World::reserve`). Later the ring allocates only if
/// that memory is not enough. Only one thread at a time may use the ring.
///
///     SnapshotRing past(world, 32);  // or {.depth = 32, .changes_per_tick = 1000}
///     past.capture(tick);            // at the end of each tick
///     past.restore(earlier);         // the world is as it was at the end of that tick
class SnapshotRing {
 public:
  struct Options {
    std::uint32_t depth = 32;  ///< The number of stored states; at least 1.
    /// The initial capacity of the log, in changes per tick. An added or removed entity needs a few
    /// changes, and each of its components needs one change.
    std::uint32_t changes_per_tick = 128;
  };
  /// Requires: the world has no other ring.
  SnapshotRing(World& world, const Options& options);
  SnapshotRing(World& world, std::uint32_t depth) : SnapshotRing(world, Options{.depth = depth}) {}
  /// Stops the log of the world.
  ~SnapshotRing() { world_.stop_log(); }
  SnapshotRing(const SnapshotRing&) = delete;
  SnapshotRing& operator=(const SnapshotRing&) = delete;

  /// Stores the current state. Replaces the oldest state if `depth` states are stored. Requires:
  /// `tick` is later than the newest stored tick.
  void capture(Tick tick);

  /// Restores the world to the end of a tick and drops all later states. Returns false, and changes
  /// nothing, if that tick is not stored.
  bool restore(Tick tick);

  /// Copies the state at the end of a tick into another world, and does not change this world. Use
  /// this function to compare whole worlds (`differences`) or to compute a checksum. Returns false,
  /// and leaves `out` unchanged, if that tick is not stored. Do not call this function every tick,
  /// because it copies the world and allocates. Requires: `out` is not the world of this ring.
  bool copy_to(Tick tick, World& out) const;

  bool has(Tick tick) const { return find(tick) != nullptr; }
  std::optional<Tick> oldest() const;
  std::optional<Tick> newest() const;

  /// The value of an entity's component at the end of a tick. Empty if the entity did not have the
  /// component, or if the tick is not stored. Valid until the next `capture` or `restore`.
  Bytes value_at(Tick tick, ComponentId component, EntityId entity) const;

  /// Compares `value_at` of a tick with `value`, for reconciliation. Returns the first field that
  /// differs by more than its tolerance, or no value if all fields are within their tolerances.
  /// Requires: `has(tick)` is true, the entity had the component at that tick, and `value` has the
  /// size of the component.
  std::optional<FieldDifference> first_difference(Tick tick, ComponentId component, EntityId entity,
                                                  Bytes value) const;

  /// Drops all states. Call this function after the content of the world was replaced.
  void clear();

 private:
  struct Snapshot {
    Tick tick;
    World::Bookmark bookmark;
    std::vector<EntityComponent> initialised;
    std::vector<ByteVector> values;  ///< The values by component; the vectors only grow.
    std::vector<std::size_t> sizes;  ///< The number of used bytes in each vector of `values`.
  };
  static void copy_values(const Snapshot& snapshot, World& world);
  const Snapshot* find(Tick tick) const;
  std::uint32_t count() const;
  const Snapshot& at(std::uint32_t age) const;

  World& world_;
  std::vector<Snapshot> snapshots_;
  std::uint32_t newest_ = 0;
  std::uint32_t count_ = 0;  ///< The number of captured states. `count` returns 0 if the world no
                             ///< longer has the log that restores them.
};

}  // namespace muster
