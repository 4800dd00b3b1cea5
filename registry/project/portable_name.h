// Finds names that some operating systems do not allow.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// The reason why Windows or macOS cannot store a file or folder with this name; empty if both can
/// store it. Such names are reserved by Windows (such as `aux.png`), contain a character that
/// Windows does not allow (such as a colon, or a dot at the end), or are invalid UTF-8.
std::string unportable_reason(std::string_view name);

}  // namespace muster
