// The sizes of a build, for `budgets` in `muster.yaml`.
#pragma once

#include <string>
#include <vector>

#include "registry/base/result.h"
#include "registry/rules/budget_check.h"

namespace muster::cli {

/// Reads the catalogs of a build's output, and (`with_kinds`) the tables of its bundles. Kinds are
/// the extensions of the assets' files; a bundle's own tables have no kind. Fails with `not_found`
/// if the folder is no output, and with reading errors.
Result<std::vector<TargetSizes>> sizes_of_build(const std::string& out, bool with_kinds);

/// True if a project has budgets for kinds, which require every bundle's tables.
bool wants_kinds(const ProjectConfig& config);

}  // namespace muster::cli
