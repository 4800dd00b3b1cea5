// A clock that follows a target at limited speed.
#pragma once

#include <cstdint>

namespace muster {

/// How fast a playback clock may run, and when it jumps instead.
struct PlaybackLimits {
  double speed_min = 0.85;     ///< Seconds played per second. In (0, 1].
  double speed_max = 1.1;      ///< At least 1.
  double jump_ahead_ms = 150;  ///< If it is further behind its target, it jumps.
  double jump_back_ms = 500;   ///< If it is further ahead of its target, it jumps.
  double settle_ms = 30;       ///< Time in which an error within the limits falls to 1/e. Above 0.
};

/// Follows a target that moves with time. Between jumps ("reseats") its speed is within the limits,
/// so its position never decreases. All values are milliseconds from one origin. The state is a
/// function of the calls.
class PlaybackClock {
 public:
  explicit PlaybackClock(const PlaybackLimits& limits = {}) : limits_(limits) {}

  /// The time to play at `now_ms`, if `target_ms` is wanted. The first call returns the target. If
  /// `now_ms` is earlier than in the last call, it counts as unchanged.
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
