// Prepares text for machine-readable formats.
#pragma once

#include <string>
#include <string_view>

#include "registry/base/asset_path.h"

namespace muster {

/// Replaces each invalid byte of UTF-8 by U+FFFD. File names may have any bytes, but JSON and XML
/// require UTF-8.
std::string valid_utf8(std::string_view text);

/// Converts a path in the project to a path in the repository. `prefix` is the project's folder in
/// the repository.
std::string prefixed(std::string_view prefix, const AssetPath& path);

}  // namespace muster
