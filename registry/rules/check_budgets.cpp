#include <numeric>

#include <fmt/format.h>

#include "registry/base/counted.h"
#include "registry/rules/budget_check.h"

namespace muster {
namespace {

std::string in_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kKibi = 1024;
  constexpr std::uint64_t kMebi = kKibi * 1024;
  if (bytes < kKibi * 10) return counted(static_cast<std::size_t>(bytes), "byte");
  const bool is_large = bytes >= kMebi * 10;
  return fmt::format("{:.1f} {}",
                     static_cast<double>(bytes) / static_cast<double>(is_large ? kMebi : kKibi),
                     is_large ? "MiB" : "KiB");
}

class BudgetMeasure {
 public:
  BudgetMeasure(const std::vector<Budget>& budgets, std::size_t index, const TargetSizes& sizes,
                std::vector<BudgetUse>& uses)
      : budget_(budgets[index]), index_(index), sizes_(sizes), uses_(uses) {}

  void run() {
    const std::string side = sizes_.target == Target::client ? "client" : "server";
    if (!budget_.kinds.empty()) {
      std::uint64_t sum = 0;
      std::string kinds;
      for (const std::string& kind : budget_.kinds) {
        kinds += (kinds.empty() ? "" : ", ") + kind;
        const auto found = sizes_.by_kind.find(kind);
        if (found != sizes_.by_kind.end()) sum += found->second;
      }
      add(sum, fmt::format("assets of kind {} of the {}", kinds, side));
      return;
    }
    if (budget_.bundle.empty()) {
      const std::uint64_t sum = std::accumulate(
          sizes_.bundles.begin(), sizes_.bundles.end(), std::uint64_t{0},
          [](std::uint64_t so_far, const BundleSize& one) { return so_far + one.bytes; });
      add(sum, fmt::format("the bundles of the {}", side));
      return;
    }
    for (const BundleSize& bundle : sizes_.bundles) {
      const bool is_shared = bundle.prefab.empty();
      const bool fits = is_shared ? budget_.bundle == kSharedBundles
                                  : fits_pattern(bundle.prefab, budget_.bundle);
      if (!fits) continue;
      std::string which =
          is_shared ? "'" + bundle.file + "' that several share" : "of '" + bundle.prefab + "'";
      if (!is_shared && !bundle.variant.empty()) which += " for " + bundle.variant;
      add(bundle.bytes, fmt::format("the {}'s bundle {}", side, which));
    }
  }

 private:
  void add(std::uint64_t bytes, std::string what) {
    uses_.push_back({index_, std::move(what), bytes});
  }

  const Budget& budget_;
  std::size_t index_;
  const TargetSizes& sizes_;
  std::vector<BudgetUse>& uses_;
};

}  // namespace

std::vector<BudgetUse> measure_budgets(const std::vector<Budget>& budgets,
                                       const std::vector<TargetSizes>& sizes) {
  std::vector<BudgetUse> uses;
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    for (const TargetSizes& target : sizes) {
      if (budgets[i].targets.has(target.target)) BudgetMeasure(budgets, i, target, uses).run();
    }
  }
  return uses;
}

void check_budgets(const ProjectConfig& config, const std::vector<TargetSizes>& sizes,
                   Findings& findings) {
  const auto path = AssetPath::parse(ProjectConfig::kFileName);
  for (const BudgetUse& use : measure_budgets(config.budgets, sizes)) {
    const Budget& budget = config.budgets[use.budget];
    if (use.bytes <= budget.bytes) continue;
    std::string message =
        fmt::format("{}: {}, which is {} more than the budget of {}", use.what, in_bytes(use.bytes),
                    in_bytes(use.bytes - budget.bytes), in_bytes(budget.bytes));
    findings.add(kBudgetRule, {path.value(), budget.position}, std::move(message)).identity =
        use.what;
  }
}

}  // namespace muster
