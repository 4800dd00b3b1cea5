// Compares replicated prefabs with the limits of the wire. Without this check, a game would detect
// an exceeded limit only at run time. Checks only the prefabs of a server build, because they
// define the replicated types. Also compares the sizes of messages with the limit for events.
#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "registry/base/counted.h"
#include "registry/base/wire_limits.h"
#include "registry/components/quantisation.h"
#include "registry/model/plain_components.h"
#include "registry/model/stripped_parts.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

/// The registry whose entries a game replicates.
constexpr std::string_view kReplicatedClass = "ReplicatedEntityRegistry";

/// The number of values of a field on the wire.
std::size_t count_values(const FieldDescription& field) {
  const WireRange range = wire_range(field);
  const bool is_wide =
      static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low) > 0xFFFF'FFFF;
  return std::size_t{wire_value_count(field)} * (is_wide ? 2U : 1U);
}

/// The size of a described component.
struct ReplicatedComponentSize {
  std::size_t fields = 0;
  std::size_t values = 0;
  std::size_t largest_values = 0;  ///< The number of values of the largest field.
  std::string largest_field;
};

/// A component of a replicated prefab, and the index of its entity.
using ReplicatedPart = std::pair<std::size_t, std::string>;

class WireLimitCheck {
 public:
  WireLimitCheck(const Project& project, const std::vector<ComponentDescription>& components,
                 const std::set<AssetNumber>& built, Findings& findings)
      : project_(project), built_(built), findings_(findings) {
    for (const ComponentDescription& description : components) {
      ReplicatedComponentSize& component = components_[description.name];
      component.fields = description.fields.size();
      for (const FieldDescription& field : description.fields) {
        const std::size_t count = count_values(field);
        component.values += count;
        if (count <= component.largest_values) continue;
        component.largest_values = count;
        component.largest_field = field.name;
      }
    }
  }

  void check(const Registry& registry) {
    std::set<AssetNumber> assets;
    for (const RegistryEntry& entry : registry.entries) {
      for (const EntryReference& reference : entry.references) {
        const bool is_type = reference.targets.has(Target::server) &&
                             built_.contains(reference.asset) &&
                             assets.insert(reference.asset).second;
        if (is_type) check_type(reference);
      }
    }
    const Location file{project_.index().at(registry.asset).path, {}};
    check_count(file, assets.size(), kReplicatedTypesMax, "types");
    check_count(file, all_parts_.size(), kReplicatedComponentsMax, "different components");
    check_count(file, all_values_, kSchemaValuesMax, "values in all types together");
  }

 private:
  void check_type(const EntryReference& reference) {
    const std::vector<ReplicatedPart> parts = parts_of(reference);
    const Location file{project_.index().at(reference.asset).path, {}};
    std::map<std::string_view, std::size_t> by_component;
    std::size_t values = 0;
    for (const ReplicatedPart& part : parts) {
      const ReplicatedComponentSize& component = components_.at(part.second);
      if (component.fields > kComponentFieldsMax && reported_.insert(part.second).second) {
        add(file,
            fmt::format("its component '{}' has {}; a replicated component can have at most {}",
                        part.second, counted(component.fields, "field"), kComponentFieldsMax));
      }
      by_component[part.second] += component.values;
      values += component.values;
      all_parts_.insert(part);
    }
    all_values_ += values;
    if (values <= kTypeValuesMax) return;
    const auto largest = std::ranges::max_element(
        by_component, {}, [](const auto& component) { return component.second; });
    const ReplicatedComponentSize& component = components_.find(largest->first)->second;
    add(file, fmt::format("it has {} values on the wire, and a type has at most {}: {} of them are "
                          "of component '{}', whose largest field is '{}' ({})",
                          values, kTypeValuesMax, largest->second, largest->first,
                          component.largest_field, component.largest_values));
  }

  /// The replicated components of a prefab: the components of the first `kReplicatedMembersMax`
  /// entities in depth-first order.
  std::vector<ReplicatedPart> parts_of(const EntryReference& reference) {
    std::vector<ReplicatedPart> parts;
    if (reference.role == ReferenceRule::Role::factory) {
      const SourceFile& source = project_.sources().get(reference.asset);
      if (!source.good()) return parts;
      for (FactoryPart& part : factory_parts(
               source, [&](std::string_view name) { return components_.contains(name); })) {
        if (is_replicated(part.class_name, 0)) parts.emplace_back(0, std::move(part.class_name));
      }
      return parts;
    }
    if (!is_prefab(project_.sources(), reference.asset)) return parts;
    const SourcePrefab& prefab = project_.prefabs().flatten(reference.asset);
    if (!prefab.problems.empty()) return parts;  // Other rules report the problems.
    std::size_t left_out = 0;
    for (std::size_t member = 0; member < prefab.entities.size(); ++member) {
      for (const SourceComponent& component : prefab.entities[member].components) {
        if (!is_replicated(component.class_name, component.class_id)) continue;
        if (member < kReplicatedMembersMax) {
          parts.emplace_back(member, component.class_name);
        } else {
          ++left_out;
        }
      }
    }
    if (left_out > 0) {
      Finding& finding = add({project_.index().at(reference.asset).path, {}},
                             fmt::format("it has {}, of which the first {} are replicated; clients "
                                         "will not receive {} of the others",
                                         counted(prefab.entities.size(), "game object"),
                                         kReplicatedMembersMax, counted(left_out, "component")));
      finding.severity = Severity::warning;
      finding.blocks_build = false;
    }
    return parts;
  }

  bool is_replicated(std::string_view class_name, std::int64_t class_id) const {
    const auto found = components_.find(class_name);
    const StripRules& rules = project_.config().strip[target_index(Target::server)];
    return found != components_.end() && found->second.fields > 0 &&
           !rules.strips_class(class_name, owner_of_class(class_id));
  }

  void check_count(const Location& file, std::size_t count, std::size_t max,
                   std::string_view what) {
    if (count <= max) return;
    add(file, fmt::format("its prefabs have {} {}; at most {} are possible", count, what, max));
  }

  Finding& add(Location location, std::string message) {
    Finding& finding = findings_.add("wire-limit", std::move(location), std::move(message));
    finding.blocks_build = true;
    return finding;
  }

  const Project& project_;
  const std::set<AssetNumber>& built_;
  Findings& findings_;
  std::map<std::string, ReplicatedComponentSize, std::less<>> components_;
  std::set<ReplicatedPart> all_parts_;
  std::size_t all_values_ = 0;
  /// The components that were reported because they have too many fields.
  std::set<std::string> reported_;
};

/// The size of a message on the wire, and its largest field.
struct MessageSize {
  std::size_t bytes = 2;  ///< The size, including the index of the message.
  std::string largest_field;
  std::size_t largest_bits = 0;
};

MessageSize size_of(const ComponentDescription& message) {
  MessageSize size;
  std::size_t bits = 0;
  for (const FieldDescription& field : message.fields) {
    const WireRange range = wire_range(field);
    const auto width = static_cast<std::size_t>(std::bit_width(
        static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low)));
    const std::size_t of_field = width * wire_value_count(field);
    bits += of_field;
    if (of_field <= size.largest_bits) continue;
    size.largest_bits = of_field;
    size.largest_field = field.name;
  }
  size.bytes += (bits + 7) / 8;
  return size;
}

/// Adds a note for each message type that is too large for `emit` or `at_tick`. The finding is only
/// a note, because other messages may be larger.
void check_events(const Project& project, Findings& findings) {
  if (!project.config().components) return;
  const auto messages = load_messages(project.files(), project.config());
  if (!messages) {
    // Another rule reports unreadable descriptions.
    if (!load_components(project.files(), project.config())) return;
    findings.add("unreadable-components", {*project.config().components, {}},
                 messages.error().message);
    return;
  }
  for (const ComponentDescription& message : messages.value()) {
    const MessageSize size = size_of(message);
    if (size.bytes <= kEmittedBytesMax) continue;
    Finding& finding = findings.add(
        "wire-limit", {*project.config().components, {}},
        fmt::format("the message '{}' has {} bytes on the wire, but a message can have at "
                    "most {} with `at_tick` and {} with `emit`; its largest field is "
                    "'{}' ({} bytes)",
                    message.name, size.bytes, kEventBytesMax, kEmittedBytesMax, size.largest_field,
                    (size.largest_bits + 7) / 8));
    finding.severity = Severity::note;
    finding.blocks_build = false;
  }
}

}  // namespace

void check_wire_limits(const Project& project, const std::set<AssetNumber>& built,
                       Findings& findings) {
  check_events(project, findings);
  for (const Registry& registry : project.model().registries) {
    if (registry.declaration->name != kReplicatedClass || !registry.targets.has(Target::server)) {
      continue;
    }
    const auto components = load_components(project.files(), project.config());
    // Another rule reports unreadable descriptions. Without a description no size is known.
    if (!components) return;
    WireLimitCheck(project, components.value(), built, findings).check(registry);
  }
}

}  // namespace muster
