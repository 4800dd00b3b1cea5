// Stores the list of entities of each snapshot in flight to a client, so that delivery reports can
// be applied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "net/replication/timed_events.h"
#include "net/snapshot/codec_type.h"
#include "net/snapshot/entity_track.h"
#include "registry/base/tick.h"

namespace muster {

/// An entity, or a slice of one, that a snapshot in flight lists.
struct ListedSlice {
  EventSubject entity;
  CodecType codec_type{};
  /// True if the slice is certainly in this part. Otherwise the slice may be in another part.
  bool is_certain = false;
  Tick row_since{};
};

/// A snapshot, or one part of the snapshot of a tick.
struct SnapshotInFlight {
  SnapshotNumber number = 0;
  bool is_known = false;  ///< True if the snapshot was added and not cleared since.
  bool is_used = false;   ///< True if its delivery is not reported yet.
  bool has_arrived = false;
  /// True if the lists of this part and of all earlier parts of the tick were applied.
  bool is_settled = false;
  std::uint32_t part = 0;  ///< The index of the part within its tick.
  Tick tick{};
  std::vector<ListedSlice> listed;
};

/// The last `kSnapshotWindow` snapshots to one client. Only one thread at a time may use this
/// object. It allocates nothing in steady state. References are valid until the next `add`.
class SnapshotsInFlight {
 public:
  /// Adds a sent snapshot. The caller appends the listed entities to the result. Removes the
  /// snapshot that was sent `kSnapshotWindow` snapshots earlier.
  SnapshotInFlight& add(SnapshotNumber number, std::uint32_t part, Tick tick);
  /// Returns the snapshot with this number, or null if its delivery was reported before or the
  /// snapshot was removed.
  const SnapshotInFlight* find(SnapshotNumber number) const;
  /// Records that the snapshot was delivered, and returns the snapshot. Returns null if its
  /// delivery was reported before, or if the snapshot was removed.
  const SnapshotInFlight* deliver(SnapshotNumber number);
  /// When the first parts of a tick have arrived without a gap, all slices that these parts list
  /// have arrived. Calls `visit(SnapshotInFlight, ListedSlice)` once for each of these slices.
  /// Requires: `last` has arrived.
  template <typename Visit>
  void settle(const SnapshotInFlight& last, const Visit& visit);
  /// Records that the client could not read this snapshot. Calls `visit(ListedSlice)` for each
  /// slice that the client may lack as a result. Does nothing if the snapshot was removed.
  template <typename Visit>
  void disown(SnapshotNumber number, const Visit& visit);
  /// Returns the tick of a snapshot, or nothing if the snapshot was removed.
  std::optional<Tick> tick_of(SnapshotNumber number) const;
  /// Returns the age in ticks of the oldest stored snapshot that was not disowned, but at least
  /// `ticks_min`.
  double oldest_ticks(Tick now, double ticks_min) const;
  /// True when a snapshot that lists this entity may still arrive.
  bool lists(const EventSubject& entity) const;
  /// Removes all snapshots.
  void clear();
  /// The memory of the lists, in bytes.
  std::size_t memory_bytes() const;

 private:
  SnapshotInFlight& slot(SnapshotNumber number) { return slots_[window_index(number)]; }
  const SnapshotInFlight& slot(SnapshotNumber number) const { return slots_[window_index(number)]; }

  std::array<SnapshotInFlight, kSnapshotWindow> slots_;
};

template <typename Visit>
void SnapshotsInFlight::settle(const SnapshotInFlight& last, const Visit& visit) {
  const Tick tick = last.tick;
  auto number = static_cast<SnapshotNumber>(last.number - last.part);
  for (std::uint32_t part = 0;; ++part, ++number) {
    SnapshotInFlight& arrived = slot(number);
    if (arrived.number != number || arrived.part != part || arrived.tick != tick ||
        !arrived.has_arrived) {
      return;
    }
    if (std::exchange(arrived.is_settled, true)) continue;
    for (const ListedSlice& listed : arrived.listed) visit(arrived, listed);
  }
}

template <typename Visit>
void SnapshotsInFlight::disown(SnapshotNumber number, const Visit& visit) {
  SnapshotInFlight& flight = slot(number);
  if (!flight.is_known || flight.number != number) return;
  flight.is_used = flight.has_arrived = false;
  for (const SnapshotInFlight& part : slots_) {
    if (!part.is_known || part.tick != flight.tick) continue;
    for (const ListedSlice& listed : part.listed) {
      // A slice that is certainly in another part was not in this part.
      if (part.number == number || !listed.is_certain) visit(listed);
    }
  }
}

}  // namespace muster
