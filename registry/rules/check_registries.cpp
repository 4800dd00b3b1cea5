// What registries say about themselves: the reference's `Verify`, with its holes closed (factories
// are verified, both-and-neither is caught whatever is set, presentation keys count in full).
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "registry/registries/membership.h"
#include "registry/registries/presentation_key.h"
#include "registry/registries/type_ids.h"
#include "registry/rules/validate.h"
#include "registry/vocabulary/effect_pool.h"

namespace muster {
namespace {

using Role = ReferenceRule::Role;

std::string quoted(const AssetPath& path) { return "'" + path.text() + "'"; }

class RegistryCheck {
 public:
  RegistryCheck(const Project& project, const Registry& registry, Findings& findings)
      : project_(project), registry_(registry), findings_(findings) {}

  void run() {
    for (const RegistryEntry& entry : registry_.entries) {
      if (entry.is_free) continue;
      check_references_of(entry);
      check_sources(entry);
      check_stored_id(entry);
      check_pool(entry);
      check_effect(entry);
      check_key_range(entry);
    }
    check_ids();
    check_duplicates();
    check_keys();
  }

 private:
  Finding& add(std::string_view rule, const Location& location, std::string message) {
    Finding& finding = findings_.add(rule, location, std::move(message));
    finding.severity = std::max(finding.severity, Severity::error);
    finding.blocks_build = true;
    return finding;
  }

  void check_references_of(const RegistryEntry& entry) {
    for (const EntryReference& reference : entry.references) {
      if (reference.asset == kNoAsset && !project_.is_known_elsewhere(reference.guid)) {
        add("unresolved-reference", reference.location,
            registry_.declaration->name + " entry " + std::to_string(entry.type_id.value()) +
                " refers to " + reference.guid.to_string() + ", which nothing in the project has");
      }
    }
    const auto repeated = [&](Role role) {
      return std::ranges::find(entry.references, role, &EntryReference::role);
    };
    const auto asset = repeated(Role::prefab) != entry.references.end() ? repeated(Role::prefab)
                                                                        : repeated(Role::factory);
    if (entry.own_guid_location.path.empty() || asset == entry.references.end()) return;
    if (repeated(Role::prefab) != entry.references.end() &&
        repeated(Role::factory) != entry.references.end()) {
      return;  // has its own finding
    }
    const Guid own = asset->role == Role::prefab && !entry.definition_guid.is_null()
                         ? entry.definition_guid
                         : asset->guid;
    if (entry.own_guid != own) {
      add("own-guid-mismatch", entry.own_guid_location,
          "the entry says " + entry.own_guid.to_string() + " but refers to " + own.to_string());
    }
  }

  void check_sources(const RegistryEntry& entry) {
    std::size_t prefabs = 0;
    std::size_t factories = 0;
    for (const EntryReference& reference : entry.references) {
      prefabs += reference.role == Role::prefab ? 1U : 0U;
      factories += reference.role == Role::factory ? 1U : 0U;
    }
    const bool can_be_both =
        std::ranges::any_of(registry_.declaration->references,
                            [](const ReferenceRule& rule) { return rule.role == Role::factory; });
    if (can_be_both && (prefabs > 0) == (factories > 0)) {
      add("prefab-xor-factory", entry.location,
          prefabs > 0 ? "the entry has both a prefab and a factory"
                      : "the entry has neither a prefab nor a factory");
    }
    if (registry_.declaration->component.empty()) return;
    for (const EntryReference& reference : entry.references) {
      if (reference.asset == kNoAsset) continue;
      if (reference.role == Role::prefab) check_prefab(entry, reference);
      if (reference.role == Role::factory) check_factory(reference);
    }
  }

  void check_prefab(const RegistryEntry& entry, const EntryReference& reference) {
    const Asset& asset = project_.index().at(reference.asset);
    if (!is_prefab(project_.sources(), reference.asset)) {
      add("missing-component", reference.location, quoted(asset.path) + " is no prefab");
      return;
    }
    const SourcePrefab& prefab = project_.prefabs().flatten(reference.asset);
    if (prefab.entities.empty()) return;  // said by the rules about prefabs
    const std::string& wanted = registry_.declaration->component;
    const SourceComponent* found = root_component(project_, reference.asset, wanted);
    if (found == nullptr) {
      const std::string message =
          prefab.is_incomplete ? " comes from something that cannot be read, and shows no " + wanted
                               : " has no " + wanted;
      add("missing-component", reference.location, "the root of " + quoted(asset.path) + message)
          .related.push_back({{asset.path, {}}, "the prefab"});
      return;
    }
    check_stored_guid(reference, *found);
    check_component_id(entry, *found);
  }

  void check_stored_guid(const EntryReference& reference, const SourceComponent& component) {
    for (const std::string& path : registry_.declaration->component_guid_paths) {
      const auto stored = component.weak_reference(path);
      if (!stored) continue;
      if (*stored != reference.guid) {
        add("own-guid-mismatch", location_of(component, path, reference),
            "the prefab's " + registry_.declaration->component + " says " + stored->to_string() +
                " but the prefab's guid is " + reference.guid.to_string());
      }
      return;
    }
  }

  Location location_of(const SourceComponent& component, std::string_view path,
                       const EntryReference& fallback) const {
    const SourceComponent::Place place = component.find(path);
    if (place.source == nullptr || place.source->guid != fallback.guid) return fallback.location;
    return {place.source->path, place.source->tree.at(place.node).position};
  }

  void check_component_id(const RegistryEntry& entry, const SourceComponent& component) {
    if (!entry.own_guid.is_null()) return;  // of layout F, where such a field is a leftover
    const auto stored = component.scalar("registryId");
    if (!stored) return;
    std::int64_t value = 0;
    const auto parsed = std::from_chars(stored->data(), stored->data() + stored->size(), value);
    if (parsed.ec != std::errc() || value == entry.type_id.value()) return;
    const SourceComponent::Place place = component.find("registryId");
    add("registry-id-mismatch", {place.source->path, place.source->tree.at(place.node).position},
        "stored registry id " + std::string(*stored) + ", but the entry has id " +
            std::to_string(entry.type_id.value()));
  }

  void check_factory(const EntryReference& reference) {
    const SourceFile& source = project_.sources().get(reference.asset);
    if (!source.good()) return;
    const yaml::NodeIndex node = source.tree.find(source.fields_of(source.document_of(0)), "guid");
    if (node == yaml::kNoNode) return;
    const auto stored = yaml::weak_reference_at(source.tree, node);
    if (stored && stored.value() != reference.guid) {
      add("own-guid-mismatch", {source.path, source.tree.at(node).position},
          "the factory says " + stored.value().to_string() + " but its guid is " +
              reference.guid.to_string());
    }
  }

  void check_stored_id(const RegistryEntry& entry) {
    if (!entry.stored_id || *entry.stored_id == entry.type_id.value()) return;
    add("registry-id-mismatch", entry.stored_id_location,
        "stored registry id " + std::to_string(*entry.stored_id) + ", but the entry has id " +
            std::to_string(entry.type_id.value()));
  }

  void check_pool(const RegistryEntry& entry) {
    if (!entry.pool_size) return;
    const std::string pool = "a pool of " + std::to_string(*entry.pool_size);
    if (*entry.pool_size <= 0) {
      add("bad-pool-size", entry.pool_size_location, pool + " can play nothing");
    } else if (*entry.pool_size > kMaxEffectPool) {
      add("bad-pool-size", entry.pool_size_location,
          pool + " is above " + std::to_string(kMaxEffectPool));
    }
  }

  // An effect is one prefab: that of the entry, or of its definition.
  void check_effect(const RegistryEntry& entry) {
    if (registry_.declaration->pool_size_path.empty() || entry.references.empty()) return;
    const Guid& first = entry.references.front().guid;
    const auto other = std::ranges::find_if(
        entry.references, [&](const EntryReference& reference) { return reference.guid != first; });
    if (other == entry.references.end()) return;
    add("duplicate-entry", entry.location,
        "the entry names two prefabs: " + first.to_string() + " and " + other->guid.to_string())
        .related.push_back({other->location, "the second one"});
  }

  void check_ids() {
    std::map<TypeId, const RegistryEntry*> by_id;
    for (const RegistryEntry& entry : registry_.entries) {
      if (entry.is_free) continue;
      if (entry.type_id.value() > TypeId::kMax) {
        add("type-id-collision", entry.location, "type ids above 65534 do not fit the wire");
      }
      const auto [place, fresh] = by_id.emplace(entry.type_id, &entry);
      if (!fresh) {
        add("type-id-collision", entry.location,
            "type id " + std::to_string(entry.type_id.value()) + " is taken by another entry")
            .related.push_back({place->second->location, "the other entry"});
      }
      const auto retired =
          std::ranges::find(registry_.retired, entry.type_id, &std::pair<TypeId, Location>::first);
      if (retired != registry_.retired.end()) {
        add("type-id-reused", entry.location,
            "type id " + std::to_string(entry.type_id.value()) + " was retired");
      }
    }
  }

  void check_duplicates() {
    if (!registry_.declaration->key_paths.empty()) return;
    std::map<Guid, const RegistryEntry*> by_identity;
    for (const RegistryEntry& entry : registry_.entries) {
      Guid identity = entry.definition_guid;
      if (identity.is_null() && !entry.references.empty()) {
        identity = entry.references.front().guid;
      }
      if (entry.is_free || identity.is_null()) continue;
      const auto [place, fresh] = by_identity.emplace(identity, &entry);
      if (fresh) continue;
      const AssetNumber asset = project_.index().find(identity);
      const std::string name =
          asset == kNoAsset ? identity.to_string() : quoted(project_.index().at(asset).path);
      add("duplicate-entry", entry.location, name + " is registered twice")
          .related.push_back({place->second->location, "registered here first"});
    }
  }

  // Platform flags are a set: two entries collide when any platform sees both.
  static bool same_key(const ClassDeclaration& declaration, const RegistryEntry& a,
                       const RegistryEntry& b) {
    for (std::size_t i = 0; i < declaration.key_paths.size(); ++i) {
      if (declaration.key_paths[i] == "platformFlags") {
        const std::uint32_t left = key_number("platformFlags", a.key[i]).value_or(0);
        const std::uint32_t right = key_number("platformFlags", b.key[i]).value_or(0);
        if (left != right && (left & right) == 0) return false;
      } else if (a.key[i] != b.key[i]) {
        return false;
      }
    }
    return true;
  }

  void check_key_range(const RegistryEntry& entry) {
    const ClassDeclaration& declaration = *registry_.declaration;
    if (declaration.name != kPresentationClass) return;
    for (std::size_t i = 0; i < declaration.key_paths.size(); ++i) {
      const std::string& path = declaration.key_paths[i];
      if (!is_key_number(path) || key_number(path, entry.key[i])) continue;
      add("presentation-key-range", entry.location,
          path + " is '" + entry.key[i] + "', which is no number from 0 to " +
              std::to_string(key_number_max(path)));
    }
  }

  void check_keys() {
    const ClassDeclaration& declaration = *registry_.declaration;
    if (declaration.key_paths.empty()) return;
    std::multimap<std::string, const RegistryEntry*> by_owner;
    for (const RegistryEntry& entry : registry_.entries) {
      if (entry.is_free) continue;
      for (auto [other, end] = by_owner.equal_range(entry.key.front()); other != end; ++other) {
        if (!same_key(declaration, *other->second, entry)) continue;
        add("presentation-key-collision", entry.location, "another entry answers to the same key")
            .related.push_back({other->second->location, "the other entry"});
        break;
      }
      by_owner.emplace(entry.key.front(), &entry);
    }
  }

  const Project& project_;
  const Registry& registry_;
  Findings& findings_;
};

// What no root lists concerns every target.
bool concerns(const Registry& registry, TargetSet targets) {
  return registry.targets.empty() || !(registry.targets & targets).empty();
}

// A file that a registry needs and that has no tree: say why, by what the file is.
void add_unreadable(const Project& project, AssetNumber asset, const Location& user,
                    std::string_view detail, Findings& findings) {
  const SourceFile& source = project.sources().get(asset);
  std::string_view rule = "yaml-syntax";
  if (source.read_error) rule = read_error_rule(*source.read_error);
  if (source.dialect == yaml::Dialect::lfs_pointer) rule = "lfs-pointer";
  if (source.dialect == yaml::Dialect::binary) rule = "binary-asset";
  std::string message = source.read_error               ? source.read_error->message
                        : source.error                  ? source.error->message
                        : source.tree.documents.empty() ? "this file has no objects"
                                                        : "this file's object names no script";
  if (!detail.empty()) message += "; it " + std::string(detail);
  yaml::Position position = source.error ? source.error->position : yaml::Position{};
  if (rule == "lfs-pointer") position = {1, 1};
  if (rule == "binary-asset" || source.dialect == yaml::Dialect::empty) position = {};
  Finding& finding = findings.add(rule, {source.path, position}, std::move(message));
  finding.severity = Severity::error;
  finding.blocks_build = true;
  if (user.path != source.path) finding.related.push_back({user, "needed here"});
}

// The files of roots and registries that only another target uses.
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
    case malformed_reference:
      return "malformed-guid";
    case malformed_type_id:
      return "malformed-type-id";
    case malformed_flag:
      return "malformed-flag";
    case missing_list:
      return "missing-entries";
    case unknown_class:
      return "unknown-registry";
    case unreadable:
    case textless:
      break;
  }
  return "yaml-syntax";
}

// One that has no list at all may just have been made; with another list, it has a problem above.
void check_lists(const Project& project, TargetSet targets, Findings& findings) {
  for (const Registry& registry : project.model().registries) {
    const bool is_told =
        std::ranges::any_of(project.model().problems, [&](const ModelProblem& problem) {
          return problem.kind == ModelProblem::Kind::missing_list &&
                 problem.asset == registry.asset;
        });
    if (registry.list != yaml::kNoNode || is_told || !concerns(registry, targets)) continue;
    findings
        .add("missing-entries", {project.index().at(registry.asset).path, {}},
             "this " + registry.declaration->name + " has no '" +
                 registry.declaration->lists.front() + "'")
        .severity = Severity::warning;
  }
}

// A lock whose registry is gone: perhaps it was renamed, and its ids are about to be given anew.
void check_locks(const Project& project, Findings& findings) {
  for (const LockFile& file : project.model().locks) {
    if (file.registry != kNoAsset || file.error) continue;
    if (!file.other.empty()) {
      findings
          .add("orphan-lock", {file.path, {}},
               "the lock '" + file.other.text() + "' counts for this registry, not this one")
          .related.push_back({{file.other, {}}, "the other one"});
      continue;
    }
    findings.add("orphan-lock", {file.path, {}},
                 file.lock.registry.is_null()
                     ? "there is no registry of this name beside this lock"
                     : "nothing in the project has the guid of its registry, " +
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
      message = "refers to " + problem.guid.to_string() + ", which nothing in the project has";
    }
    Finding& finding = findings.add(rule_of(problem.kind), problem.location, std::move(message));
    if (problem.kind == ModelProblem::Kind::unknown_class) continue;
    finding.severity = Severity::error;
    finding.blocks_build = true;
  }
}

// Two registries may name one thing under one id, but an effect must then be the same in both.
bool mean_the_same(const ClassDeclaration& declaration, const RegistryEntry& a,
                   const RegistryEntry& b) {
  if (identity_of(a) != identity_of(b)) return false;
  if (declaration.pool_size_path.empty()) return true;
  return a.pool_size.value_or(kDefaultEffectPool) == b.pool_size.value_or(kDefaultEffectPool) &&
         std::ranges::equal(a.references, b.references, {}, &EntryReference::guid,
                            &EntryReference::guid);
}

// Registries of one class that are built together share one range of ids.
void check_ids_across(const Project& project, TargetSet targets, Findings& findings) {
  std::map<std::pair<std::string_view, TypeId>,
           std::vector<std::pair<const Registry*, const RegistryEntry*>>>
      taken;
  for (const Registry& registry : project.model().registries) {
    for (const RegistryEntry& entry : registry.entries) {
      if (entry.is_free) continue;
      auto& others = taken[{registry.declaration->name, entry.type_id}];
      for (const auto& [other, other_entry] : others) {
        const bool together = !(other->targets & registry.targets & targets).empty();
        if (other == &registry || !together ||
            mean_the_same(*registry.declaration, *other_entry, entry)) {
          continue;
        }
        Finding& finding = findings.add(
            "type-id-collision", entry.location,
            "type id " + std::to_string(entry.type_id.value()) + " means something else in '" +
                project.index().at(other->asset).path.text() + "', which is built with this");
        finding.blocks_build = true;
        finding.related.push_back({other_entry->location, "the other entry"});
        break;
      }
      others.emplace_back(&registry, &entry);
    }
  }
}

}  // namespace

void check_registries(const Project& project, TargetSet targets, Findings& findings) {
  check_model_problems(project, targets, findings);
  check_lists(project, targets, findings);
  check_locks(project, findings);
  for (const Registry& registry : project.model().registries) {
    if (concerns(registry, targets)) RegistryCheck(project, registry, findings).run();
  }
  check_ids_across(project, targets, findings);
}

}  // namespace muster
