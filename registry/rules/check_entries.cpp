// Checks the entries of one registry. Does the checks of `Verify` in FPSSample. Also checks
// factories and presentation keys, and that each entry has either a prefab or a factory.
#include <algorithm>
#include <charconv>
#include <map>

#include "registry/base/escaped_text.h"
#include "registry/components/effect_pool.h"
#include "registry/model/membership.h"
#include "registry/model/path_query.h"
#include "registry/model/presentation_key.h"
#include "registry/model/type_ids.h"
#include "registry/rules/registered_assets.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

using Role = ReferenceRule::Role;

std::string quoted(const AssetPath& path) { return "'" + path.text() + "'"; }

// True if an asset certainly has none of these classes. The asset has no script, or all base
// classes of its class are known, or its class is another registry class.
bool is_surely_none_of(const Project& project, AssetNumber asset,
                       const std::vector<std::string_view>& wanted) {
  const Asset& known = project.index().at(asset);
  if (known.is_folder || (!has_extension(known.path, "asset") && !is_plain_path(known.path))) {
    return true;
  }
  const SourceFile& source = project.sources().get(asset);
  if (!source.good()) return false;
  const std::string name = class_of_asset(project, asset);
  if (name.empty()) return source.type_name_of(source.document_of(0)) != "MonoBehaviour";
  const auto is_a = [&](std::string_view base) {
    return project.scripts().derives_from(name, base);
  };
  if (std::ranges::any_of(wanted, is_a)) return false;
  if (is_prefab(project.sources(), asset) || is_a(kRootClass)) return true;
  for (const ClassDeclaration& declaration : project.model().classes) {
    if (is_a(declaration.name)) return true;
    for (const PrepareRule& rule : declaration.prepare) {
      if (!rule.assets_of_class.empty() && is_a(rule.assets_of_class)) return true;
    }
  }
  return std::ranges::all_of(
      wanted, [&](std::string_view base) { return project.scripts().is_surely_no(name, base); });
}

// True for a model, which can be used like a prefab.
bool is_model(const AssetPath& path) {
  constexpr std::array<std::string_view, 10> kExtensions = {"3ds", "blend", "dae", "dxf", "fbx",
                                                            "glb", "gltf",  "max", "mb",  "obj"};
  return std::ranges::find(kExtensions, lower_ascii(path.extension())) != kExtensions.end();
}

class RegistryCheck {
 public:
  RegistryCheck(const Project& project, const Registry& registry, Findings& findings)
      : project_(project),
        registry_(registry),
        findings_(findings),
        registered_(project, registry, findings) {}

  void run() {
    for (const RegistryEntry& entry : registry_.entries) {
      if (entry.is_free) {
        note_free(entry);
        continue;
      }
      check_references_of(entry);
      if (check_definition(entry)) {
        registered_.check_definition(entry);
        check_anything(entry);
      }
      check_sources(entry);
      check_stored_id(entry);
      check_pool(entry);
      check_effect(entry);
      check_key_range(entry);
      registered_.check_owner(entry);
    }
    if (registry_.declaration->has_ids) check_ids();
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
        const std::string which = registry_.declaration->has_ids
                                      ? " entry " + std::to_string(entry.type_id.value())
                                      : " entry";
        add("unresolved-reference", reference.location,
            registry_.declaration->name + which + " refers to " + reference.guid.to_string() +
                ", which no asset of the project has");
      } else if (reference.asset == kNoAsset) {
        add("wrong-target", reference.location,
            reference.guid.to_string() + " is outside the project, so it cannot be packed");
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
      return;
    }
    const Guid own = asset->role == Role::prefab && !entry.definition_guid.is_null()
                         ? entry.definition_guid
                         : asset->guid;
    if (entry.own_guid != own) {
      add("own-guid-mismatch", entry.own_guid_location,
          "the entry says " + entry.own_guid.to_string() + " but refers to " + own.to_string());
    }
  }

  bool can_be_both() const {
    return std::ranges::any_of(registry_.declaration->references, [](const ReferenceRule& rule) {
      return rule.role == Role::factory;
    });
  }

  // Reports an empty slot as a note. An empty slot is valid, but may be a mistake.
  void note_free(const RegistryEntry& entry) {
    const bool is_malformed =
        std::ranges::any_of(project_.model().problems, [&](const ModelProblem& problem) {
          return problem.kind == ModelProblem::Kind::malformed_entry &&
                 problem.location.path == entry.location.path &&
                 problem.location.position == entry.location.position;
        });
    if (is_malformed || (!can_be_both() && !entry.explicit_id)) return;
    findings_
        .add(can_be_both() ? "prefab-xor-factory" : "malformed-entry", entry.location,
             "a free slot: nothing has type id " + std::to_string(entry.type_id.value()))
        .severity = Severity::note;
  }

  // True if the entry, or its definition, has a part that could not be read. Such a part has
  // another finding.
  bool is_in_doubt(const RegistryEntry& entry) const {
    if (entry.definition == kNoAsset && !entry.definition_guid.is_null()) return true;
    // The text from the start of this entry up to the next entry.
    const auto next = static_cast<std::size_t>(&entry - registry_.entries.data()) + 1;
    const auto is_inside = [&](const Location& location) {
      return location.path == entry.location.path && location.position >= entry.location.position &&
             (next == registry_.entries.size() ||
              location.position < registry_.entries[next].location.position);
    };
    return std::ranges::any_of(project_.model().problems, [&](const ModelProblem& problem) {
      return is_inside(problem.location) ||
             (entry.definition != kNoAsset &&
              problem.location.path == project_.index().at(entry.definition).path);
    });
  }

  // Reports an entry that is not empty but has no reference under the keys of its class.
  void check_anything(const RegistryEntry& entry) {
    if (!entry.references.empty() || can_be_both() || is_in_doubt(entry)) return;
    if (!entry.folder.is_null()) {
      const AssetNumber folder = project_.index().find(entry.folder);
      findings_
          .add("malformed-entry", entry.location,
               "folder " + quoted(project_.index().at(folder).path) +
                   " contains no asset that can be built")
          .severity = Severity::warning;
      return;
    }
    std::string paths;
    for (const ReferenceRule& rule : registry_.declaration->references) {
      if (rule.path.find("[]") != std::string::npos) return;  // A list may be empty.
      paths += (paths.empty() ? "'" : ", '") + rule.path + "'";
    }
    const std::string message = "this entry refers to no asset: none of " + paths + " is set";
    if (entry.definition == kNoAsset && !has_any_path(entry)) {
      add("malformed-entry", entry.location, message);
      return;
    }
    // The finding is only a warning, because the registry is valid and the entry may be unfinished.
    findings_.add("malformed-entry", entry.location, message).severity = Severity::warning;
  }

  // Whether the entry has any key of its class for a reference.
  bool has_any_path(const RegistryEntry& entry) const {
    std::vector<ModelProblem> ignored_problems;
    PathQuery query(project_.sources(), ignored_problems);
    const SourceNode at{&project_.sources().get(registry_.asset), entry.node};
    return std::ranges::any_of(registry_.declaration->references, [&](const ReferenceRule& rule) {
      return query.find_one(at, rule.path).exists();
    });
  }

  void check_sources(const RegistryEntry& entry) {
    std::size_t prefabs = 0;
    std::size_t factories = 0;
    for (const EntryReference& reference : entry.references) {
      prefabs += reference.role == Role::prefab ? 1U : 0U;
      factories += reference.role == Role::factory ? 1U : 0U;
    }
    if (can_be_both() && (prefabs > 0) == (factories > 0)) {
      add("prefab-xor-factory", entry.location,
          prefabs > 0 ? "the entry has both a prefab and a factory"
                      : "the entry has neither a prefab nor a factory");
    }
    for (const EntryReference& reference : entry.references) {
      if (reference.asset != kNoAsset && check_kind(reference)) {
        registered_.check_reference(entry, reference);
      }
    }
  }

  // Checks the kind of the referenced asset. Returns false if the kind is not allowed.
  bool check_kind(const EntryReference& reference) {
    const Asset& asset = project_.index().at(reference.asset);
    const bool is_bare_model = registry_.declaration->component.empty() && is_model(asset.path);
    if (reference.role == Role::prefab && !is_bare_model &&
        !is_prefab(project_.sources(), reference.asset)) {
      add("wrong-target", reference.location, quoted(asset.path) + " is not a prefab");
      return false;
    }
    if (asset.is_folder || is_script(asset.path)) {
      add("wrong-target", reference.location,
          quoted(asset.path) + (asset.is_folder ? " is a folder" : " is a script"));
      return false;
    }
    return true;
  }

  // Reports an entry whose definition has a wrong class.
  bool check_definition(const RegistryEntry& entry) {
    if (entry.definition == kNoAsset || entry.is_sub_definition) return true;
    std::vector<std::string_view> wanted;
    for (const PrepareRule& rule : registry_.declaration->prepare) {
      if (!rule.assets_of_class.empty()) wanted.push_back(rule.assets_of_class);
    }
    if (wanted.empty() || !is_surely_none_of(project_, entry.definition, wanted)) return true;
    add("wrong-target", entry.definition_location,
        quoted(project_.index().at(entry.definition).path) + " is not of class " +
            std::string(wanted[0]));
    return false;
  }

  void check_stored_id(const RegistryEntry& entry) {
    if (!entry.stored_id || *entry.stored_id == entry.type_id.value()) return;
    add("registry-id-mismatch", entry.stored_id_location,
        "stored registry id " + std::to_string(*entry.stored_id) + ", but the entry has id " +
            std::to_string(entry.type_id.value()));
  }

  void check_pool(const RegistryEntry& entry) {
    if (!entry.pool_size) return;
    if (*entry.pool_size >= 1 && *entry.pool_size <= kMaxEffectPool) return;
    const std::string& written = entry.pool_size_text;
    std::string message =
        "a pool size is a whole number from 1 to " + std::to_string(kMaxEffectPool);
    message +=
        written.empty() ? ", and this one is empty" : ", not '" + escaped_text(written) + "'";
    add("bad-pool-size", entry.pool_size_location, std::move(message));
  }

  // Reports an effect that does not refer to exactly one prefab.
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
      const auto [it, fresh] = by_id.emplace(entry.type_id, &entry);
      if (!fresh) {
        add("type-id-collision", entry.location,
            "type id " + std::to_string(entry.type_id.value()) + " is used by another entry")
            .related.push_back({it->second->location, "the other entry"});
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
      Guid identity = entry.is_sub_definition ? Guid() : entry.definition_guid;
      if (!entry.folder.is_null()) identity = entry.folder;
      if (identity.is_null() && !entry.references.empty()) {
        identity = entry.references.front().guid;
      }
      if (entry.is_free || identity.is_null()) continue;
      const auto [it, fresh] = by_identity.emplace(identity, &entry);
      if (fresh) continue;
      const AssetNumber asset = project_.index().find(identity);
      const std::string name =
          asset == kNoAsset ? identity.to_string() : quoted(project_.index().at(asset).path);
      add("duplicate-entry", entry.location, name + " is registered twice")
          .related.push_back({it->second->location, "registered here first"});
    }
  }

  void check_key_range(const RegistryEntry& entry) {
    const ClassDeclaration& declaration = *registry_.declaration;
    if (declaration.name != kPresentationClass) return;
    for (std::size_t i = 0; i < declaration.key_paths.size(); ++i) {
      const std::string& path = declaration.key_paths[i];
      if (!is_key_number(path) || key_number(path, entry.key[i])) continue;
      add("presentation-key-range", entry.location,
          path + " is '" + entry.key[i] + "', which is not a number from 0 to " +
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
        if (!is_same_key(declaration.key_paths, other->second->key, entry.key)) continue;
        add("presentation-key-collision", entry.location, "another entry has the same key")
            .related.push_back({other->second->location, "the other entry"});
        break;
      }
      by_owner.emplace(entry.key.front(), &entry);
    }
  }

  const Project& project_;
  const Registry& registry_;
  Findings& findings_;
  RegisteredAssets registered_;
};

}  // namespace

void check_entries(const Project& project, const Registry& registry, Findings& findings) {
  RegistryCheck(project, registry, findings).run();
}

}  // namespace muster
