// Finds names that some operating systems do not allow.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// The reason why a checkout on Windows or macOS cannot have a file or folder with this name:
/// reserved names of Windows (`aux.png`, a colon, a dot at the end) and invalid UTF-8. Empty if the
/// name is allowed everywhere.
std::string unportable_reason(std::string_view name);

}  // namespace muster
