// Copies of values that a receiver still has after the world has dropped them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/snapshot/entity_track.h"
#include "net/snapshot/row_pool.h"
#include "net/snapshot/snapshot_model.h"
#include "registry/base/tick.h"

namespace muster {

/// Stores states that one receiver has and that the world's history no longer contains. These
/// states are needed because an entity that was not sent for a long time is still coded against the
/// receiver's state. Owns copies of the values. Not thread-safe; allocates nothing while the number
/// of kept states does not grow.
class KeptRows {
 public:
  /// The first kept row of an entity; 0 if the entity has no kept row.
  using List = std::uint32_t;

  explicit KeptRows(const SnapshotModel& model);

  /// Copies the values of every needed record whose tick is `oldest_tick` or earlier. The record
  /// then points to the copy. Drops copies that are no longer needed. `is_needed(record, index)`
  /// returns true when the record belongs to the snapshot at that index of the window, and that
  /// snapshot may still be a reference.
  template <typename IsNeeded>
  void keep(List& list, EntityTrack& track, TrackRecords& records, const SnapshotTicks& ticks,
            Tick oldest_tick, const IsNeeded& is_needed) {
    if (list != 0) set_all_unused(list);
    for (std::size_t index = 0; index < kSnapshotWindow; ++index) {
      TrackRecord& record = records[index];
      if (record.presence != Presence::present || !is_needed(record, index)) continue;
      const Tick tick = ticks[index] - record.age;
      if (is_later(tick, oldest_tick)) continue;
      record.values = row_of(list, tick, record.kind(), record.values);
    }
    const bool has_old_run =
        track.has_run() && !is_later(ticks[window_index(track.run_last)], oldest_tick);
    if (has_old_run) {
      track.values = row_of(list, ticks[window_index(track.run_last)], track.kind, track.values);
    }
    if (list != 0) drop_unused(list);
  }

  /// Drops all rows of an entity.
  void drop(List& list);
  std::size_t memory_bytes() const;

 private:
  struct Node {
    List next = 0;
    Tick tick{};
    LaneValue* row = nullptr;
    EntityKind kind;
    bool is_used = false;
  };

  static bool is_later(Tick tick, Tick than) { return static_cast<std::int32_t>(tick - than) > 0; }
  void set_all_unused(List list);
  void drop_unused(List& list);
  void free_node(List index);
  const LaneValue* row_of(List& list, Tick tick, EntityKind kind, const LaneValue* values);

  std::vector<RowPool> pools_;  ///< By type.
  std::vector<Node> nodes_;     ///< Index 0 is unused, because 0 ends a list.
  List free_ = 0;
};

}  // namespace muster
