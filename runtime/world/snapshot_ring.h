// A world's recent past, to restore and to compare.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "registry/base/tick.h"
#include "registry/components/comparison.h"
#include "runtime/world/world.h"

namespace muster {

/// The last `depth` states of a world. Capturing copies the values of all components, array by
/// array. Additions and removals of entities and components are kept as a log, so a tick without
/// any costs only the copy. Going back undoes the log and copies the values in.
///
/// The world must outlive the ring, and may have one ring: from the first capture until the ring is
/// destroyed it logs its changes. After an assignment to the world the ring is empty. Allocates on
/// construction: memory for the world's capacity (`World::reserve`) in every state, and for the
/// log; later only if more is added than fits. One thread at a time.
///
///     SnapshotRing past(world, 32);  // or {.depth = 32, .changes_per_tick = 1000}
///     past.capture(tick);            // at the end of each tick
///     past.restore(earlier);         // the world is as it was at the end of that tick
class SnapshotRing {
 public:
  struct Options {
    std::uint32_t depth = 32;  ///< At least 1.
    /// The capacity of the log: an added or removed entity needs a few entries, each of its
    /// components one.
    std::uint32_t changes_per_tick = 128;
  };
  /// Requires: no other ring of this world.
  SnapshotRing(World& world, const Options& options);
  SnapshotRing(World& world, std::uint32_t depth) : SnapshotRing(world, Options{.depth = depth}) {}
  /// The world stops logging.
  ~SnapshotRing() { world_.stop_log(); }
  SnapshotRing(const SnapshotRing&) = delete;
  SnapshotRing& operator=(const SnapshotRing&) = delete;

  /// Stores the current state, replacing the oldest one if all are used. Requires: a later tick
  /// than the newest stored one.
  void capture(Tick tick);

  /// Restores the world to the end of a tick and drops all later states. Returns false, and changes
  /// nothing, if that tick is not stored.
  bool restore(Tick tick);

  /// Copies this world's state at the end of a tick into another world, and changes nothing here:
  /// for comparing whole worlds (`differences`), or for a checksum. Returns false, and leaves `out`
  /// unchanged, if that tick is not stored. Not for every tick: it copies the world, and allocates.
  /// Requires: `out` is another world.
  bool copy_to(Tick tick, World& out) const;

  bool has(Tick tick) const { return find(tick) != nullptr; }
  std::optional<Tick> oldest() const;
  std::optional<Tick> newest() const;

  /// The value of an entity's component at the end of a tick; empty if it had none, or the tick is
  /// not stored. Valid until the next `capture` or `restore`.
  Bytes value_at(Tick tick, ComponentId component, EntityId entity) const;

  /// Compares that value with another one, as reconciliation does, and returns the first field that
  /// differs by more than its tolerance; nothing for equal values. Requires: `has(tick)`, the
  /// entity had the component then, and `value` is as long as described.
  std::optional<FieldDifference> first_difference(Tick tick, ComponentId component, EntityId entity,
                                                  Bytes value) const;

  /// Drops all states: a world that was replaced has no past.
  void clear();

 private:
  struct Snapshot {
    Tick tick;
    World::Bookmark bookmark;
    std::vector<EntityComponent> initialised;
    std::vector<ByteVector> values;  ///< By component; only grows.
    std::vector<std::size_t> sizes;  ///< The used bytes of each.
  };
  static void copy_values(const Snapshot& snapshot, World& world);
  const Snapshot* find(Tick tick) const;
  std::uint32_t count() const;
  const Snapshot& at(std::uint32_t age) const;

  World& world_;
  std::vector<Snapshot> snapshots_;
  std::uint32_t newest_ = 0;
  std::uint32_t count_ = 0;  ///< Captured states; see `count`.
};

}  // namespace muster
