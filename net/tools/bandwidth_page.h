// A web page with a recording's bandwidth.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "net/replication/bandwidth.h"

namespace muster {

nlohmann::ordered_json json_of(const Bandwidth& bandwidth);

/// Returns one self-contained page: a table with bars that can be sorted and filtered, in light and
/// dark. `title` is shown above it. All text is escaped, because names come from a file.
std::string page_of(const Bandwidth& bandwidth, const std::string& title);

}  // namespace muster
