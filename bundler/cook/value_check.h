// Checks the values of described components by cooking them. The room `registry/rules` cannot do
// this, because it may not include the cooker.
#pragma once

#include <set>
#include <vector>

#include "registry/components/component.h"
#include "registry/rules/finding.h"

namespace muster {

/// Adds an `unfit-value` for each value of a described component that the cooker would refuse: a
/// `FurtherCheck` of `validate`. Checks the `built` assets, where such a value blocks a build, and
/// all plain files. Cooks on `jobs` threads and discards the results.
void check_values(const Project& project, const std::vector<ComponentDescription>& components,
                  const std::set<AssetNumber>& built, unsigned jobs, Findings& findings);

}  // namespace muster
