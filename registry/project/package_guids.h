// Finds the assets of public packages by guid.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/base/guid.h"

namespace muster {

/// An asset of a package that is not in the project.
struct PackageAsset {
  std::string name;       ///< A script's class, or the name of another file.
  std::string package;    ///< The name of the package, for example `com.unity.timeline`.
  bool is_script = true;  ///< False for assets with content, which would be missing in bundles.
};

/// Finds a guid in the table of common public packages (`tables/package_guids.txt`). The result is
/// nullopt if the table does not contain the guid. The first call loads the table. Safe to use from
/// several threads.
std::optional<PackageAsset> find_package_asset(const Guid& guid);

}  // namespace muster
