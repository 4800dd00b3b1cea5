// Rules of other systems for the time by which a client runs ahead of the server.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace muster {

/// The first arrival of a command at the server.
struct ReceivedCommand {
  long tick = 0;
  /// The time from the arrival to the start of the tick; negative if it was late.
  double early_ms = 0;
};

/// The report in a server's packet, which is sent at the start of each tick.
struct ServerReport {
  long server_tick = 0;
  long newest_command = 0;  ///< The newest received command; 0 before the first command.
  /// The value that Netcode for Entities uses, smoothed by 1/8 per command.
  double command_age_ticks = 0;
  double round_trip_ms = 0;  ///< The time from sending the newest command to receiving this report.
  std::vector<ReceivedCommand> received;  ///< Commands received since the previous report.
};

/// A clock of predicted time. In each frame, call `receive` for each report that arrived, and then
/// `frame`.
class LeadRule {
 public:
  virtual ~LeadRule() = default;
  virtual void receive(const ServerReport& report, double now_ms) = 0;
  /// Returns the predicted tick with its fraction. Commands are sent for each whole tick that it
  /// reaches.
  virtual double frame(double now_ms) = 0;
  virtual unsigned long reseats() const = 0;
};

/// `muster` and `muster_quick` (`ClockServo` with each `LeadWeight`), `n4e`, `fpssample`, `ddnet`.
const std::vector<std::string>& lead_rules();

/// - `n4e`: the error is command age + 2 ticks - the corrections in flight; the speed is
///   1 + error / 10, from 0.9 to 1.1; jumps if the error exceeds 10 ticks.
/// - `fpssample`: snapshot tick + (its age + mean round trip) + 2; jumps at errors of -3 and
///   +6 ticks; otherwise a speed of 0.99 to 1.01 keeps 2 ticks acknowledged ahead.
/// - `ddnet`: CSmoothTime with a margin of 10 ms; the first two spikes above 50 ms are ignored.
///   Requires: `name` is one of `lead_rules()`. `round_trip_ms` is the round trip time at the start
///   of the connection.
std::unique_ptr<LeadRule> make_lead_rule(const std::string& name, double round_trip_ms);

}  // namespace muster
