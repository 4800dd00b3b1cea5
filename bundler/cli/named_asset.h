// Finds an asset by the name that a user passes.
#pragma once

#include <string>

#include "registry/model/project.h"

namespace muster::cli {

/// Finds an asset by `name`: a guid, a path from the project's root, a path from the current
/// folder, or an absolute path. `project_path` is the path with which the project was opened. Fails
/// with `not_found`; the message has the name.
Result<AssetNumber> find_named_asset(const Project& project, const std::string& project_path,
                                     const std::string& name);

}  // namespace muster::cli
