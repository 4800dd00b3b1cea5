// Parses a text that lists the properties of a simulated link over time.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "net/transport/simulated_network.h"

namespace muster {

/// Parses lines of `seconds,latency_ms,loss,kbit_per_s`. The values of a line apply from its time
/// on. Empty lines and lines that start with `#` are ignored. The last line only gives the time at
/// which the course repeats. At 0 kbit/s the link loses every datagram. Returns nothing if a line
/// does not have exactly four numbers, if the loss is not between 0 and 1, or if the times do not
/// start at 0 and rise.
std::optional<std::vector<LinkMoment>> read_link_course(std::string_view text);

}  // namespace muster
