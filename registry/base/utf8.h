// Validates UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster {

/// The length in bytes of the UTF-8 character at the beginning of `text`; 0 if the character is
/// invalid: truncated, overlong, a surrogate, or above U+10FFFF. Requires: `text` is not empty.
std::size_t utf8_character_bytes(std::string_view text);

/// The offset of the first invalid byte; `npos` if the text is valid. The function is fast for
/// ASCII text.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace muster
