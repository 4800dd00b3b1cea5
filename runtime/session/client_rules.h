// The rules for a client's clocks and for its repeated commands.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "runtime/sync/command_clock.h"
#include "runtime/sync/jitter_buffer.h"

namespace muster {

/// The rules for a client's clocks and for its repeated commands. Games use the default values.
/// Other values are for measurements.
struct ClientRules {
  JitterPolicy jitter = JitterPolicy::quantile;
  std::uint32_t commands_per_packet = 0;  ///< If 0, the number depends on the measured packet loss.
  /// If true, the client replays after each state, even if the state equals the prediction.
  bool replays_all = false;
  /// Makes the clock of predicted time. If null, the clock is a `ClockServo`.
  std::function<std::unique_ptr<CommandClock>(std::uint32_t ticks_per_second)> clock{};
};

}  // namespace muster
