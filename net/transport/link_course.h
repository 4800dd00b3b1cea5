// Parses a text that lists the properties of a simulated link over time.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "net/transport/simulated_network.h"

namespace muster {

/// Parses lines of `seconds,latency_ms,loss,kbit_per_s`. The values of a line apply from its time
/// on. Empty lines and lines that start with `#` are ignored. The last line only gives the time at
/// which the course repeats. At 0 kbit/s the link loses every datagram. Returns nothing in these
/// cases: a line does not have exactly four numbers; a loss is not between 0 and 1; the first time
/// is not 0; a time is not later than the time before it; there are fewer than two lines.
std::optional<std::vector<LinkMoment>> read_link_course(std::string_view text);

}  // namespace muster
