// Checks whole registries: unreadable parts, lists, locks, and the ids of all registries for one
// target.
#include <algorithm>
#include <map>
#include <set>

#include "registry/base/counted.h"
#include "registry/components/effect_pool.h"
#include "registry/model/path_query.h"
#include "registry/model/type_ids.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

// Whether a check of these targets includes a registry. A registry that no root lists is always
// included.
bool concerns(const Registry& registry, TargetSet targets) {
  return registry.targets.empty() || !(registry.targets & targets).empty();
}

// Reports a file that a registry needs and that could not be parsed.
void add_unreadable(const Project& project, AssetNumber asset, const Location& user,
                    std::string_view detail, Findings& findings) {
  const SourceFile& source = project.sources().get(asset);
  std::string_view rule = "yaml-syntax";
  if (source.read_error) rule = read_error_rule(*source.read_error);
  if (source.dialect == yaml::Dialect::lfs_pointer) rule = "lfs-pointer";
  if (source.dialect == yaml::Dialect::binary) rule = "binary-asset";
  if (is_foreign_text(source)) rule = "text-encoding";
  std::string message = source.read_error               ? source.read_error->message
                        : source.error                  ? source.error->message
                        : source.tree.documents.empty() ? "this file has no objects"
                                                        : "this file's object names no script";
  if (!detail.empty()) message += "; it " + std::string(detail);
  yaml::Position position = source.error ? source.error->position : yaml::Position{1, 1};
  if (!source.error && !source.tree.documents.empty()) {
    position = source.tree.documents.front().position;
  }
  if (source.read_error) position = {};
  if (rule == "lfs-pointer") position = {1, 1};
  if (rule == "binary-asset" || source.dialect == yaml::Dialect::empty) position = {};
  Finding& finding = findings.add(rule, {source.path, position}, std::move(message));
  finding.severity = Severity::error;
  finding.blocks_build = true;
  if (user.path != source.path) finding.related.push_back({user, "needed here"});
}

// The files of roots and registries that are used by none of the targets.
std::set<AssetPath> foreign_files(const Project& project, TargetSet targets) {
  std::set<AssetPath> files;
  for (const RegistryRoot& root : project.model().roots) {
    if (!targets.has(root.target)) files.insert(project.index().at(root.asset).path);
  }
  for (const Registry& registry : project.model().registries) {
    if (concerns(registry, targets)) continue;
    const AssetPath& path = project.index().at(registry.asset).path;
    files.insert(path);
    const LockFile* lock = project.model().lock_of(registry.asset);
    if (lock != nullptr) files.insert(lock->path);
  }
  return files;
}

std::string_view rule_of(ModelProblem::Kind kind) {
  switch (kind) {
    using enum ModelProblem::Kind;
    case unresolved:
      return "unresolved-reference";
    case wrong_target:
      return "wrong-target";
    case malformed_reference:
      return "malformed-guid";
    case malformed_type_id:
      return "malformed-type-id";
    case malformed_entry:
      return "malformed-entry";
    case malformed_flag:
      return "malformed-flag";
    case missing_list:
      return "missing-entries";
    case too_many:
      return "too-many-entries";
    case unknown_class:
    case lost_class:
      return "unknown-registry";
    case unreadable:
    case textless:
      break;
  }
  return "yaml-syntax";
}

// Warns about a registry without a list. The registry may be new.
void check_lists(const Project& project, TargetSet targets, Findings& findings) {
  for (const Registry& registry : project.model().registries) {
    const bool is_reported =
        std::ranges::any_of(project.model().problems, [&](const ModelProblem& problem) {
          return problem.kind == ModelProblem::Kind::missing_list &&
                 problem.asset == registry.asset;
        });
    // A component registry can have its entries under other keys or in overrides.
    if (registry.declaration->is_component) continue;
    if (registry.list != yaml::kNoNode || is_reported || !concerns(registry, targets)) continue;
    findings
        .add("missing-entries", {project.index().at(registry.asset).path, {}},
             "this " + registry.declaration->name + " has no '" +
                 registry.declaration->lists.front() + "'")
        .severity = Severity::warning;
  }
}

// Reports a lock without a registry. The registry may have been renamed, and would then get new
// ids.
void check_locks(const Project& project, Findings& findings) {
  for (const LockFile& file : project.model().locks) {
    if (file.registry != kNoAsset || file.error) continue;
    if (!file.other.empty()) {
      findings
          .add("orphan-lock", {file.path, {}},
               "the lock '" + file.other.text() +
                   "' is the lock of this registry, so this lock is not used")
          .related.push_back({{file.other, {}}, "the lock that is used"});
      continue;
    }
    findings.add("orphan-lock", {file.path, {}},
                 file.lock.registry.is_null()
                     ? "there is no registry of this name beside this lock"
                     : "no asset of the project has the guid of its registry, " +
                           file.lock.registry.to_string());
  }
}

void check_model_problems(const Project& project, TargetSet targets, Findings& findings) {
  const std::set<AssetPath> foreign = foreign_files(project, targets);
  std::set<AssetNumber> reported;
  for (const ModelProblem& problem : project.model().problems) {
    if (foreign.contains(problem.location.path)) continue;
    const bool is_file = problem.kind == ModelProblem::Kind::textless ||
                         (problem.kind == ModelProblem::Kind::unreadable && problem.detail.empty());
    if (is_file) {
      if (reported.insert(problem.asset).second) {
        add_unreadable(project, problem.asset, problem.location, problem.detail, findings);
      }
      continue;
    }
    std::string message = problem.detail;
    if (problem.kind == ModelProblem::Kind::unresolved) {
      message = "refers to " + problem.guid.to_string() + ", which no asset of the project has";
    }
    Finding& finding = findings.add(rule_of(problem.kind), problem.location, std::move(message));
    if (problem.kind == ModelProblem::Kind::unknown_class) continue;
    finding.severity = Severity::error;
    finding.blocks_build = true;
  }
}

void check_namesakes(const Project& project, Findings& findings) {
  for (const Namesake& namesake : project.model().namesakes) {
    const SourceFile& source = project.sources().get(namesake.asset);
    const yaml::NodeIndex script =
        source.tree.find(source.fields_of(source.document_of(0)), "m_Script");
    Location location{project.index().at(namesake.asset).path, {}};
    if (script != yaml::kNoNode) location.position = source.tree.at(script).position;
    findings.add(
        "namesake-class", location,
        "this is not treated as class " + namesake.class_name + ": it has none of its fields");
  }
}

// Reports two scripts with the same file name. The file name determines the class, so both have the
// same class.
void check_scripts(const Project& project, Findings& findings) {
  std::set<std::string_view> wanted{kRootClass};
  for (const ClassDeclaration& declaration : project.model().classes) {
    if (declaration.is_component) continue;  // The component must also have the list.
    wanted.insert(declaration.name);
    for (const PrepareRule& rule : declaration.prepare) {
      wanted.insert(rule.component.empty() ? rule.assets_of_class : rule.component);
    }
  }
  std::map<std::string_view, const AssetPath*> known;
  for (AssetNumber asset = 0; asset < project.index().assets().size(); ++asset) {
    const AssetPath& path = project.index().at(asset).path;
    if (!has_extension(path, "cs") || !wanted.contains(path.stem()) ||
        !project.graph().is_referred_to(asset)) {
      continue;
    }
    const auto [first, fresh] = known.try_emplace(path.stem(), &path);
    if (fresh) continue;
    findings
        .add("namesake-script", {path, {}},
             "this and '" + first->second->text() + "' both have the class '" +
                 std::string(path.stem()) + "'")
        .related.push_back({{*first->second, {}}, "the other script"});
  }
}

// Whether two entries with the same id are compatible: they have the same identity. Entries of
// effects must also have the same references and pool size.
bool mean_the_same(const ClassDeclaration& declaration, const RegistryEntry& a,
                   const RegistryEntry& b) {
  if (identity_of(a) != identity_of(b)) return false;
  if (declaration.pool_size_path.empty()) return true;
  return a.pool_size.value_or(kDefaultEffectPool) == b.pool_size.value_or(kDefaultEffectPool) &&
         std::ranges::equal(a.references, b.references, {}, &EntryReference::guid,
                            &EntryReference::guid);
}

// Reports ids that two registries of one class and target use for different assets.
void check_ids_across(const Project& project, TargetSet targets, Findings& findings) {
  std::map<std::pair<std::string_view, TypeId>,
           std::vector<std::pair<const Registry*, const RegistryEntry*>>>
      used;
  for (const Registry& registry : project.model().registries) {
    if (!registry.declaration->has_ids) continue;
    for (const RegistryEntry& entry : registry.entries) {
      if (entry.is_free) continue;
      auto& others = used[{registry.declaration->name, entry.type_id}];
      for (const auto& [other, other_entry] : others) {
        const bool together = !(other->targets & registry.targets & targets).empty();
        if (other == &registry || !together ||
            mean_the_same(*registry.declaration, *other_entry, entry)) {
          continue;
        }
        Finding& finding = findings.add("type-id-collision", entry.location,
                                        "type id " + std::to_string(entry.type_id.value()) +
                                            " has another meaning in '" +
                                            project.index().at(other->asset).path.text() +
                                            "', which is built for the same target");
        finding.blocks_build = true;
        finding.related.push_back({other_entry->location, "the other entry"});
        break;
      }
      others.emplace_back(&registry, &entry);
    }
  }
}

// Reports a path of a project's own class that no entry has, because it is probably mistyped. For a
// list, only the key must exist, because the list may be empty.
void check_paths(const Project& project, const ClassDeclaration& declaration, Findings& findings) {
  std::vector<ModelProblem> ignored_problems;
  PathQuery query(project.sources(), ignored_problems);
  for (const ReferenceRule& rule : declaration.references) {
    if (rule.position.line == 0 || rule.path.empty()) continue;
    const std::string path = rule.path.substr(0, rule.path.find("[]"));
    std::size_t tried = 0;
    std::size_t found = 0;
    for (const Registry& registry : project.model().registries) {
      if (registry.declaration != &declaration || found > 0) continue;
      for (const RegistryEntry& entry : registry.entries) {
        const SourceNode at{&project.sources().get(registry.asset), entry.node};
        const auto has = [&](const std::string& key) { return query.has(at, key); };
        if (entry.is_free || std::ranges::any_of(rule.unless, has)) continue;
        ++tried;
        found += query.find(at, path).size();
      }
    }
    if (tried == 0 || found > 0) continue;
    findings.add("unmatched-path",
                 {AssetPath::parse(ProjectConfig::kFileName).value(), rule.position},
                 "no entry of " + with_article(declaration.name) + " has '" + path + "'");
  }
}

}  // namespace

void check_registries(const Project& project, TargetSet targets, Findings& findings) {
  check_model_problems(project, targets, findings);
  check_lists(project, targets, findings);
  check_locks(project, findings);
  check_namesakes(project, findings);
  check_scripts(project, findings);
  for (const ClassDeclaration& declaration : project.model().classes) {
    check_paths(project, declaration, findings);
  }
  for (const Registry& registry : project.model().registries) {
    if (concerns(registry, targets)) check_entries(project, registry, findings);
  }
  check_ids_across(project, targets, findings);
}

}  // namespace muster
