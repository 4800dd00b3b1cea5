// A bucket that time fills: how much may happen, whatever the loop that asks looks like.
#pragma once

#include <algorithm>

#include "registry/base/clock.h"

namespace muster {

/// Holds up to `burst`, and gains `per_second`. The caller gives the time; a time that goes back
/// counts as no time.
class TimeBucket {
 public:
  struct Limits {
    double per_second = 0;
    double burst = 0;
  };

  TimeBucket(const Limits& limits, Time now)
      : limits_(limits), left_(limits.burst), filled_at_(now) {}

  /// Adds what the time since the last call brings.
  void fill(Time now) {
    if (now <= filled_at_) return;
    const double passed = std::chrono::duration<double>(now - filled_at_).count();
    left_ = std::min(limits_.burst, left_ + passed * limits_.per_second);
    filled_at_ = now;
  }
  /// Takes one; false when there is less than that.
  bool take(Time now) {
    fill(now);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }
  /// Takes an amount that has already been used. The bucket may owe some afterwards.
  void spend(double amount) { left_ -= amount; }
  double left() const { return left_; }
  /// The next `fill` drops an amount above a smaller burst.
  void set_burst(double burst) { limits_.burst = burst; }

 private:
  Limits limits_;
  double left_;
  Time filled_at_;
};

}  // namespace muster
