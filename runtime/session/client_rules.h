// The rules by which a client keeps time and repeats commands.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "runtime/sync/command_clock.h"
#include "runtime/sync/jitter_buffer.h"

namespace muster {

/// Games use the default values. Other values are for measurements.
struct ClientRules {
  JitterPolicy jitter = JitterPolicy::quantile;
  std::uint32_t commands_per_packet = 0;  ///< 0 lets it depend on the measured loss.
  bool replays_all = false;               ///< Replays after each state, even if it is as predicted.
  /// Makes the clock of predicted time. Null for a `ClockServo`.
  std::function<std::unique_ptr<CommandClock>(std::uint32_t ticks_per_second)> clock{};
};

}  // namespace muster
