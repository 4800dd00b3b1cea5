// Makes a web page that shows the bandwidth of a recording.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "net/replication/bandwidth.h"

namespace muster {

nlohmann::ordered_json json_of(const Bandwidth& bandwidth);

/// Returns a page without external files: a table that the reader can sort and filter. `title` is
/// shown above the table. All text is escaped, because names come from an untrusted file.
std::string page_of(const Bandwidth& bandwidth, const std::string& title);

}  // namespace muster
