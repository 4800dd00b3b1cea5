// Types for points in time, and the interface of clocks. Logic receives the time as a parameter, so
// that logic cannot read a clock by accident.
#pragma once

#include <chrono>
#include <cstdint>

namespace muster {

/// A clock type without `now()`. It is used only to define the type `Time`.
struct Timeline {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<Timeline>;
};

/// A point in time, measured from an arbitrary start.
using Time = Timeline::time_point;
using Duration = Timeline::duration;

inline Duration duration_of(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// A source of monotonic time. Clocks are constructed only in `main` and in tests.
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

/// A clock that advances only when the caller sets it.
class ManualClock final : public Clock {
 public:
  Time now() const override { return now_; }
  void advance(Duration by) { now_ += by; }

 private:
  Time now_{};
};

}  // namespace muster
