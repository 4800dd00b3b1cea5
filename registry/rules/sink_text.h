// Prepares text for machine-readable formats.
#pragma once

#include <string>
#include <string_view>

#include "registry/base/asset_path.h"

namespace muster {

/// File names may have any bytes, but JSON and XML require UTF-8. Invalid bytes become U+FFFD.
std::string valid_utf8(std::string_view text);

/// Converts a path in the project to one in its repository: `prefix` is the project's folder there.
std::string prefixed(std::string_view prefix, const AssetPath& path);

}  // namespace muster
