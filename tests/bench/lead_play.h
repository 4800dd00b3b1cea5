// Uses recorded delays as the path of commands to a server, and measures rules for the lead.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/delay_file.h"
#include "tests/bench/lead_rules.h"

namespace muster {

struct LeadOptions {
  double frames_per_second = 120;
  double skip_ms = 5000;  ///< The time from the first packet that is played but not measured.
  double back_ms = 0;     ///< The delay of the path back; 0 for the file's median delay.
};

/// A tick of the server, for plots.
struct LedTick {
  double due_ms = 0;
  /// The time from the sending of the tick's command to the start of the tick.
  double lead_ms = 0;
  /// The time from the arrival of the tick's command to the start of the tick.
  double early_ms = 0;
};

struct LeadResult {
  double early_p50_ms = 0;
  double early_p99_ms = 0;
  double starved_per_10000 = 0;  ///< Ticks without a command in time.
  unsigned long reseats = 0;
  std::vector<LedTick> ticks;
};

/// Server and simulation run at 60 Hz. The file is the path to the server; the path back has
/// a constant delay. Each tick sends a packet with its own command and the commands of the two
/// previous ticks. Delays between two rows of the file are interpolated; a packet is lost if the
/// previous row is a lost packet.
LeadResult play_lead(const DelayFile& file, const std::string& rule, const LeadOptions& options);

}  // namespace muster
