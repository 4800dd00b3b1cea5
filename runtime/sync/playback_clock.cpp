// The share of the error that a frame corrects depends on the frame's length. Therefore the
// correction takes the same time at 15 and at 1,000 frames per second, and never overshoots.
#include "runtime/sync/playback_clock.h"

#include <algorithm>
#include <cmath>

namespace muster {

double PlaybackClock::follow(double target_ms, double now_ms) {
  const double passed = has_begun_ ? std::max(now_ms - last_ms_, 0.0) : 0.0;
  last_ms_ = now_ms;
  const double error = target_ms - (position_ms_ + passed);
  const bool is_beyond = error > limits_.jump_ahead_ms || error < -limits_.jump_back_ms;
  if (!has_begun_ || is_beyond) {
    if (has_begun_) ++reseats_;
    has_begun_ = true;
    position_ms_ = target_ms;
    return position_ms_;
  }
  const double share = 1 - std::exp(-passed / limits_.settle_ms);
  const double correction =
      std::clamp(error * share, passed * (limits_.speed_min - 1), passed * (limits_.speed_max - 1));
  position_ms_ += passed + correction;
  return position_ms_;
}

}  // namespace muster
