// How many snapshots may be on their way to a client.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/snapshot/snapshot_track.h"
#include "net/transport/path_time.h"

namespace muster {

/// Datagrams of one tick: what is known of entities reaches back as many ticks as the codec's
/// window has snapshots, divided by this.
inline constexpr std::size_t kPartsPerTickMax = 4;
/// Snapshots in a round trip. What is acknowledged must still be in the codec's window, and some
/// more with it from which to predict: else every snapshot would say everything, for ever.
inline constexpr double kPartsOnTheWayMax = 40;
static_assert(kPartsOnTheWayMax + 8 < kSnapshotWindow);

/// Lets so many snapshots go out that those of a round trip stay within the window, and those in
/// the time that the slowest of late took: by the time that one comes, what it builds on would be
/// forgotten. More than a tick's datagrams are not saved up.
class SnapshotPace {
 public:
  explicit SnapshotPace(double ticks_per_second) : ticks_per_second_(ticks_per_second) {}

  /// One came too late to be read, so many ticks after it was sent.
  void was_late(double ticks);
  /// How many may go out, `ticks` after this was asked last.
  std::size_t allowed(const RoundTrip& path, std::uint32_t ticks);
  /// One of those has gone out.
  void sent() { saved_ -= 1; }

 private:
  double ticks_per_second_;
  double saved_ = kPartsPerTickMax;
  double slowest_ticks_ = 0;  ///< Fades.
};

}  // namespace muster
