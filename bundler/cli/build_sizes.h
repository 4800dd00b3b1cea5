// Measures the sizes of a build, for `budgets` in `muster.yaml`.
#pragma once

#include <string>
#include <vector>

#include "registry/base/result.h"
#include "registry/rules/budget_check.h"

namespace muster::cli {

/// Reads the catalogs of a build's output. If `with_kinds` is true, also reads the tables of the
/// bundles. A kind is the extension of an asset's file; the tables of a bundle have no kind. Fails
/// with `not_found` if the folder is not an output. If a file cannot be read, fails with the code
/// of that failure.
Result<std::vector<TargetSizes>> sizes_of_build(const std::string& out, bool with_kinds);

/// True if a project has budgets for kinds. These budgets require `with_kinds`.
bool wants_kinds(const ProjectConfig& config);

}  // namespace muster::cli
