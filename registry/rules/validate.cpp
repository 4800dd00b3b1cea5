#include "registry/rules/validate.h"

#include <algorithm>

#include "registry/project/asset_kinds.h"
#include "registry/project/budgets.h"
#include "registry/rules/rule_weights.h"

namespace muster {
namespace {

constexpr std::string_view kSidecar = ".meta";

// The asset with this path, or with this sidecar.
AssetNumber asset_of(const Project& project, const AssetPath& path) {
  if (!path.name().ends_with(kSidecar)) return project.index().find(path);
  const auto asset = AssetPath::parse(path.text().substr(0, path.text().size() - kSidecar.size()));
  return asset ? project.index().find(asset.value()) : kNoAsset;
}

// Marks errors in built assets as errors that block the build.
void block_errors_of(const Project& project, const std::set<AssetNumber>& built,
                     std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (finding.severity != Severity::error || finding.blocks_build) continue;
    finding.blocks_build = built.contains(asset_of(project, finding.location.path));
  }
}

// Whether a built asset refers to a guid without an asset.
bool is_built_incomplete(const Project& project, const std::set<AssetNumber>& built) {
  return std::ranges::any_of(project.graph().edges(), [&](const ReferenceEdge& edge) {
    const bool may_be_text = edge.in_meta && edge.kind == yaml::MentionKind::textual;
    return edge.to == kNoAsset && !may_be_text && built.contains(edge.from) &&
           !project.is_known_elsewhere(edge.guid);
  });
}

// The folders whose content is built, because a sprite atlas or a registry entry refers to the
// folder.
std::vector<AssetPath> built_folders(const Project& project, const std::set<AssetNumber>& built) {
  std::vector<AssetPath> folders;
  const auto add = [&](AssetNumber asset) {
    if (asset == kNoAsset || !project.index().at(asset).is_folder) return;
    folders.push_back(project.index().at(asset).path);
  };
  for (const ReferenceEdge& edge : project.graph().edges()) {
    if (built.contains(edge.from)) add(edge.to);
  }
  for (const Registry& registry : project.model().registries) {
    for (const ReferenceEdge& edge : project.graph().from(registry.asset)) add(edge.to);
  }
  return folders;
}

// Marks unreadable sidecars as errors that block the build if a built asset refers to a missing
// guid, because the sidecar may contain this guid.
void block_hidden_guids(const Project& project, const std::set<AssetNumber>& built,
                        std::vector<Finding>& findings) {
  const auto hides_guid = [](const Finding& finding) {
    return finding.location.path.name().ends_with(kSidecar) &&
           (finding.rule == "merge-conflict" || finding.rule == "lfs-pointer" ||
            finding.rule == "malformed-guid" || finding.rule == "wrong-shape" ||
            finding.rule == "unreadable-file");
  };
  if (std::ranges::none_of(findings, hides_guid)) return;
  const bool is_incomplete = is_built_incomplete(project, built);
  const std::vector<AssetPath> folders = built_folders(project, built);
  for (Finding& finding : findings) {
    if (!hides_guid(finding)) continue;
    const bool is_expected = std::ranges::any_of(
        folders, [&](const AssetPath& folder) { return finding.location.path.is_within(folder); });
    finding.blocks_build = finding.blocks_build || is_incomplete || is_expected;
  }
}

// Whether a finding reports a file without a guid. A build of the file's folder would omit the
// file.
bool is_without_guid(const Finding& finding) {
  if (finding.rule == "link-outside") return true;
  if (finding.rule != "missing-meta" || is_script(finding.location.path)) return false;
  // A file of an unknown kind (for example, a licence text) does not belong to an atlas.
  const bool is_folder = finding.location.path.name().find('.') == std::string_view::npos;
  return is_folder || kind_of(finding.location.path.text()) != "other";
}

// Marks missing sidecars in built folders as errors that block the build. (The editor would create
// the sidecars, and its build would contain the files.)
void block_incomplete_folders(const Project& project, const std::set<AssetNumber>& built,
                              std::vector<Finding>& findings) {
  if (std::ranges::none_of(findings, is_without_guid)) return;
  const std::vector<AssetPath> folders = built_folders(project, built);
  for (Finding& finding : findings) {
    const bool is_built =
        is_without_guid(finding) && std::ranges::any_of(folders, [&](const AssetPath& folder) {
          return finding.location.path.is_within(folder);
        });
    if (!is_built) continue;
    finding.message += "; its folder is built, but would not contain this file";
    finding.severity = Severity::error;
    finding.blocks_build = true;
  }
}

// Reports patterns in `rules` that no file matches, because they are probably mistyped.
void check_weighed_paths(const Project& project, const std::vector<RuleWeight>& weights,
                         Findings& findings) {
  const auto fits = [](const AssetPath& path, const std::string& pattern) {
    return fits_pattern(path.text(), pattern) || fits_pattern(path.text() + ".meta", pattern);
  };
  for (const RuleWeight& weight : weights) {
    const bool is_found = weight.pattern == "**" ||
                          std::ranges::any_of(project.index().assets(), [&](const Asset& asset) {
                            return fits(asset.path, weight.pattern);
                          });
    if (is_found || weight.pattern == ProjectConfig::kFileName) continue;
    // A finding can also be in a file that is not an asset: a sidecar without an asset, or a file
    // without a sidecar.
    const bool is_problem =
        std::ranges::any_of(project.index().problems(), [&](const IndexProblem& problem) {
          return fits_pattern(problem.path.text(), weight.pattern);
        });
    if (is_problem) continue;
    const auto path = AssetPath::parse(weight.pattern);
    if (path && project.files().stat(path.value())) continue;
    findings.add("unmatched-path",
                 {AssetPath::parse(ProjectConfig::kFileName).value(), weight.position},
                 "no file fits '" + weight.pattern + "' of rule " + weight.rule);
  }
}

}  // namespace

std::vector<Finding> validate(const Project& project, const ValidateOptions& options) {
  Findings findings;
  options.progress.begin("checking", 6);
  const std::set<AssetNumber> built = built_assets(project, options.targets);
  check_files(project, options.targets, built, findings);
  options.progress.advance(1, "registries");
  check_roots(project, options.targets, findings);
  check_registries(project, options.targets, findings);
  options.progress.advance(1, "registration");
  check_registration(project, options.targets, findings);
  options.progress.advance(1, "components");
  check_structure(project, options.with_sidecars, findings);
  check_components(project, built, findings);
  options.progress.advance(1, "files");
  check_packing(project, built, options.jobs, findings);
  check_variants(project, built, findings);
  check_wire_forms(project, built, findings);
  check_wire_limits(project, built, findings);
  check_keep(project, options.targets, findings);
  if (options.further) options.further(project, built, findings);
  options.progress.advance(1, "references");
  check_references(project, options.targets, findings);
  check_packages(project, built, findings);
  check_failed_reads(project, findings);
  const auto weights = read_rule_weights(project.config());
  if (weights) check_weighed_paths(project, weights.value(), findings);
  options.progress.advance(1, {});
  std::vector<Finding> sorted = findings.drain_sorted();
  for (Finding& finding : sorted) {
    // Findings of these two rules often have one cause, for example a clone without Git LFS.
    const bool has_one_cause = finding.rule == "lfs-pointer" || finding.rule == "binary-asset";
    finding.is_repeated = finding.is_repeated || has_one_cause;
  }
  block_incomplete_folders(project, built, sorted);
  if (weights) weigh(weights.value(), sorted);
  block_errors_of(project, built, sorted);
  block_hidden_guids(project, built, sorted);
  if (options.strict) {
    for (Finding& finding : sorted) {
      if (finding.severity == Severity::warning) finding.severity = Severity::error;
    }
  }
  return sorted;
}

}  // namespace muster
