// Text from outside, made safe for a terminal, a log or an export.
#pragma once

#include <string>
#include <string_view>

#include "registry/base/bytes.h"

namespace muster {

/// The text on one line, with everything that would command a terminal spelled out: `\n`, `\t`, and
/// other control characters as `\x1b`, bytes that are no UTF-8 likewise. Names of files and what
/// stands in them may hold any bytes.
std::string shown_text(std::string_view text);

/// The character, or a question mark when it is not printable ASCII.
constexpr char printable(char character) {
  return character >= ' ' && character <= '~' ? character : '?';
}
/// The bytes as text, with a question mark for each that is not printable ASCII.
std::string printable(Bytes bytes);

}  // namespace muster
