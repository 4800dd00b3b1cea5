// Writes a connection's traffic as one line of text.
#pragma once

#include <string>
#include <string_view>

#include "net/metrics/traffic_windows.h"

namespace muster {

/// Appends a line, for example `NAME: in 12.3 kB/s 60/s loss 0.5 %, out 4.0 kB/s 30/s loss 0.0 %,
/// rtt 34.2 ms`. Bytes of the name that are not printable ASCII are replaced by question marks.
void append_summary(std::string& text, std::string_view name, const TrafficRates& rates);

}  // namespace muster
