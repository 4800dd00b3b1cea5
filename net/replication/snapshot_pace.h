// Limits the snapshots in flight to a client.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/snapshot/snapshot_track.h"
#include "net/transport/path_time.h"

namespace muster {

/// The maximum number of datagrams per tick. The codec's window of snapshots therefore covers at
/// least its size divided by this number, in ticks.
inline constexpr std::size_t kPartsPerTickMax = 4;
/// The maximum number of snapshots in a round trip. When a snapshot is acknowledged, it must still
/// be in the codec's window, together with some earlier ones for prediction. Otherwise every
/// snapshot would contain the whole state.
inline constexpr double kPartsInFlightMax = 40;
static_assert(kPartsInFlightMax + 8 < kSnapshotWindow);

/// Limits the snapshots sent in a round trip, and in the time of the slowest recent one, so that
/// they stay in the codec's window. Otherwise the references of a snapshot would be forgotten
/// before it arrives. Saves up at most one tick's datagrams.
class SnapshotPace {
 public:
  explicit SnapshotPace(double ticks_per_second) : ticks_per_second_(ticks_per_second) {}

  /// A snapshot arrived too late to be read, this many ticks after it was sent.
  void was_late(double ticks);
  /// The number of snapshots that may be sent, `ticks` after the last call.
  std::size_t allowed(const RoundTrip& path, std::uint32_t ticks);
  /// Call this for each snapshot that was sent.
  void sent() { saved_ -= 1; }

 private:
  double ticks_per_second_;
  double saved_ = kPartsPerTickMax;
  double slowest_ticks_ = 0;  ///< Fades.
};

}  // namespace muster
