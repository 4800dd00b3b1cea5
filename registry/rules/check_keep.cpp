// Checks that each pattern of muster.yaml matches a file.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "registry/project/budgets.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

constexpr std::ptrdiff_t kStarsMax = 8;  // The maximum number of stars, as for budgets.

class KeepCheck {
 public:
  explicit KeepCheck(const Project& project) : project_(project) {}

  // The problem with a pattern that no file matches; nullopt if a file matches.
  std::optional<std::string> complaint(const std::string& pattern) const {
    if (fits_any(pattern)) return std::nullopt;
    const auto suggest = [](const std::string& other) { return "; did you mean '" + other + "'?"; };
    const auto folder = AssetPath::parse(pattern);
    const AssetNumber number = folder ? project_.index().find(folder.value()) : kNoAsset;
    if (number != kNoAsset) {
      return "is a folder; for its content, write '" + folder.value().text() + "/**'";
    }
    const std::string text = "matches no file of the project";
    for (const std::string& wider : {"**/" + pattern, across_folders(pattern)}) {
      if (std::ranges::count(wider, '*') <= kStarsMax && fits_any(wider)) {
        return text + suggest(wider);
      }
    }
    const std::string low = lower_ascii(pattern);
    const auto assets = project_.index().assets();
    const auto other = std::ranges::find_if(assets, [&](const Asset& asset) {
      return !asset.is_folder && fits_pattern(lower_ascii(asset.path.text()), low);
    });
    if (other == assets.end()) return text;
    return text + "; if case is ignored, it matches '" + other->path.text() + "'";
  }

 private:
  // Whether any file matches, including files that a choice of variants has removed.
  bool fits_any(const std::string& pattern) const {
    return std::ranges::any_of(project_.index().assets(),
                               [&](const Asset& asset) {
                                 return !asset.is_folder &&
                                        fits_pattern(asset.path.text(), pattern);
                               }) ||
           std::ranges::any_of(project_.variants().settled(), [&](const SettledFile& file) {
             return fits_pattern(file.path.text(), pattern);
           });
  }

  // Extends a pattern to subfolders: `a/*.png` becomes `a/**/*.png`.
  static std::string across_folders(std::string pattern) {
    const std::size_t slash = pattern.rfind('/');
    if (slash != std::string::npos) pattern.insert(slash, "/**");
    return pattern;
  }

  const Project& project_;
};

// Checks that the path patterns and the extensions of budgets match files.
void check_budget_patterns(const Project& project, const KeepCheck& check, Findings& findings) {
  const auto file = AssetPath::parse(ProjectConfig::kFileName);
  for (const Budget& budget : project.config().budgets) {
    const bool is_pattern = !budget.bundle.empty() && budget.bundle != kSharedBundles;
    if (const auto complaint = is_pattern ? check.complaint(budget.bundle) : std::nullopt) {
      findings.add("unmatched-budget", {file.value(), budget.position},
                   "'" + budget.bundle + "', which has a budget, " + *complaint);
    }
    const bool has_kind = std::ranges::any_of(budget.kinds, [&](const std::string& kind) {
      return std::ranges::any_of(project.index().assets(), [&](const Asset& asset) {
        return !asset.is_folder && lower_ascii(asset.path.extension()) == kind;
      });
    });
    if (budget.kinds.empty() || has_kind) continue;
    findings.add("unmatched-budget", {file.value(), budget.position},
                 "no file has the extension '" + budget.kinds.front() + "', which has a budget");
  }
}

}  // namespace

void check_keep(const Project& project, TargetSet targets, Findings& findings) {
  const KeepCheck check(project);
  check_budget_patterns(project, check, findings);
  const auto file = AssetPath::parse(ProjectConfig::kFileName);
  for (const Target target : {Target::client, Target::server}) {
    if (!targets.has(target)) continue;
    const std::string side = target == Target::client ? "client" : "server";
    for (const KeptPath& kept : project.config().strip[target_index(target)].kept_paths()) {
      const auto complaint = check.complaint(kept.pattern);
      if (!complaint) continue;
      findings.add("unmatched-keep", {file.value(), kept.position},
                   "'" + kept.pattern + "', which the " + side + " should keep, " + *complaint);
    }
  }
}

}  // namespace muster
