// How often a game makes a call: a loop of 5 Hz needs budgets for 200 ms, one of 250 Hz for 4 ms.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "registry/base/clock.h"

namespace muster {

/// The slowest loop that is served without loss of rate. A slower one saves up this much time.
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

  /// The time until the next call is no interval.
  void pause() { has_call_ = false; }

  /// The second longest of the last intervals: a single hitch is no rhythm. Zero until it is known.
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
  /// When the next call comes at the earliest; before the past until the rhythm is known.
  Time next_call() const { return last_ + *std::ranges::min_element(intervals_); }

 private:
  static constexpr std::size_t kIntervals = 8;

  std::array<Duration, kIntervals> intervals_{};
  std::size_t next_ = 0;
  bool has_call_ = false;
  Time last_{};
};

}  // namespace muster
