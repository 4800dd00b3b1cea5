// Time as a value, so that logic cannot read a clock by accident.
#pragma once

#include <chrono>
#include <cstdint>

namespace muster {

/// A clock type without `now()`: it only names the time line that `Time` counts on.
struct Timeline {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<Timeline>;
};

/// A point in time since an arbitrary start; monotonic.
using Time = Timeline::time_point;
using Duration = Timeline::duration;
/// Former names of the net's own time.
using NetTime = Time;
using NetDuration = Duration;

inline Duration duration_of(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// Where time comes from. Constructed in `main` and in tests only.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

/// The machine's monotonic clock.
class SteadyClock final : public Clock {
 public:
  Time now() const override;
};

/// A clock that stands still until it is told to move.
class ManualClock final : public Clock {
 public:
  Time now() const override { return now_; }
  void advance(Duration by) { now_ += by; }

 private:
  Time now_{};
};

}  // namespace muster
