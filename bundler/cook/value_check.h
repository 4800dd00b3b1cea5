// What a rule would say of described values, if rules knew how values are cooked.
#pragma once

#include <set>
#include <vector>

#include "registry/components/component.h"
#include "registry/rules/finding.h"

namespace muster {

/// Adds an `unfit-value` for each value of a described component that the cooker would refuse: a
/// `FurtherCheck` of `validate`. Looks at what is `built`, where it blocks a build, and at all
/// plain files. Cooks on `jobs` threads and keeps nothing.
void check_values(const Project& project, const std::vector<ComponentDescription>& components,
                  const std::set<AssetNumber>& built, unsigned jobs, Findings& findings);

}  // namespace muster
