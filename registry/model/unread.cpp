#include "registry/model/unread.h"

#include <algorithm>
#include <set>

#include "registry/base/counted.h"
#include "registry/model/membership.h"

namespace muster {
namespace {

// True for problems that may hide assets: a folder that cannot be listed, or a guid that cannot be
// read.
bool hides_assets(IndexProblem::Kind kind) {
  using enum IndexProblem::Kind;
  return kind == unreadable || kind == lfs_pointer || kind == merge_conflict ||
         kind == malformed_guid || kind == malformed_sidecar;
}

bool is_without_text(ContentProblem::Kind kind) {
  using enum ContentProblem::Kind;
  return kind == lfs_pointer || kind == binary || kind == foreign_text || kind == unreadable;
}

// The assets that may be members of a registry of the class: assets that mention a script of its
// prepare rules and cannot be parsed, and prefabs without text, whose mentions are unknown.
std::set<AssetNumber> unread_members(const Project& project, const ClassDeclaration& declaration) {
  std::set<AssetNumber> found;
  for (const AssetNumber asset : unreadable_members(project, declaration)) found.insert(asset);
  const bool can_list_prefabs = std::ranges::any_of(
      declaration.prepare, [](const PrepareRule& rule) { return !rule.component.empty(); });
  if (!can_list_prefabs) return found;
  for (const ContentProblem& problem : project.graph().problems()) {
    const AssetPath& path = project.index().at(problem.asset).path;
    if (is_without_text(problem.kind) && has_extension(path, "prefab")) found.insert(problem.asset);
  }
  return found;
}

std::string why(const SourceFile& source) {
  if (source.read_error) return source.read_error->message;
  if (!source.error) return "it has no objects";
  return "line " + std::to_string(source.error->position.line) + ": " + source.error->message;
}

// Adds a sentence for each file that may contain entries of registries. Adds these files to
// `reported`.
void note_registries(const Project& project, std::set<std::string>& notes,
                     std::set<AssetNumber>& reported) {
  for (const ModelProblem& problem : project.model().problems) {
    using enum ModelProblem::Kind;
    // In these two cases the file itself was read without problems.
    if (problem.kind == unresolved || problem.kind == unknown_class) continue;
    reported.insert(problem.asset);
    std::string location_text = problem.location.path.text();
    if (problem.location.position.line != 0) {
      location_text += ":" + std::to_string(problem.location.position.line);
    }
    notes.insert(location_text +
                 (problem.kind == textless ? ": cannot be read and may be a root or registry"
                                           : ": part of a registry could not be read") +
                 "; see 'muster validate'");
  }
  for (const IndexProblem& problem : project.index().problems()) {
    if (!hides_assets(problem.kind)) continue;
    notes.insert(problem.path.text() +
                 ": could not be read, so entries may be missing here; see 'muster validate'");
  }
  for (const ReadFailure& failure : project.scripts().read_failures()) {
    notes.insert(project.index().at(failure.asset).path.text() +
                 ": cannot be read, and a class that derives from it may be a root or registry: " +
                 failure.error.message);
  }
}

std::string quoted_folders(const Project& project) {
  std::string folders;
  for (const AssetPath& folder : project.config().folders) {
    folders += (folders.empty() ? "'" : ", '") + (folder.empty() ? "." : folder.text()) + "'";
  }
  return folders;
}

}  // namespace

std::vector<std::string> unread_registry_notes(const Project& project) {
  std::set<std::string> notes;
  std::set<AssetNumber> reported;
  note_registries(project, notes, reported);
  return {notes.begin(), notes.end()};
}

std::vector<std::string> unread_notes(const Project& project) {
  std::set<std::string> notes;
  std::set<AssetNumber> reported;
  note_registries(project, notes, reported);
  for (const ClassDeclaration& declaration : project.model().classes) {
    const auto is_of_class = [&](const Registry& registry) {
      return registry.declaration == &declaration;
    };
    if (std::ranges::none_of(project.model().registries, is_of_class)) continue;
    for (const AssetNumber asset : unread_members(project, declaration)) {
      if (!reported.insert(asset).second) continue;
      const SourceFile& source = project.sources().get(asset);
      notes.insert(source.path.text() + ": may belong in " + with_article(declaration.name) +
                   ", but cannot be read: " + why(source));
    }
  }
  return {notes.begin(), notes.end()};
}

std::string hidden_roots_note(const Project& project) {
  if (!project.model().roots.empty()) return {};
  const auto pointers =
      std::ranges::count_if(project.graph().problems(), [&](const ContentProblem& problem) {
        return problem.kind == ContentProblem::Kind::lfs_pointer &&
               has_extension(project.index().at(problem.asset).path, "asset");
      });
  if (pointers == 0) return {};
  const std::string files = counted(static_cast<std::size_t>(pointers), "'.asset' file");
  return "no root was found, but " + files +
         (pointers == 1 ? " is a Git LFS pointer and may be one"
                        : " are Git LFS pointers, and any of them may be one") +
         "; see 'git lfs pull'";
}

std::string no_sidecars_note(const Project& project) {
  if (!project.index().assets().empty()) return {};
  const auto lacks_sidecar = [](const IndexProblem& problem) {
    return problem.kind == IndexProblem::Kind::missing_meta && problem.detail == "file";
  };
  const auto lacking =
      static_cast<std::size_t>(std::ranges::count_if(project.index().problems(), lacks_sidecar));
  if (lacking == 0) return {};
  return "no file in " + quoted_folders(project) +
         " has a usable sidecar (.meta) with its guid, so " +
         counted(lacking, "file is not an asset", "files are not assets") +
         "; 'muster validate --fix' writes missing sidecars";
}

std::string no_registries_note(const Project& project) {
  if (!project.model().registries.empty() || !unread_notes(project).empty() ||
      !hidden_roots_note(project).empty() || !no_sidecars_note(project).empty()) {
    return {};
  }
  std::string classes;
  for (const ClassDeclaration& declaration : project.model().classes) {
    classes += (classes.empty() ? "" : ", ") + declaration.name;
  }
  return "this project has no registry, so there is nothing to pack; none of " +
         counted(project.index().assets().size(), "asset") + " in " + quoted_folders(project) +
         " is of a class that is built in, ready-made ('classes_from') or declared under 'classes' "
         "in muster.yaml: " +
         classes;
}

std::string recognised_note(const Project& project) {
  const auto& source = project.config().source;
  if (source && source->tree.find(source->root, "classes_from") != yaml::kNoNode) return {};
  std::string found;
  std::set<std::string_view> reported;
  for (const Registry& registry : project.model().registries) {
    const ClassDeclaration& declaration = *registry.declaration;
    if (declaration.ready_made.empty() || !reported.insert(declaration.name).second) continue;
    found += (found.empty() ? "" : ", ") + declaration.name + " (" + declaration.ready_made + ")";
  }
  if (found.empty()) return {};
  return "registries of ready-made classes are built: " + found +
         "; 'classes_from' in muster.yaml chooses which";
}

}  // namespace muster
