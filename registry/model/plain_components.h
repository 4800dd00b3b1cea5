// Components as the text of a file lists them, where no prefab is made of it first: in factories.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/registry_model.h"
#include "registry/project/strip_rules.h"

namespace muster {

/// The class of assets that hold one entity of pure data.
inline constexpr std::string_view kFactoryClass = "ReplicatedEntityFactory";

/// A component of a factory.
struct FactoryPart {
  std::string class_name;
  yaml::NodeIndex fields = yaml::kNoNode;  ///< What is said of it; none for a bare name.
  yaml::Position named_at;
  bool is_listed = false;  ///< Stands under `components`, not as a field of the factory.
};

/// What a factory's entity is made of: what it lists under `components`, then those of its fields
/// that are mappings and named after a component (`projectile: {...}` is a Projectile). `describes`
/// says whether a name is one; it is asked about each such field. Empty for a factory that stands
/// for itself. Requires: `source` is good.
std::vector<FactoryPart> factory_parts(const SourceFile& source,
                                       const std::function<bool(std::string_view)>& describes);

/// The component that a field of a factory would be, by its name.
std::string component_of_field(std::string_view field);

/// What is said of a component that has something else where its fields should be: `at`. Empty when
/// nothing is wrong: they are a mapping, or there is nothing.
std::string told_of_fieldless(std::string_view class_name, const yaml::Node& at);

/// Names of components that games seldom describe: those of engines, and those that `strip` in
/// muster.yaml lists. None of them counts as mistyped.
std::set<std::string> engine_component_names(const TargetStripRules& strip);

/// Whether what is written can be the name of a component: it begins with a letter or `_`, and is
/// no number, truth value or nothing to YAML.
bool may_name_component(std::string_view name, yaml::ScalarStyle style);

/// What is said of an entity that has two components of one type; `entity` is its name, if any.
std::string told_of_second(std::string_view entity, std::string_view class_name);

}  // namespace muster
