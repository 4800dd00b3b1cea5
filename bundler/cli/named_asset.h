// Finds an asset by the name that a user passes.
#pragma once

#include <string>

#include "registry/model/registry_model.h"

namespace muster::cli {

/// Finds an asset by `name`: a guid, a path from the project's root, or a path that the shell
/// completed (from the current folder, or absolute). `project_path` is the path with which the
/// project was opened. Fails with `not_found`, naming the asset.
Result<AssetNumber> find_named_asset(const Project& project, const std::string& project_path,
                                     const std::string& name);

}  // namespace muster::cli
