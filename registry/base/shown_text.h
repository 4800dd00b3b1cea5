// Makes text from outside safe for a terminal, a log or an export.
#pragma once

#include <string>
#include <string_view>

#include "registry/base/bytes.h"

namespace muster {

/// The text on one line, with control characters escaped: `\n`, `\t`, others as `\x1b`. Bytes of
/// invalid UTF-8 are escaped too, because file names and file contents can have any bytes.
std::string shown_text(std::string_view text);

/// The character, or a question mark when it is not printable ASCII.
constexpr char printable(char character) {
  return character >= ' ' && character <= '~' ? character : '?';
}
/// The bytes as text, with a question mark for each one that is not printable ASCII.
std::string printable(Bytes bytes);

}  // namespace muster
