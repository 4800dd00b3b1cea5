// The rules by which a client keeps time and repeats commands.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "runtime/sync/command_clock.h"
#include "runtime/sync/jitter_buffer.h"

namespace muster {

/// The default is what games get. Others are for measurements that compare them.
struct ClientRules {
  JitterPolicy jitter = JitterPolicy::quantile;
  std::uint32_t commands_per_packet = 0;  ///< 0: as many as the measured loss asks for.
  bool replays_all = false;               ///< With each state, also when it is as predicted.
  /// Null for a `ClockServo`.
  std::function<std::unique_ptr<CommandClock>(std::uint32_t ticks_per_second)> clock{};
};

}  // namespace muster
