// Texts of others on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// The text on one line, with everything that would command a terminal spelled out: `\n`, `\t`, and
/// other control characters as `\x1b`, bytes that are no UTF-8 likewise. Names of files and what
/// stands in them may hold any bytes.
std::string shown_text(std::string_view text);

}  // namespace muster
