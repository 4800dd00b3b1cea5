// Checks the values of described components by cooking them. This check is not in `registry/rules`,
// because `registry/rules` must not include the cooker.
#pragma once

#include <set>
#include <vector>

#include "registry/components/component.h"
#include "registry/rules/finding.h"

namespace muster {

/// Adds a finding `unfit-value` for each value of a described component that the cooker would
/// refuse. Checks the `built` assets and all plain files. If the asset is built, such a value
/// blocks the build. The function is a `FurtherCheck` of `validate`. Cooks on `jobs` threads and
/// discards the results.
void check_values(const Project& project, const std::vector<ComponentDescription>& components,
                  const std::set<AssetNumber>& built, unsigned jobs, Findings& findings);

}  // namespace muster
