// Measures how a corrected error disappears with the blend of Muster and of other systems.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace muster {

/// The share of an error that is shown after a correction, as a function of the time in ms.
using BlendShare = std::function<double(double ms)>;

/// A rule for the shown error, by its name in the output.
struct BlendRule {
  std::string_view name;
  BlendShare share;
};

/// - `muster`: `shown_error_share`.
/// - `quake3`: the error decreases linearly to 0 in 100 ms.
/// - `half_200ms`: the error halves every 200 ms, as in lightyear's default settings.
std::span<const BlendRule> blend_rules();

/// The course of an error of 1, shown at a fixed frame rate.
struct BlendCourse {
  double step_max = 0;  ///< The largest change from one frame to the next frame.
  /// The largest change of the acceleration from one frame to the next frame.
  double jerk_max = 0;
  /// The first time at which less than a hundredth of the error is left. Requires: a rule that
  /// reaches this point within 4 s.
  double vanished_ms = 0;
};
BlendCourse blend_course(double frames_per_second, const BlendShare& share);

}  // namespace muster
