// Measures how often a game makes a call: a 5 Hz loop needs a budget for 200 ms, a 250 Hz loop for
// 4 ms.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "net/wire/net_time.h"

namespace muster {

/// The slowest loop that can use the whole rate. A slower one saves up this much time.
inline constexpr NetDuration kLoopIntervalMax = std::chrono::milliseconds(250);

/// The intervals of the last calls. Calls within a millisecond count as one.
class CallRhythm {
 public:
  void note(NetTime now) {
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

  /// The second longest of the last intervals, so that a single hitch does not count. Zero until it
  /// is known.
  NetDuration longest() const {
    NetDuration longest{};
    NetDuration second{};
    for (const NetDuration interval : intervals_) {
      second = std::max(second, std::min(interval, longest));
      longest = std::max(longest, interval);
    }
    return second;
  }
  /// The median of the last intervals.
  NetDuration typical() const {
    std::array<NetDuration, kIntervals> sorted = intervals_;
    std::ranges::nth_element(sorted, sorted.begin() + kIntervals / 2);
    return sorted[kIntervals / 2];
  }
  /// The earliest time of the next call; in the past until the rhythm is known.
  NetTime next_call() const { return last_ + *std::ranges::min_element(intervals_); }

 private:
  static constexpr std::size_t kIntervals = 8;

  std::array<NetDuration, kIntervals> intervals_{};
  std::size_t next_ = 0;
  bool has_call_ = false;
  NetTime last_{};
};

}  // namespace muster
