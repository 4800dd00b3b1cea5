// Plays recorded delays as the way of commands to a server, and measures rules for the lead.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/delay_file.h"
#include "tests/bench/lead_rules.h"

namespace muster {

struct LeadOptions {
  double frames_per_second = 120;
  double skip_ms = 5000;  ///< From the first packet on, these are played but not measured.
};

/// A tick of the server, for plots.
struct LedTick {
  double due_ms = 0;
  double lead_ms = 0;   ///< From the sending of its command until the tick began.
  double early_ms = 0;  ///< From the arrival of its command until the tick began.
};

struct LeadResult {
  double early_p50_ms = 0;
  double early_p99_ms = 0;
  double starved_per_10000 = 0;  ///< Ticks for which no command had come.
  unsigned long reseats = 0;
  std::vector<LedTick> ticks;
};

/// Server and simulation at 60 Hz; the file is the way up, the way back takes the file's median.
/// A packet per tick with its command and the two before. Delays between two rows of the file are
/// interpolated; a packet is lost when the row before it is.
LeadResult play_lead(const DelayFile& file, const std::string& rule, const LeadOptions& options);

}  // namespace muster
