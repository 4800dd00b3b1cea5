// Reads the components that a factory file lists, without flattening a prefab.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/registry_model.h"
#include "registry/project/strip_rules.h"

namespace muster {

/// The class of assets that contain the components of one entity, without a prefab.
inline constexpr std::string_view kFactoryClass = "ReplicatedEntityFactory";

/// A component of a factory.
struct FactoryPart {
  std::string class_name;
  yaml::NodeIndex fields = yaml::kNoNode;  ///< The values; `kNoNode` if the file has only the name.
  yaml::Position named_at;
  /// True if listed under `components`; false if it is a field of the factory.
  bool is_listed = false;
};

/// The components of a factory's entity: first the items of `components`, then the fields of the
/// factory that are mappings and have the name of a component. For example, `projectile: {...}` is
/// a Projectile. `describes` returns whether a name is a component. The result is empty for a
/// factory that has a script. Requires: `source.good()`.
std::vector<FactoryPart> factory_parts(const SourceFile& source,
                                       const std::function<bool(std::string_view)>& describes);

/// The name of the component that a factory's field can contain: `Projectile` for `projectile`.
std::string component_of_field(std::string_view field);

/// The message for a component whose value `at` is not a mapping. The result is empty if the value
/// is a mapping or missing.
std::string message_for_fieldless(std::string_view class_name, const yaml::Node& at);

/// Names of components that games rarely describe: names of engine components, and the names under
/// `strip` in muster.yaml. A rule must not report these names as mistyped.
std::set<std::string> engine_component_names(const TargetStripRules& strip);

/// Whether a text can be the name of a component: it begins with a letter or `_`, and YAML does not
/// read it as a number, boolean or null.
bool may_name_component(std::string_view name, yaml::ScalarStyle style);

/// The message for an entity with two components of one class. `entity` is the entity's name, or
/// empty.
std::string message_for_second(std::string_view entity, std::string_view class_name);

}  // namespace muster
