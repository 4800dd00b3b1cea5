// Text as the formats for machines take it.
#pragma once

#include <string>
#include <string_view>

#include "registry/base/asset_path.h"

namespace muster {

/// File names may hold any bytes; JSON and XML hold UTF-8 only. What is none becomes U+FFFD.
std::string valid_utf8(std::string_view text);

/// A path of the project as one of its repository: `prefix` is the project's folder in there.
std::string prefixed(std::string_view prefix, const AssetPath& path);

}  // namespace muster
