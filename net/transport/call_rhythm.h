// Measures how often a game makes a call. The send budget of a call must last until the next call.
// The time until the next call is 200 ms in a loop of 5 Hz, and 4 ms in a loop of 250 Hz.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "registry/base/clock.h"

namespace muster {

/// Longer intervals count as this interval. So a loop slower than 4 Hz cannot use the whole rate.
inline constexpr Duration kLoopIntervalMax = std::chrono::milliseconds(250);

/// The intervals of the last calls. Calls within a millisecond count as one.
class CallRhythm {
 public:
  void note(Time now) {
    if (has_call_ && now - last_ < std::chrono::milliseconds(1)) return;
    if (has_call_) {
      intervals_[next_] = std::min(now - last_, kLoopIntervalMax);
      next_ = (next_ + 1) % intervals_.size();
    }
    has_call_ = true;
    last_ = now;
  }

  /// Makes the next call start a new interval. The time until that call then does not count.
  void pause() { has_call_ = false; }

  /// The second longest of the last 8 intervals, so that a single delayed call has no effect. Zero
  /// before two intervals are measured.
  Duration longest() const {
    Duration longest{};
    Duration second{};
    for (const Duration interval : intervals_) {
      second = std::max(second, std::min(interval, longest));
      longest = std::max(longest, interval);
    }
    return second;
  }
  /// The median of the last 8 intervals.
  Duration typical() const {
    std::array<Duration, kIntervals> sorted = intervals_;
    std::ranges::nth_element(sorted, sorted.begin() + kIntervals / 2);
    return sorted[kIntervals / 2];
  }
  /// The earliest expected time of the next call. Before 8 intervals are measured, the result is
  /// the time of the last call.
  Time next_call() const { return last_ + *std::ranges::min_element(intervals_); }

 private:
  static constexpr std::size_t kIntervals = 8;

  std::array<Duration, kIntervals> intervals_{};
  std::size_t next_ = 0;
  bool has_call_ = false;
  Time last_{};
};

}  // namespace muster
