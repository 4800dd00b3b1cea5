// Whether bytes are text.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster {

/// The bytes of the UTF-8 character at the beginning of `text`; 0 when they are none: cut short,
/// longer than needed, a surrogate, or beyond the last character. Requires: not empty.
std::size_t utf8_character_bytes(std::string_view text);

/// The offset of the first byte that is no UTF-8; `npos` when all is well. Costs little more than
/// reading the text where it is ASCII.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace muster
