// The guids of assets in public packages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/base/guid.h"

namespace muster {

/// An asset of a package that is not in the project.
struct PackageAsset {
  std::string name;       ///< A script's class, or the name of another file.
  std::string package;    ///< `com.unity.timeline`.
  bool is_script = true;  ///< Code needs no bundle. Other assets would have no content in a game.
};

/// The entry of a guid in the table of common public packages (`tables/package_guids.txt`). The
/// table is loaded on the first call. Safe to use from several threads.
std::optional<PackageAsset> find_package_asset(const Guid& guid);

}  // namespace muster
