// Measures how often a game makes a call, because a loop needs a budget for its whole interval: 200
// ms for a 5 Hz loop, 4 ms for a 250 Hz loop.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "registry/base/clock.h"

namespace muster {

/// The longest interval of a loop that can use the whole rate. A slower loop saves up budget only
/// for this time.
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

  /// Ignores the time until the next call.
  void pause() { has_call_ = false; }

  /// The second longest of the last intervals: a single delayed call does not count. Zero until
  /// enough calls are known.
  Duration longest() const {
    Duration longest{};
    Duration second{};
    for (const Duration interval : intervals_) {
      second = std::max(second, std::min(interval, longest));
      longest = std::max(longest, interval);
    }
    return second;
  }
  /// The median of the last intervals.
  Duration typical() const {
    std::array<Duration, kIntervals> sorted = intervals_;
    std::ranges::nth_element(sorted, sorted.begin() + kIntervals / 2);
    return sorted[kIntervals / 2];
  }
  /// The earliest expected time of the next call. It is in the past until the rhythm is known.
  Time next_call() const { return last_ + *std::ranges::min_element(intervals_); }

 private:
  static constexpr std::size_t kIntervals = 8;

  std::array<Duration, kIntervals> intervals_{};
  std::size_t next_ = 0;
  bool has_call_ = false;
  Time last_{};
};

}  // namespace muster
