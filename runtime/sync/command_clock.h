// The interface of clocks for a client's own ticks.
#pragma once

#include <cstdint>

#include "registry/base/clock.h"
#include "registry/base/tick.h"

namespace muster {

/// The server's report about a command. A report about several commands is about the one with the
/// lowest `early`.
struct CommandArrival {
  Tick tick;         ///< The tick that the command is for.
  Duration early{};  ///< From the first arrival until the tick began; negative if late.
};

/// A client's information about its server when a state arrives.
struct ServerTime {
  Tick tick;                         ///< The tick of the newest state.
  Duration round_trip{};             ///< Smoothed.
  std::uint32_t newest_command = 0;  ///< The newest command that has arrived; 0 for none.
};

/// The clock of predicted time. Each of its ticks has one command, stamped with the tick's number.
/// Games use `ClockServo`; other clocks exist for comparison.
///
/// Per frame: `note` for each report and `note_server` for a state, then `due`. A function of the
/// arguments of its calls; one thread at a time. Times must not decrease.
class CommandClock {
 public:
  virtual ~CommandClock() = default;

  /// Sets the clock to an estimate. To be called once per connection, before `due`.
  virtual void begin(const ServerTime& server, Time now) = 0;
  /// A state has arrived.
  virtual void note_server(const ServerTime& server, Time now) = 0;
  virtual void note(const CommandArrival& arrival, Time now) = 0;
  /// How many ticks to run in the frame at `now`; 0 before `begin`. The call advances `tick()`. The
  /// ticks to run are the last ones up to the new `tick()`.
  virtual std::uint32_t due(Time now) = 0;
  /// The last tick that was due.
  virtual Tick tick() const = 0;
  /// The fraction of a tick that has passed since the last tick that was due; below 1.
  virtual float fraction() const = 0;
  /// How often the clock jumped because its error was beyond its limits.
  virtual std::uint64_t reseats() const = 0;
};

}  // namespace muster
