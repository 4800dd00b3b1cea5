// What a path was like over time, from a text: for links of a simulated network.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "net/transport/simulated_network.h"

namespace muster {

/// Reads lines of `seconds,latency_ms,loss,kbit_per_s`: from that moment on the link is like that.
/// Empty lines and those that begin with `#` say nothing. Nothing is returned when a line has other
/// than four numbers, a share is not between 0 and 1, or moments do not begin at 0 and rise. With 0
/// kbit/s nothing passes. The last line says when the course begins again.
std::optional<std::vector<LinkMoment>> read_link_course(std::string_view text);

}  // namespace muster
