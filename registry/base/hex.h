// Bytes as lower-case hexadecimal text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "registry/base/bytes.h"

namespace muster {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

/// Converts each byte to two lower-case hex digits.
std::string hex_text(Bytes bytes);

/// Parses two hex digits per byte into `bytes`. Returns false if the text has another length or
/// other characters. Then the content of `bytes` is unspecified.
bool parse_hex(std::string_view text, std::span<std::byte> bytes);

}  // namespace muster
