#include "tests/bench/lead_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/bench/lead_play.h"

namespace muster {
namespace {

constexpr double kTickMs = 1000.0 / 60;
constexpr double kWatchedMs = 20'000;
/// The final value is the median of this last part.
constexpr double kFinalMs = 3000;
/// The client sends in whole frames, so the lead varies by a frame. A smaller change is no turn.
constexpr double kTurnMs = 1000 / kStepFramesPerSecond + 1;
constexpr double kBackMs = 40;

DelayFile file_of(const DelayStep& step) {
  DelayFile file{.name = std::string(step.name), .packets = {}};
  const double end = step.length_ms > 0 ? kStepAtMs + step.length_ms : kStepAtMs + kWatchedMs + 1;
  // Delays between two rows are interpolated, so each step needs a row on either side.
  for (double at = 0; at <= kStepAtMs + kWatchedMs; at += 1) {
    const bool is_after = at >= kStepAtMs && at < end;
    file.packets.push_back(
        {.sent_ms = at, .delay_ms = is_after ? step.after_ms : step.before_ms, .is_lost = false});
  }
  return file;
}

/// Counts the changes of direction. A change counts once the lead is `kTurnMs` away from the last
/// extreme value.
double turns_of(std::span<const LedTick> ticks) {
  double turns = 0;
  double extreme = ticks.front().lead_ms;
  int direction = 0;
  for (const LedTick& tick : ticks) {
    const double change = tick.lead_ms - extreme;
    const int sign = change > kTurnMs ? 1 : change < -kTurnMs ? -1 : 0;
    if (direction == 0 ? sign != 0 : sign == -direction) {
      if (direction != 0) ++turns;
      direction = sign;
      extreme = tick.lead_ms;
    } else if (change * direction > 0) {
      extreme = tick.lead_ms;
    }
  }
  return turns;
}

}  // namespace

std::span<const DelayStep> delay_steps() {
  static constexpr std::array<DelayStep, 3> kSteps = {{
      {.name = "delay 40 to 140 ms", .before_ms = 40, .after_ms = 140},
      {.name = "delay 140 to 40 ms", .before_ms = 140, .after_ms = 40},
      {.name = "300 ms more for 200 ms", .before_ms = 40, .after_ms = 340, .length_ms = 200},
  }};
  return kSteps;
}

StepResult play_step(const DelayStep& step, const std::string& rule) {
  const LeadResult played = play_lead(
      file_of(step), rule,
      {.frames_per_second = kStepFramesPerSecond, .skip_ms = kStepAtMs, .back_ms = kBackMs});
  StepResult result;
  result.starved = played.starved_per_10000 * static_cast<double>(kWatchedMs / kTickMs) / 10'000;
  if (played.ticks.empty()) return result;
  std::vector<double> last;
  for (const LedTick& tick : played.ticks) {
    if (tick.due_ms > kStepAtMs + kWatchedMs - kFinalMs) last.push_back(tick.lead_ms);
  }
  const double final_ms = median(std::move(last));
  const double sign = step.after_ms > step.before_ms ? 1 : -1;
  result.turns = turns_of(played.ticks);
  for (const LedTick& tick : played.ticks) {
    const double beyond = (tick.lead_ms - final_ms) * sign;
    result.overshoot_ms = std::max(result.overshoot_ms, beyond);
    if (std::abs(beyond) > kTickMs) result.settle_ms = tick.due_ms - kStepAtMs;
  }
  return result;
}

}  // namespace muster
