// The network's time. The caller passes it; no code here reads a clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace muster {

/// A clock type without `now()`: it only names the time line of `NetTime`. `net/` includes no other
/// folder of this project, so it has its own type; a game converts with
/// `NetTime(now.time_since_epoch())`.
struct NetTimeline {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<NetTimeline>;
};

/// A point in time, counted from an arbitrary start before the first call. Never goes backwards.
using NetTime = NetTimeline::time_point;
using NetDuration = NetTimeline::duration;

inline NetDuration duration_of(double seconds) {
  return std::chrono::duration_cast<NetDuration>(std::chrono::duration<double>(seconds));
}

}  // namespace muster
