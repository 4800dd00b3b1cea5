// Rules of other systems for the delay between the newest snapshot and the shown time.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace muster {

/// A playback clock with all times in milliseconds. In each frame, call `receive` for each arrived
/// snapshot that is newer than all previous snapshots, and then `frame`.
class PlaybackRule {
 public:
  virtual ~PlaybackRule() = default;
  virtual void receive(double sent_ms, double now_ms, double arrived_ms) = 0;
  /// Returns the shown time, in the sender's time.
  virtual double frame(double now_ms) = 0;
};

/// The names for `make_playback_rule`: Muster's policies first, then other systems.
const std::vector<std::string>& playback_rules();

/// - `muster`, `muster_quick`, `muster_smooth`: the default policy with each `JitterWeight`;
///   `seed_001` and `fpssample`: the other policies of `runtime/sync/jitter_buffer.h`.
/// - `fixed_2`, `fixed_3`: plays 2 or 3 intervals behind the mean transit time of the last second,
///   at a speed from 0.95 to 1.05; jumps to the target if it is 500 ms away.
/// - `mirror`: Mirror's SnapshotInterpolation with its default settings.
/// - `n4e`: the interpolation tick of Netcode for Entities 1.13 with its default settings.
/// - `lightyear`: plays 1.7 intervals, 4 jitters and 1 tick behind the mean transit time.
/// - `quake3`: CL_AdjustTimeDelta of Quake 3. Requires: `name` is one of `playback_rules()`, and
///   the interval is above 0.
std::unique_ptr<PlaybackRule> make_playback_rule(const std::string& name, double interval_ms);

}  // namespace muster
