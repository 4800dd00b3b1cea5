// Whether what was built is as small as it should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "registry/rules/finding.h"

namespace muster {

/// One bundle of a build.
struct BundleSize {
  std::string file;         ///< In the target's folder, for people.
  std::string prefab;       ///< The path of the prefab that it is of; empty for a shared one.
  std::uint64_t bytes = 0;  ///< Of the file.
  /// What it is for ("quality=low"), if it holds a variant of the prefab; empty: the prefab itself.
  std::string variant = {};
};

/// What a build for one target weighs.
struct TargetSizes {
  Target target = Target::client;
  std::vector<BundleSize> bundles;
  /// Stored bytes of assets, by the extension of their files in lower case.
  std::map<std::string, std::uint64_t> by_kind;
};

/// What one budget of `muster.yaml` is for, and what that has.
struct BudgetUse {
  std::size_t budget = 0;   ///< Index into the list.
  std::string what;         ///< For people, without the budget.
  std::uint64_t bytes = 0;  ///< What there is.
};

/// Measures what each budget is for; of one for many bundles, each that fits. In the order of
/// budgets, then targets, then bundles.
std::vector<BudgetUse> measure_budgets(const std::vector<Budget>& budgets,
                                       const std::vector<TargetSizes>& sizes);

/// Tells of every budget of `muster.yaml` that is exceeded (`budget-exceeded`), at its line. Of
/// targets that were not built nothing is said.
void check_budgets(const ProjectConfig& config, const std::vector<TargetSizes>& sizes,
                   Findings& findings);

inline constexpr std::string_view kBudgetRule = "budget-exceeded";

}  // namespace muster
