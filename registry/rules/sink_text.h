// Text as the formats for machines take it.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// File names may hold any bytes; JSON and XML hold UTF-8 only. What is none becomes U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace muster
