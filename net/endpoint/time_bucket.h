// A token bucket that is filled by elapsed time.
#pragma once

#include <algorithm>

#include "registry/base/clock.h"

namespace muster {

/// Holds up to `burst` tokens, and gains `per_second` tokens per second. The caller passes the
/// time. If the time goes back, no tokens are added.
class TimeBucket {
 public:
  struct Limits {
    double per_second = 0;
    double burst = 0;
  };

  TimeBucket(const Limits& limits, Time now)
      : limits_(limits), left_(limits.burst), filled_at_(now) {}

  /// Adds the tokens for the time since the last call.
  void fill(Time now) {
    if (now <= filled_at_) return;
    const double passed = std::chrono::duration<double>(now - filled_at_).count();
    left_ = std::min(limits_.burst, left_ + passed * limits_.per_second);
    filled_at_ = now;
  }
  /// Removes one token. Returns false if less than one token is left.
  bool spend_one(Time now) {
    fill(now);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }
  /// Removes tokens for work that was done. The number of tokens may become negative.
  void spend(double amount) { left_ -= amount; }
  double left() const { return left_; }
  /// Sets the burst. The next `fill` drops tokens above the new burst.
  void set_burst(double burst) { limits_.burst = burst; }

 private:
  Limits limits_;
  double left_;
  Time filled_at_;
};

}  // namespace muster
