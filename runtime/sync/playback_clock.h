// A clock that follows a target at limited speed.
#pragma once

#include <cstdint>

namespace muster {

/// How fast a playback clock may run, and when it jumps instead.
struct PlaybackLimits {
  double speed_min = 0.85;     ///< Seconds played per second. In (0, 1].
  double speed_max = 1.1;      ///< At least 1.
  double jump_ahead_ms = 150;  ///< Further behind its target it is re-seated.
  double jump_back_ms = 500;   ///< Further ahead of its target it is re-seated.
  double settle_ms = 30;       ///< Time in which an error within the limits falls to 1/e. Above 0.
};

/// Follows a target that moves with time. Between re-seats its speed is within the limits, so that
/// it never decreases. All values are milliseconds on any one time line. A function of its calls.
class PlaybackClock {
 public:
  explicit PlaybackClock(const PlaybackLimits& limits = {}) : limits_(limits) {}

  /// The time to play at `now_ms`, if `target_ms` is the wanted one. The first call is seated on
  /// the target. Times should not decrease; an earlier one counts as no time passed.
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
