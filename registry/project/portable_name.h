// Which names every operating system can have.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// Why a checkout on Windows or macOS cannot have a file or folder of this name: what Windows
/// reserves (`aux.png`, a colon, a dot at the end) and bytes that are no UTF-8. Empty when all can.
std::string unportable_reason(std::string_view name);

}  // namespace muster
