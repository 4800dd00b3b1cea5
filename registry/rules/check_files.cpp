// Checks files and sidecars, whether or not they are used.
#include <algorithm>
#include <optional>
#include <set>

#include "registry/model/hidden_candidates.h"
#include "registry/model/unread.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

struct IndexRule {
  std::string_view rule;
  std::string message;
};

IndexRule describe(const IndexProblem& problem) {
  using Kind = IndexProblem::Kind;
  const std::string guid = problem.guid.to_string();
  switch (problem.kind) {
    case Kind::orphan_meta:
      return {"orphan-meta", "there is no " + problem.detail + " beside this sidecar"};
    case Kind::missing_meta:
      return {"missing-meta", "this " + problem.detail + " has no sidecar"};
    case Kind::duplicate_guid:
      return {"duplicate-guid", "guid " + guid + " also belongs to '" + problem.other.text() + "'"};
    case Kind::malformed_guid:
      return {"malformed-guid", problem.detail};
    case Kind::malformed_sidecar:
      return {"wrong-shape", problem.detail};
    case Kind::upper_case_guid:
      return {"upper-case-guid", "guid " + guid + " is upper case here"};
    case Kind::placeholder_guid:
      return {"placeholder-guid", "guid " + guid + " looks typed by hand"};
    case Kind::merge_conflict:
      return {"merge-conflict", "conflict markers in a sidecar"};
    case Kind::lfs_pointer:
      return {"lfs-pointer", "a Git LFS pointer in place of a sidecar"};
    case Kind::case_clash:
      return {"case-clash", "differs from '" + problem.other.text() + "' only " + problem.detail};
    case Kind::unportable_name:
      return {"unportable-name", problem.detail + ", so a checkout there does not have the file"};
    case Kind::outside_link:
      return {"link-outside", "this link is not followed"};
    case Kind::link_circle:
      return {"link-outside", "this link leads to a folder that contains it, and is not followed"};
    case Kind::unreadable:
      return {"unreadable-file", problem.detail};
  }
  return {"unreadable-file", problem.detail};
}

// The guids for which a duplicate is an error, because the build could contain either of two
// assets.
std::set<Guid> guids_that_count(const Project& project, TargetSet targets) {
  std::set<Guid> guids;
  for (const AssetNumber asset : built_assets(project, targets)) {
    guids.insert(project.index().at(asset).guid);
  }
  for (const RegistryRoot& root : project.model().roots) {
    guids.insert(project.index().at(root.asset).guid);
  }
  for (const Registry& registry : project.model().registries) {
    guids.insert(project.index().at(registry.asset).guid);
    for (const RegistryEntry& entry : registry.entries) guids.insert(entry.definition_guid);
  }
  return guids;
}

// Whether a duplicate guid can change the class of an asset. This is possible if a script shares
// its guid with a file of another name, and an `.asset` or a built asset refers to the guid. Two
// copies of the same script (for example, a package inside and outside the project) have the same
// class, so the duplicate has no effect.
bool parts_script(const Project& project, const IndexProblem& problem,
                  const std::set<Guid>& built) {
  if (!is_script(problem.path) && !is_script(problem.other)) return false;
  if (problem.path.name() == problem.other.name()) return false;
  return std::ranges::any_of(project.graph().edges(), [&](const ReferenceEdge& edge) {
    if (edge.in_meta || !edge.is_strong() || edge.guid != problem.guid) return false;
    const Asset& user = project.index().at(edge.from);
    return has_extension(user.path, "asset") || built.contains(user.guid);
  });
}

// Reports all missing sidecars of a project without any sidecar as one finding, at the first file.
void add_no_sidecars(const Project& project, std::string message, Findings& findings) {
  AssetPath first_file;
  std::vector<AssetPath> paths;
  for (const IndexProblem& problem : project.index().problems()) {
    if (problem.kind != IndexProblem::Kind::missing_meta) continue;
    paths.push_back(problem.path);
    if (problem.detail == "file" && first_file.empty()) first_file = problem.path;
  }
  Finding& finding = findings.add("missing-meta", {std::move(first_file), {}}, std::move(message));
  finding.paths = std::move(paths);
  finding.severity = Severity::error;
}

}  // namespace

std::string_view read_error_rule(const Error& error) {
  return error.code == ErrorCode::limit_exceeded ? "file-too-large" : "unreadable-file";
}

void check_files(const Project& project, TargetSet targets,
                 const std::set<AssetNumber>& assets_built, Findings& findings) {
  std::optional<std::set<Guid>> built;
  const std::string no_sidecars = no_sidecars_note(project);
  if (!no_sidecars.empty()) add_no_sidecars(project, no_sidecars, findings);
  for (const IndexProblem& problem : project.index().problems()) {
    if (!no_sidecars.empty() && problem.kind == IndexProblem::Kind::missing_meta) continue;
    IndexRule found = describe(problem);
    Finding& finding =
        findings.add(found.rule, {problem.path, problem.position}, std::move(found.message));
    if (hides_candidate(problem)) {
      finding.severity = Severity::error;
      finding.blocks_build = true;
    }
    if (problem.kind == IndexProblem::Kind::duplicate_guid) {
      if (!built) built = guids_that_count(project, targets);
      finding.blocks_build =
          built->contains(problem.guid) || parts_script(project, problem, *built);
    }
    if (!problem.other.empty()) finding.related.push_back({{problem.other, {}}, "the other file"});
  }
  for (const ContentProblem& problem : project.graph().problems()) {
    const Asset& asset = project.index().at(problem.asset);
    switch (problem.kind) {
      case ContentProblem::Kind::lfs_pointer:
        findings.add("lfs-pointer", {asset.path, {1, 1}},
                     "a Git LFS pointer in place of the content");
        break;
      case ContentProblem::Kind::binary:
        // The finding is not an error, because Unity always stores lighting, terrain and navigation
        // meshes in binary form. The rules for packing report all other binary files that are
        // built.
        findings
            .add("binary-asset", {asset.path, {}},
                 "in binary form: " +
                     (problem.detail.empty() ? "its references are not read" : problem.detail))
            .severity = problem.detail == kUnreadTable && assets_built.contains(problem.asset)
                            ? Severity::warning
                            : Severity::note;
        break;
      case ContentProblem::Kind::foreign_text:
        if (has_foreign_importer(project.files(), asset.path)) break;
        findings.add("text-encoding", {asset.path, problem.position}, problem.detail).severity =
            Severity::warning;
        break;
      case ContentProblem::Kind::too_large:
        findings.add("file-too-large", {asset.path, {}}, problem.detail);
        break;
      case ContentProblem::Kind::invalid_utf8:
        findings.add("invalid-utf8", {asset.path, problem.position},
                     "this byte is not valid UTF-8; save the file as UTF-8");
        break;
      case ContentProblem::Kind::cut_short:   // Reported if the asset may be a root or registry.
      case ContentProblem::Kind::no_objects:  // check_packing() reports this problem.
        break;
      case ContentProblem::Kind::conflict:
        if (has_foreign_importer(project.files(), asset.path)) break;
        findings.add("merge-conflict", {asset.path, problem.position},
                     "a merge conflict begins here");
        break;
      case ContentProblem::Kind::unreadable:
        findings.add("unreadable-file", {asset.path, {}}, problem.detail);
        break;
    }
  }
}

void check_failed_reads(const Project& project, Findings& findings) {
  const auto add = [&](const ReadFailure& failure) -> Finding& {
    return findings.add(read_error_rule(failure.error),
                        {project.index().at(failure.asset).path, {}}, failure.error.message);
  };
  for (const ReadFailure& failure : project.sources().read_failures()) add(failure);
  // An unreadable script is an error, because its base classes determine whether its assets are
  // registries.
  for (const ReadFailure& failure : project.scripts().read_failures()) {
    Finding& finding = add(failure);
    finding.severity = Severity::error;
    finding.blocks_build = true;
  }
}

}  // namespace muster
