// Checks the size of a build against its budgets.
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
  std::string file;         ///< The path in the target's folder, for messages.
  std::string prefab;       ///< The path of the bundle's prefab; empty for a shared bundle.
  std::uint64_t bytes = 0;  ///< The size of the file.
  /// The keys of the variant in the bundle, for example "quality=low". The text is empty for the
  /// prefab itself.
  std::string variant = {};
};

/// The sizes of a build for one target.
struct TargetSizes {
  Target target = Target::client;
  std::vector<BundleSize> bundles;
  /// The stored bytes of all assets, by lower-case file extension.
  std::map<std::string, std::uint64_t> by_kind;
};

/// The subject of one budget of `muster.yaml`, and its size.
struct BudgetUse {
  std::size_t budget = 0;   ///< The index of the budget in `ProjectConfig::budgets`.
  std::string what;         ///< The description of the subject, for users.
  std::uint64_t bytes = 0;  ///< The size of the subject.
};

/// Measures the subject of each budget. A budget for single bundles has one result per matching
/// bundle. The results are ordered by budget, then by target, then by bundle.
std::vector<BudgetUse> measure_budgets(const std::vector<Budget>& budgets,
                                       const std::vector<TargetSizes>& sizes);

/// Reports every exceeded budget of `muster.yaml` (`budget-exceeded`), at its line. Skips targets
/// that were not built.
void check_budgets(const ProjectConfig& config, const std::vector<TargetSizes>& sizes,
                   Findings& findings);

inline constexpr std::string_view kBudgetRule = "budget-exceeded";

}  // namespace muster
