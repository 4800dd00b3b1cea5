#include <numeric>

#include <fmt/format.h>

#include "registry/rules/budget_check.h"
#include "registry/vocabulary/counted.h"

namespace muster {
namespace {

// With a decimal where the unit is large; the exact number decides, not this one.
std::string in_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kKibi = 1024;
  constexpr std::uint64_t kMebi = kKibi * 1024;
  if (bytes < kKibi * 10) return counted(static_cast<std::size_t>(bytes), "byte");
  const bool is_large = bytes >= kMebi * 10;
  return fmt::format("{:.1f} {}",
                     static_cast<double>(bytes) / static_cast<double>(is_large ? kMebi : kKibi),
                     is_large ? "MiB" : "KiB");
}

class BudgetCheck {
 public:
  BudgetCheck(const Budget& budget, const TargetSizes& sizes, Findings& findings)
      : budget_(budget), sizes_(sizes), findings_(findings) {}

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
      compare(sum, fmt::format("assets of kind {} of the {}", kinds, side));
      return;
    }
    if (budget_.bundle.empty()) {
      const std::uint64_t sum = std::accumulate(
          sizes_.bundles.begin(), sizes_.bundles.end(), std::uint64_t{0},
          [](std::uint64_t so_far, const BundleSize& one) { return so_far + one.bytes; });
      compare(sum, fmt::format("the bundles of the {}", side));
      return;
    }
    for (const BundleSize& bundle : sizes_.bundles) {
      const bool is_shared = bundle.prefab.empty();
      const bool fits = is_shared ? budget_.bundle == kSharedBundles
                                  : fits_pattern(bundle.prefab, budget_.bundle);
      if (!fits) continue;
      compare(bundle.bytes, fmt::format("the {}'s bundle {}", side,
                                        is_shared ? "'" + bundle.file + "' that several share"
                                                  : "of '" + bundle.prefab + "'"));
    }
  }

 private:
  void compare(std::uint64_t bytes, const std::string& what) {
    if (bytes <= budget_.bytes) return;
    const auto path = AssetPath::parse(ProjectConfig::kFileName);
    std::string message =
        fmt::format("{}: {}, which is {} more than the budget of {}", what, in_bytes(bytes),
                    in_bytes(bytes - budget_.bytes), in_bytes(budget_.bytes));
    findings_.add(kBudgetRule, {path.value(), budget_.position}, std::move(message)).identity =
        what;
  }

  const Budget& budget_;
  const TargetSizes& sizes_;
  Findings& findings_;
};

}  // namespace

void check_budgets(const ProjectConfig& config, const std::vector<TargetSizes>& sizes,
                   Findings& findings) {
  for (const Budget& budget : config.budgets) {
    for (const TargetSizes& target : sizes) {
      if (budget.targets.has(target.target)) BudgetCheck(budget, target, findings).run();
    }
  }
}

}  // namespace muster
