// A world's recent past, to go back to and to compare with.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "registry/base/tick.h"
#include "registry/components/comparison.h"
#include "runtime/world/world.h"

namespace muster {

/// The last `depth` states of a world. Capturing copies the values of all components, array by
/// array; which entities and components there were is kept as a log of what came and went, so that
/// a tick in which nothing comes or goes costs one copy of its bytes and no more. Going back takes
/// the log back and copies the values in.
///
/// The world must outlive it, and may have one ring: from the first capture until the ring's end it
/// logs its changes. A world that another one is assigned to has no past: the ring is empty then.
/// It allocates when it is made: room for what the world has room for (`World::reserve`) in every
/// place, and for the log. After that nothing, unless more comes than there is room for. One thread
/// at a time.
///
///     SnapshotRing past(world, 32);  // or {.depth = 32, .changes_per_tick = 1000}
///     past.capture(tick);            // at the end of each tick
///     past.restore(earlier);         // the world is as it was at the end of that tick
class SnapshotRing {
 public:
  struct Options {
    std::uint32_t depth = 32;  ///< At least 1.
    /// What the log has room for: an entity that comes or goes takes a few, each of its components
    /// one.
    std::uint32_t changes_per_tick = 128;
  };
  /// Requires: no other ring of this world.
  SnapshotRing(World& world, const Options& options);
  SnapshotRing(World& world, std::uint32_t depth) : SnapshotRing(world, Options{.depth = depth}) {}
  /// The world stops logging.
  ~SnapshotRing() { world_.stop_log(); }
  SnapshotRing(const SnapshotRing&) = delete;
  SnapshotRing& operator=(const SnapshotRing&) = delete;

  /// Keeps the world as it is now, in the place of the oldest if all are taken. Requires: a later
  /// tick than the newest one kept.
  void capture(Tick tick);

  /// Brings the world back to the end of a tick and forgets what came after it. Returns false, and
  /// changes nothing, when that tick is not kept.
  bool restore(Tick tick);

  /// Makes another world what this ring's was at the end of a tick, and changes nothing here: to
  /// compare it as a whole (`differences`), or for its checksum. Returns false, and leaves `out` as
  /// it was, when that tick is not kept. Not for every tick: it copies the world, and allocates.
  /// Requires: `out` is another world.
  bool copy_to(Tick tick, World& out) const;

  bool has(Tick tick) const { return find(tick) != nullptr; }
  std::optional<Tick> oldest() const;
  std::optional<Tick> newest() const;

  /// The value that an entity's component had at the end of a tick; empty when it had none then, or
  /// the tick is not kept. Lives until the next `capture` or `restore`.
  Bytes value_at(Tick tick, ComponentId component, EntityId entity) const;

  /// Compares that value with another one, as reconciliation does: the first field that differs by
  /// more than its tolerance. Nothing for values that agree. Requires: `has(tick)`, the entity had
  /// the component then, and `value` is as long as described.
  std::optional<FieldDifference> first_difference(Tick tick, ComponentId component, EntityId entity,
                                                  Bytes value) const;

  /// Forgets everything: a world that was changed as a whole has no past.
  void clear();

 private:
  struct Snapshot {
    Tick tick;
    World::Bookmark bookmark;
    std::vector<EntityComponent> initialised;
    std::vector<ByteVector> values;  ///< By component; only grows.
    std::vector<std::size_t> sizes;  ///< How many bytes of each count.
  };
  static void copy_values(const Snapshot& snapshot, World& world);
  const Snapshot* find(Tick tick) const;
  std::uint32_t count() const;
  const Snapshot& at(std::uint32_t age) const;

  World& world_;
  std::vector<Snapshot> snapshots_;
  std::uint32_t newest_ = 0;
  std::uint32_t count_ = 0;  ///< Those that were captured; see `count`.
};

}  // namespace muster
