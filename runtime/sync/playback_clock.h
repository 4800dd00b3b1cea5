// A clock that follows a target at limited speed.
#pragma once

#include <cstdint>

namespace muster {

/// The speed limits of a playback clock, and the limits for jumps.
struct PlaybackLimits {
  double speed_min = 0.85;  ///< The minimum speed as a multiple of real time; above 0, at most 1.
  double speed_max = 1.1;   ///< The maximum speed as a multiple of real time; at least 1.
  double jump_ahead_ms = 150;  ///< The maximum time behind the target without a jump.
  double jump_back_ms = 500;   ///< The maximum time ahead of the target without a jump.
  /// The time in which an error falls to 1/e, if no limit applies. Above 0.
  double settle_ms = 30;
};

/// Follows a target that moves with time. Between jumps ("reseats"), the clock's speed is within
/// the limits, so its position never decreases. All values are milliseconds from one origin. The
/// state depends only on the calls and their arguments.
class PlaybackClock {
 public:
  explicit PlaybackClock(const PlaybackLimits& limits = {}) : limits_(limits) {}

  /// Returns the time to play at `now_ms`, if the target is `target_ms`. The first call returns the
  /// target. If `now_ms` is earlier than in the last call, the last call's time is used.
  double follow(double target_ms, double now_ms);
  /// The result of the last `follow`.
  double position_ms() const { return position_ms_; }
  bool has_begun() const { return has_begun_; }
  std::uint64_t reseats() const { return reseats_; }

 private:
  PlaybackLimits limits_;
  bool has_begun_ = false;
  double position_ms_ = 0;
  double last_ms_ = 0;
  std::uint64_t reseats_ = 0;
};

}  // namespace muster
