// Compares replicated prefabs with the limits of the wire format, which a game otherwise meets only
// when it runs.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "registry/base/counted.h"
#include "registry/base/wire_limits.h"
#include "registry/components/quantisation.h"
#include "registry/model/plain_components.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

/// The number of values of a field on the wire.
std::size_t count_values(const FieldDescription& field) {
  const WireRange range = wire_range(field);
  const bool is_wide =
      static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low) > 0xFFFF'FFFF;
  return std::size_t{wire_value_count(field)} * (is_wide ? 2U : 1U);
}

/// A replicated component and its number of values.
struct WireComponent {
  std::size_t values = 0;
  std::size_t largest_values = 0;  ///< Those of its largest field.
  std::string largest_field;
};

class WireLimitCheck {
 public:
  WireLimitCheck(const Project& project, const std::vector<ComponentDescription>& components,
                 Findings& findings)
      : project_(project), findings_(findings) {
    for (const ComponentDescription& description : components) {
      WireComponent& component = components_[description.name];
      for (const FieldDescription& field : description.fields) {
        const std::size_t count = count_values(field);
        component.values += count;
        if (count <= component.largest_values) continue;
        component.largest_values = count;
        component.largest_field = field.name;
      }
    }
  }

  /// Checks the number of fields of each component of the description file.
  void check_components(const std::vector<ComponentDescription>& components) {
    for (const ComponentDescription& description : components) {
      if (description.fields.size() <= kComponentFieldsMax) continue;
      add({*project_.config().components, {}}, true,
          fmt::format("component '{}' has {}; a replicated component has at most {}",
                      description.name, counted(description.fields.size(), "field"),
                      kComponentFieldsMax));
    }
  }

  /// The server's prefabs determine the types of a game.
  void check_registry(const Registry& registry, const std::set<AssetNumber>& built) {
    if (registry.declaration->component.empty() || !registry.targets.has(Target::server)) return;
    std::size_t types = 0;
    std::size_t all_values = 0;
    bool is_any_built = false;
    for (const RegistryEntry& entry : registry.entries) {
      std::size_t values = 0;
      for (const EntryReference& reference : entry.references) {
        if (reference.asset == kNoAsset || !reference.targets.has(Target::server)) continue;
        const bool is_built = built.contains(reference.asset);
        is_any_built = is_any_built || is_built;
        values = std::max(values, check_asset(reference, is_built));
      }
      if (values > 0) ++types;
      all_values += values;
    }
    if (types > kReplicatedTypesMax) {
      add({project_.index().at(registry.asset).path, {}}, is_any_built,
          fmt::format("the game has {} replicated types; at most {} are possible", types,
                      kReplicatedTypesMax));
    }
    if (all_values > kSchemaValuesMax) {
      add({project_.index().at(registry.asset).path, {}}, is_any_built,
          fmt::format("all {} together replicate {} values; at most {} are possible",
                      counted(types, "type"), all_values, kSchemaValuesMax));
    }
  }

 private:
  /// Returns the number of values of the asset's type.
  std::size_t check_asset(const EntryReference& reference, bool is_built) {
    std::vector<std::string> parts;
    std::size_t members = 1;
    if (reference.role == ReferenceRule::Role::factory) {
      parts = parts_of_factory(reference.asset);
    } else if (is_prefab(project_.sources(), reference.asset)) {
      const SourcePrefab& prefab = project_.prefabs().flatten(reference.asset);
      if (!prefab.problems.empty()) return 0;  // Reported elsewhere.
      members = prefab.entities.size();
      for (const SourceEntity& entity : prefab.entities) {
        for (const SourceComponent& component : entity.components) {
          parts.push_back(component.class_name);
        }
      }
    }
    const Location file{project_.index().at(reference.asset).path, {}};
    if (members > kReplicatedMembersMax && !parts.empty()) {
      add(file, is_built,
          fmt::format("it has {}, and the components of the first {} are replicated",
                      counted(members, "game object"), kReplicatedMembersMax));
    }
    std::size_t values = 0;
    std::pair<std::string, WireComponent> largest;
    for (const std::string& part : parts) {
      const auto found = components_.find(part);
      if (found == components_.end()) continue;
      values += found->second.values;
      if (found->second.values > largest.second.values) largest = *found;
    }
    if (values > kTypeValuesMax) {
      add(file, is_built,
          fmt::format("it has {} values on the wire, and a type has at most {}: {} of them are of "
                      "component '{}', and {} of these of field '{}'",
                      values, kTypeValuesMax, largest.second.values, largest.first,
                      largest.second.largest_values, largest.second.largest_field));
    }
    return values;
  }

  std::vector<std::string> parts_of_factory(AssetNumber asset) const {
    std::vector<std::string> parts;
    const SourceFile& source = project_.sources().get(asset);
    if (!source.good()) return parts;
    for (FactoryPart& part :
         factory_parts(source, [&](std::string_view name) { return components_.contains(name); })) {
      parts.push_back(std::move(part.class_name));
    }
    return parts;
  }

  void add(Location location, bool is_built, std::string message) {
    Finding& finding = findings_.add("wire-limit", std::move(location), std::move(message));
    finding.blocks_build = is_built;
  }

  const Project& project_;
  Findings& findings_;
  std::map<std::string, WireComponent, std::less<>> components_;
};

}  // namespace

void check_wire_limits(const Project& project, const std::set<AssetNumber>& built,
                       Findings& findings) {
  const auto components = load_components(project.files(), project.config());
  // An unreadable file is reported elsewhere. Without a description no size is known.
  if (!components || components.value().empty()) return;
  WireLimitCheck check(project, components.value(), findings);
  check.check_components(components.value());
  for (const Registry& registry : project.model().registries) check.check_registry(registry, built);
}

}  // namespace muster
