// Time as the net counts it: given by the caller, never read from a clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace muster {

/// A clock type without `now()`: it only names the time line of `NetTime`. The net includes nothing
/// of ours, so it has its own; a game converts with `NetTime(now.time_since_epoch())`.
struct NetTimeline {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<NetTimeline>;
};

/// A point in time since an arbitrary start that lies before every call; monotonic.
using NetTime = NetTimeline::time_point;
using NetDuration = NetTimeline::duration;

inline NetDuration duration_of(double seconds) {
  return std::chrono::duration_cast<NetDuration>(std::chrono::duration<double>(seconds));
}

}  // namespace muster
