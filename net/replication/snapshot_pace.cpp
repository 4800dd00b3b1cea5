#include "net/replication/snapshot_pace.h"

#include <algorithm>
#include <chrono>

namespace muster {

namespace {

/// When a snapshot is late, its age times `kSlowerShare` is stored, at most `kSlowestMax`. The
/// stored time falls by a factor of e in each `kSlowestFade`.
constexpr double kSlowerShare = 1.5;
constexpr Duration kSlowestFade = std::chrono::seconds(10);
constexpr Duration kSlowestMax = std::chrono::seconds(4);

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void SnapshotPace::was_late(double ticks) {
  slowest_ticks_ = std::min(std::max(slowest_ticks_, kSlowerShare * ticks),
                            seconds(kSlowestMax) * ticks_per_second_);
}

std::size_t SnapshotPace::allowed(const RoundTrip& path, std::uint32_t ticks) {
  const Duration round_trip = path.smoothed() + 2 * path.variation() + kAckDelay;
  slowest_ticks_ *= 1 - std::min(ticks / (seconds(kSlowestFade) * ticks_per_second_), 1.0);
  const double trip_ticks = std::max(seconds(round_trip) * ticks_per_second_, slowest_ticks_);
  saved_ = std::min(saved_ + kPartsInFlightMax / trip_ticks * ticks,
                    static_cast<double>(kPartsPerTickMax));
  return static_cast<std::size_t>(std::max(saved_, 0.0));
}

}  // namespace muster
