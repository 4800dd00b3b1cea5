#include "registry/rules/validate.h"

#include <algorithm>

#include "registry/rules/rule_weights.h"

namespace muster {
namespace {

constexpr std::string_view kSidecar = ".meta";

// The asset that a path is of, or the sidecar of.
AssetNumber asset_of(const Project& project, const AssetPath& path) {
  if (!path.name().ends_with(kSidecar)) return project.index().find(path);
  const auto asset = AssetPath::parse(path.text().substr(0, path.text().size() - kSidecar.size()));
  return asset ? project.index().find(asset.value()) : kNoAsset;
}

// What `validate` calls an error of what is built is never built.
void block_errors_of(const Project& project, const std::set<AssetNumber>& built,
                     std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (finding.severity != Severity::error || finding.blocks_build) continue;
    finding.blocks_build = built.contains(asset_of(project, finding.location.path));
  }
}

// Whether something that is built refers to a guid that nothing in the project has.
bool is_built_incomplete(const Project& project, const std::set<AssetNumber>& built) {
  return std::ranges::any_of(project.graph().edges(), [&](const ReferenceEdge& edge) {
    const bool may_be_text = edge.in_meta && edge.kind == yaml::MentionKind::textual;
    return edge.to == kNoAsset && !may_be_text && built.contains(edge.from) &&
           !project.is_known_elsewhere(edge.guid);
  });
}

// A sidecar that cannot be read may have the guid that is missing: a build without its asset would
// look complete.
void block_hidden_guids(const Project& project, const std::set<AssetNumber>& built,
                        std::vector<Finding>& findings) {
  const auto hides_guid = [](const Finding& finding) {
    return finding.location.path.name().ends_with(kSidecar) &&
           (finding.rule == "merge-conflict" || finding.rule == "lfs-pointer" ||
            finding.rule == "malformed-guid" || finding.rule == "unreadable-file");
  };
  if (std::ranges::none_of(findings, hides_guid)) return;
  if (!is_built_incomplete(project, built)) return;
  for (Finding& finding : findings) {
    if (hides_guid(finding)) finding.blocks_build = true;
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
  check_keep(project, options.targets, findings);
  if (options.further) options.further(project, built, findings);
  options.progress.advance(1, "references");
  check_references(project, options.targets, findings);
  check_packages(project, built, findings);
  check_failed_reads(project, findings);
  options.progress.advance(1, {});
  std::vector<Finding> sorted = findings.take_sorted();
  for (Finding& finding : sorted) {
    // One clone without LFS, or one scene's lighting, makes many of these.
    const bool has_one_cause = finding.rule == "lfs-pointer" || finding.rule == "binary-asset";
    finding.is_repeated = finding.is_repeated || has_one_cause;
  }
  // What is wrong with `rules` is said where the project is opened.
  if (const auto weights = read_rule_weights(project.config())) weigh(weights.value(), sorted);
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
