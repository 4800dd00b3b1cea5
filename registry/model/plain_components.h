// Reads the components that a factory file lists in its text, without creating a prefab.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/registry_model.h"
#include "registry/project/strip_rules.h"

namespace muster {

/// The class of assets that contain one entity of pure data.
inline constexpr std::string_view kFactoryClass = "ReplicatedEntityFactory";

/// A component of a factory.
struct FactoryPart {
  std::string class_name;
  yaml::NodeIndex fields = yaml::kNoNode;  ///< The values; none for a bare name.
  yaml::Position named_at;
  bool is_listed = false;  ///< Listed under `components`, not a field of the factory.
};

/// The components of a factory's entity: those listed under `components`, then the fields that are
/// mappings and named after a component (`projectile: {...}` is a Projectile). `describes` returns
/// whether a name is a component; it is called for each such field. Empty for a factory with a
/// script of its own. Requires: `source` is good.
std::vector<FactoryPart> factory_parts(const SourceFile& source,
                                       const std::function<bool(std::string_view)>& describes);

/// The name of the component that a field of a factory would be.
std::string component_of_field(std::string_view field);

/// The message for a component whose fields are replaced by another value, `at`. Empty if the
/// fields are a mapping, or missing.
std::string told_of_fieldless(std::string_view class_name, const yaml::Node& at);

/// Names of components that games rarely describe: those of engines, and those in `strip` of
/// muster.yaml. None of them counts as mistyped.
std::set<std::string> engine_component_names(const TargetStripRules& strip);

/// Whether a text can be the name of a component: it begins with a letter or `_`, and YAML does not
/// read it as a number, boolean or null.
bool may_name_component(std::string_view name, yaml::ScalarStyle style);

/// The message for an entity with two components of one type. `entity` is its name, if any.
std::string told_of_second(std::string_view entity, std::string_view class_name);

}  // namespace muster
