// When a client runs which of its own ticks.
#pragma once

#include <cstdint>

#include "registry/base/clock.h"
#include "registry/base/tick.h"

namespace muster {

/// What the server reports about a command. A report for several commands names the one with the
/// lowest of their times.
struct CommandArrival {
  Tick tick;         ///< The tick that the command is for.
  Duration early{};  ///< From its first arrival until the tick began; negative when it was late.
};

/// What a client knows of its server when a state arrives.
struct ServerTime {
  Tick tick;                         ///< The newest state's.
  Duration round_trip{};             ///< Smoothed.
  std::uint32_t newest_command = 0;  ///< The newest one that has arrived; 0 is none.
};

/// The clock of predicted time. Commands are stamped with its ticks, one for each tick number.
/// `ClockServo` is the one that games get; others exist for comparison.
///
/// Per frame: `note` for each report and `note_server` for a state, then `due`. A function of the
/// arguments of its calls; one thread at a time. Times must not decrease.
class CommandClock {
 public:
  virtual ~CommandClock() = default;

  /// Seats the clock by a guess. Once per connection, before `due`.
  virtual void begin(const ServerTime& server, Time now) = 0;
  /// A state has arrived.
  virtual void note_server(const ServerTime& server, Time now) = 0;
  virtual void note(const CommandArrival& arrival, Time now) = 0;
  /// How many ticks to run in the frame at `now`: those after the `tick` before the call, up to the
  /// `tick` after it. 0 before `begin`.
  virtual std::uint32_t due(Time now) = 0;
  /// The last tick that was due.
  virtual Tick tick() const = 0;
  /// The fraction of a tick that has passed since; below 1.
  virtual float fraction() const = 0;
  /// How often it jumped because its error was beyond its limits.
  virtual std::uint64_t reseats() const = 0;
};

}  // namespace muster
