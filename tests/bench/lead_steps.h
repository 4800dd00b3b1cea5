// Measures how rules for the lead follow a sudden change of the delay.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tests/bench/delay_file.h"

namespace muster {

/// A path to the server whose delay changes once, after `kStepAtMs`.
struct DelayStep {
  std::string_view name;
  double before_ms = 0;
  double after_ms = 0;
  double length_ms = 0;  ///< The time until the delay is `before_ms` again; 0 for never.
};
/// The steps of the delay: a higher delay, a lower delay, and a spike.
std::span<const DelayStep> delay_steps();
inline constexpr double kStepAtMs = 15'000;
inline constexpr double kStepFramesPerSecond = 120;

/// How a rule follows a step.
struct StepResult {
  /// The number of times that the lead changes its direction after the step, by more than a frame
  /// each time. One change after a spike is necessary: the lead rises and decreases again.
  double turns = 0;
  /// The maximum distance of the lead beyond its final value, in the direction of the step. For a
  /// spike, this is the whole rise of the lead.
  double overshoot_ms = 0;
  /// The time from the step to the last moment at which the lead is more than a tick away from its
  /// final value.
  double settle_ms = 0;
  double starved = 0;  ///< Ticks without a command in time, from the step on.
};

/// Plays 20 s of the path after the step. Server and simulation run at 60 Hz. The delay of the path
/// back is 40 ms.
StepResult play_step(const DelayStep& step, const std::string& rule);

}  // namespace muster
