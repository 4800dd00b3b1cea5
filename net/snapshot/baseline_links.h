// Stores the baseline of each state that was coded against a single known state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/snapshot/entity_track.h"
#include "net/snapshot/row_pool.h"
#include "net/snapshot/snapshot_model.h"
#include "registry/base/tick.h"

namespace muster {

/// This many known states are enough to predict motion. An entity with fewer known states also uses
/// earlier states, unless its known states are all equal. Links lead to these earlier states. Each
/// state that is coded for such an entity gets a link.
inline constexpr std::size_t kLinkedStates = 3;

/// True when an entity has so few known states that links are used.
inline bool is_sparse(const KnownStates& known) {
  return known.count > 0 && known.count < kLinkedStates && !is_constant(known);
}

/// Links from states of rarely sent entities to their baselines. A receiver that has a state also
/// had the state's baseline. So both ends can also predict from the baselines of the states that
/// they know. Owns copies of the baselines' values. See SNAPSHOT_FORMAT.md, "Known states". Not
/// thread-safe; allocates nothing while the number of links does not grow.
class BaselineLinks {
 public:
  explicit BaselineLinks(const SnapshotModel& model);

  /// Records that the state of `tick` was coded against the state of `baseline_tick`, which has the
  /// values `baseline`.
  void add(LinkList& list, EntityKind kind, Tick tick, Tick baseline_tick,
           const LaneValue* baseline);
  /// Adds earlier states to `known` until it has `kLinkedStates` states, or until no link
  /// continues. Requires: `is_sparse(known)`.
  void extend(LinkList list, EntityKind kind, KnownStates& known) const;
  /// Removes the links that no state of these records needs. `is_needed(record, index)` returns
  /// true when the record belongs to the snapshot at that index of the window, and that snapshot
  /// may still be a reference.
  template <typename IsNeeded>
  void drop_unneeded(LinkList& list, const EntityTrack& track, const TrackRecords& records,
                     const SnapshotTicks& ticks, const IsNeeded& is_needed) {
    if (list == 0) return;
    for (LinkList at = list; at != 0; at = nodes_[at].next) nodes_[at].is_needed = false;
    for (std::size_t index = 0; index < kSnapshotWindow; ++index) {
      const TrackRecord& record = records[index];
      if (record.presence == Presence::present && is_needed(record, index)) {
        mark(list, ticks[index] - record.age);
      }
    }
    const SnapshotSerial window_first =
        track.run_last - std::min<SnapshotSerial>(track.run_last, kSnapshotWindow - 1);
    for (SnapshotSerial s = std::max(track.run_first, window_first); s <= track.run_last; ++s) {
      mark(list, ticks[window_index(s)]);
    }
    free_unmarked(list);
  }
  /// Drops all links of an entity.
  void drop(LinkList& list);

  /// The size of a link of an entity with `lanes` lanes, in bytes.
  static std::size_t byte_count(std::size_t lanes) {
    return sizeof(Node) + lanes * sizeof(LaneValue);
  }
  std::size_t used_bytes() const { return used_bytes_; }
  std::size_t memory_bytes() const;

 private:
  struct Node {
    LinkList next = 0;
    Tick tick{};
    Tick baseline_tick{};
    EntityKind kind;
    bool is_needed = false;
    LaneValue* baseline = nullptr;
  };

  LinkList find(LinkList list, Tick tick) const;
  void mark(LinkList list, Tick tick);
  void free_unmarked(LinkList& list);

  std::vector<RowPool> pools_;  ///< By type.
  std::vector<Node> nodes_;     ///< Index 0 is unused, because 0 ends a list.
  LinkList free_ = 0;
  std::size_t used_bytes_ = 0;
};

}  // namespace muster
