#include "bundler/cli/checks.h"

#include <algorithm>

#include "bundler/cook/value_check.h"
#include "bundler/pack/committed_dictionaries.h"

namespace muster::cli {
namespace {

using Choice = std::vector<VariantWish>;

// One for each value of each axis; of the other axes their defaults, or the first value where
// nothing says which.
std::vector<Choice> choices_of(const std::vector<VariantAxis>& axes) {
  Choice usual;
  for (const VariantAxis& axis : axes) {
    if (axis.is_chosen_at_build) {
      usual.push_back({axis.name, axis.values.at(axis.default_value.value_or(0))});
    }
  }
  if (usual.empty()) return {};
  std::vector<Choice> choices{usual};
  for (VariantWish& one : usual) {
    const std::string usual_value = one.value;
    const VariantAxis& axis = axes[find_axis(axes, one.axis).value()];
    for (const std::string& value : axis.values) {
      one.value = value;
      if (value != usual_value) choices.push_back(usual);
    }
    one.value = usual_value;
  }
  return choices;
}

std::string text_of(const Choice& choice) {
  std::string text;
  for (const VariantWish& wish : choice) {
    text += (text.empty() ? "" : " ") + std::string("--variant ") + wish.axis + "=" + wish.value;
  }
  return text;
}

bool is_same(const Finding& a, const Finding& b) {
  return a.rule == b.rule && a.location.path == b.location.path &&
         a.location.position == b.location.position;
}

}  // namespace

FurtherCheck checks_of_packing(const std::vector<ComponentDescription>* components, unsigned jobs) {
  return [=](const Project& project, const std::set<AssetNumber>& built, Findings& findings) {
    if (components != nullptr) check_values(project, *components, built, jobs, findings);
    check_committed(project, findings);
  };
}

Result<std::vector<VariantWish>> read_variants(const std::vector<std::string>& options) {
  std::vector<VariantWish> wishes;
  for (const std::string& text : options) {
    auto wish = read_variant_wish(text);
    if (!wish) return fail(wish.error().code, "--variant: " + wish.error().message);
    wishes.push_back(std::move(wish).value());
  }
  return wishes;
}

Result<std::vector<Finding>> with_findings_of_choices(const Project& project,
                                                      const std::vector<VariantWish>& wishes,
                                                      const ValidateOptions& options,
                                                      std::vector<Finding> findings,
                                                      std::stop_token stop) {
  const std::vector<Choice> choices =
      wishes.empty() ? choices_of(project.config().axes) : std::vector<Choice>{wishes};
  for (const Choice& choice : choices) {
    const auto chosen =
        Project::open(project.files(), options.jobs, stop, options.progress, choice);
    if (!chosen) return fail(chosen.error());
    for (Finding& finding : validate(*chosen.value(), options)) {
      const auto is_known = [&](const Finding& known) { return is_same(known, finding); };
      if (!finding.blocks_build || std::ranges::any_of(findings, is_known)) continue;
      finding.message += " (in a build with '" + text_of(choice) + "')";
      findings.push_back(std::move(finding));
    }
  }
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) {
    return std::tie(finding.location.path, finding.location.position, finding.rule,
                    finding.message);
  });
  return findings;
}

}  // namespace muster::cli
