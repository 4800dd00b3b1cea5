// An asset of a project as a person names it.
#pragma once

#include <string>

#include "registry/model/registry_model.h"

namespace muster::cli {

/// A guid, a path from the project's root, or one that the shell completed: from the present
/// folder, or absolute. `project_path` is where the project was opened. Fails with `not_found`,
/// telling what was looked for.
Result<AssetNumber> find_named_asset(const Project& project, const std::string& project_path,
                                     const std::string& name);

}  // namespace muster::cli
