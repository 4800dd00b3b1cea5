// Limits the snapshots in flight to a client.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/snapshot/entity_track.h"
#include "net/transport/path_time.h"

namespace muster {

/// The maximum number of datagrams per tick. With this limit, the codec's window covers at least
/// `kSnapshotWindow / kPartsPerTickMax` ticks.
inline constexpr std::size_t kPartsPerTickMax = 4;
/// The maximum number of snapshots in a round trip. When a snapshot is acknowledged, the snapshot
/// must still be in the codec's window, together with some earlier snapshots for prediction.
/// Otherwise every snapshot would contain the whole state.
inline constexpr double kPartsInFlightMax = 40;
static_assert(kPartsInFlightMax + 8 < kSnapshotWindow);

/// Limits the number of snapshots in a round trip, and in the delivery time of the slowest recent
/// snapshot. So every snapshot in flight stays in the codec's window. Otherwise the references of a
/// snapshot could be forgotten before the snapshot arrives. Unused snapshots are saved, but at most
/// the datagrams of one tick.
class SnapshotPace {
 public:
  explicit SnapshotPace(double ticks_per_second) : ticks_per_second_(ticks_per_second) {}

  /// Call this function when a snapshot arrived too late to be read. `ticks` is the time from the
  /// sending of the snapshot to its arrival.
  void was_late(double ticks);
  /// Returns the number of snapshots that may be sent now. `ticks` is the time since the last call.
  std::size_t allowed(const RoundTrip& path, std::uint32_t ticks);
  /// Call this function for each snapshot that was sent.
  void sent() { saved_ -= 1; }

 private:
  double ticks_per_second_;
  double saved_ = kPartsPerTickMax;
  /// The delivery time of the slowest recent snapshot. This time falls slowly.
  double slowest_ticks_ = 0;
};

}  // namespace muster
