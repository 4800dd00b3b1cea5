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

/// Parses two hex digits per byte into `bytes`. If the text has another length or other characters,
/// returns false and leaves the content of `bytes` unspecified.
bool parse_hex(std::string_view text, std::span<std::byte> bytes);

}  // namespace muster
