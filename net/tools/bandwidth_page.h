// Where a recording's bits went, for machines and for browsers.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "net/replication/bandwidth.h"

namespace muster {

nlohmann::ordered_json json_of(const Bandwidth& bandwidth);

/// One page that needs nothing else: a table with bars that sorts and filters, in light and dark.
/// `title` is shown above it. All text is escaped: names come from a file.
std::string page_of(const Bandwidth& bandwidth, const std::string& title);

}  // namespace muster
