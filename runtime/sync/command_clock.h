// The interface of clocks for a client's predicted ticks.
#pragma once

#include <cstdint>

#include "registry/base/clock.h"
#include "registry/base/tick.h"
#include "runtime/sync/command_number.h"

namespace muster {

/// The server's report about the arrival of a command. If several commands arrived, the report
/// describes the command with the lowest `early`.
struct CommandArrival {
  Tick tick;         ///< The tick that the command is for.
  Duration early{};  ///< The time from the first arrival to the tick; negative if late.
};

/// A client's information about its server when a state arrives.
struct ServerTime {
  Tick tick;                       ///< The tick of the newest state.
  Duration round_trip{};           ///< The smoothed round trip time.
  CommandNumber newest_command{};  ///< The newest command that has arrived, or 0.
};

/// A clock of predicted time. Each tick has one command, whose number is the tick.
/// Games use `ClockServo`; other clocks exist for comparison.
///
/// In each frame, call `note` for each report and `note_server` for each state, and then `due`.
/// Times must not decrease. The state depends only on the calls and their arguments. Only one
/// thread at a time may use this object.
class CommandClock {
 public:
  virtual ~CommandClock() = default;

  /// Sets the clock to an estimate of the server's time. Call this function once per connection,
  /// before `due`.
  virtual void begin(const ServerTime& server, Time now) = 0;
  /// Call this function when a state has arrived.
  virtual void note_server(const ServerTime& server, Time now) = 0;
  virtual void note(const CommandArrival& arrival, Time now) = 0;
  /// Returns the number of ticks to run in the frame at `now`; 0 before `begin`. The call advances
  /// `tick()`. The last tick to run is the new `tick()`.
  virtual std::uint32_t due(Time now) = 0;
  /// The last tick that was due.
  virtual Tick tick() const = 0;
  /// The fraction of a tick that has passed since the last due tick; below 1.
  virtual float fraction() const = 0;
  /// The number of jumps, which happen when the clock's error is above its limits.
  virtual std::uint64_t reseats() const = 0;
};

}  // namespace muster
