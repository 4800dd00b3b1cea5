#include "bundler/cli/checks.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "bundler/cook/value_check.h"
#include "bundler/dictionaries/committed_dictionaries.h"
#include "registry/project/read_once.h"

namespace muster::cli {
namespace {

using Choice = std::vector<VariantWish>;

VariantWish wish_of(const VariantAxis& axis, std::size_t value) {
  return {axis.name, axis.values.at(value)};
}

// The choices of variants to check: the choice of a build without options, and one choice for each
// variant file. In each choice, all other axes have their default, or their first value if they
// have no default. Axes that the game chooses need no choice, because a build contains all variants
// on these axes.
std::vector<Choice> choices_of(const Project& project) {
  const std::vector<VariantAxis>& axes = project.config().axes;
  std::set<VariantKeys> wanted{{}};
  for (const VariantFile& file : project.variants().files()) wanted.insert(file.keys);
  std::vector<Choice> choices;
  for (const VariantKeys& keys : wanted) {
    Choice choice;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (!axes[i].is_chosen_at_build) continue;
      const auto key = std::ranges::find(keys, i, &VariantKey::axis);
      choice.push_back(
          wish_of(axes[i], key != keys.end() ? key->value : axes[i].default_value.value_or(0)));
    }
    if (std::ranges::find(choices, choice) == choices.end()) choices.push_back(std::move(choice));
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

// Collects findings that block builds. If a build uses a variant file, it reports a finding in that
// file once for every asset that uses the file. Such repeated findings are collected once.
class Blocking {
 public:
  void add(const Finding& finding) {
    if (!finding.blocks_build) return;
    exact_.insert(key_of(finding));
    files_.emplace(finding.rule, finding.location.path);
  }
  bool knows(const Finding& finding) const {
    return exact_.contains(key_of(finding)) ||
           std::ranges::any_of(finding.related, [&](const RelatedLocation& related) {
             return files_.contains({finding.rule, related.location.path});
           });
  }

 private:
  using Key = std::tuple<std::string_view, AssetPath, std::uint32_t, std::uint32_t, std::string>;
  static Key key_of(const Finding& finding) {
    const Location& at = finding.location;
    return {finding.rule, at.path, at.position.line, at.position.column, finding.message};
  }
  std::set<Key> exact_;
  std::set<std::pair<std::string_view, AssetPath>> files_;
};

}  // namespace

FurtherCheck checks_of_packing(const std::vector<ComponentDescription>* components, unsigned jobs) {
  return [=](const Project& project, const std::set<AssetNumber>& built, Findings& findings) {
    if (components != nullptr) check_values(project, *components, built, jobs, findings);
    check_committed(project, findings);
  };
}

Severity failing_severity(bool is_strict, const std::string& fail_on) {
  if (fail_on == "note") return Severity::note;
  return is_strict || fail_on == "warning" ? Severity::warning : Severity::error;
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
                                                      const std::stop_token& stop) {
  // Without variants, every build uses the project unchanged.
  if (wishes.empty() && project.variants().files().empty()) return findings;
  const std::vector<Choice> choices =
      wishes.empty() ? choices_of(project) : std::vector<Choice>{wishes};
  Blocking known;
  for (const Finding& finding : findings) known.add(finding);
  options.progress.begin("checking builds for variants", choices.size());
  ValidateOptions without_progress = options;
  without_progress.progress = {};
  ReadOnce fact_cache;
  for (const Choice& choice : choices) {
    options.progress.advance(1, text_of(choice));
    const auto chosen = Project::open(project.files(), options.jobs, stop, {}, choice, &fact_cache);
    if (!chosen) return fail(chosen.error());
    std::vector<Finding> found = validate(*chosen.value(), without_progress);
    std::erase_if(found, [&](const Finding& finding) {
      return !finding.blocks_build || known.knows(finding);
    });
    for (Finding& finding : found) {
      known.add(finding);
      // The identity does not name the choice of variants, so the same finding has the same
      // identity for every choice.
      if (finding.identity.empty()) finding.identity = finding.message;
      finding.message +=
          choice.empty() ? " (in a build)" : " (in a build with '" + text_of(choice) + "')";
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
