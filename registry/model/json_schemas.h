// What an editor needs to complete and underline `muster.yaml` and plain files: JSON Schema
// 2020-12.
#pragma once

#include <span>
#include <string>

#include "registry/components/component.h"
#include "registry/model/class_declaration.h"
#include "registry/project/strip_rules.h"

namespace muster {

/// A schema of `muster.yaml`: from the keys that its reader knows (`config_keys.h`).
std::string config_json_schema();

/// A schema of a project's plain files: roots, the registries of each class (from its declaration),
/// and prefabs with the components of the game (from their descriptions). Files of other classes
/// are the game's own and pass; so do components that the game does not describe, unless the name
/// looks like a mistyped one. `strip` lists more names that are no mistakes.
std::string content_json_schema(std::span<const ClassDeclaration> classes,
                                std::span<const ComponentDescription> components,
                                const TargetStripRules& strip);

}  // namespace muster
