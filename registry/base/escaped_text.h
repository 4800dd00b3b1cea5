// Escapes untrusted text for a terminal, a log or an export.
#pragma once

#include <string>
#include <string_view>

#include "registry/base/bytes.h"

namespace muster {

/// The text in one line, with escaped control characters: `\n`, `\t`, and hexadecimal for all
/// others, such as `\x1b`. Also escapes bytes of invalid UTF-8.
std::string escaped_text(std::string_view text);

/// The character, or a question mark if the character is not printable ASCII.
constexpr char printable(char character) {
  return character >= ' ' && character <= '~' ? character : '?';
}
/// The bytes as text, with a question mark for each byte that is not printable ASCII.
std::string printable(Bytes bytes);

}  // namespace muster
