// What a build weighs, for `budgets` in `muster.yaml`.
#pragma once

#include <string>
#include <vector>

#include "registry/base/result.h"
#include "registry/rules/budget_check.h"

namespace muster::cli {

/// Reads the catalogs of a build's output, and (`with_kinds`) the tables of its bundles. Kinds are
/// the extensions of the assets' files; a bundle's own tables count for none. Fails with
/// `not_found` when the folder is no output, and as reading does.
Result<std::vector<TargetSizes>> sizes_of_build(const std::string& out, bool with_kinds);

/// True when a project has budgets for kinds: to know those, every bundle's tables are read.
bool wants_kinds(const ProjectConfig& config);

}  // namespace muster::cli
