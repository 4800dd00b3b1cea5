// JSON Schemas (2020-12) with which editors complete and check `muster.yaml` and plain files.
#pragma once

#include <span>
#include <string>

#include "registry/components/component.h"
#include "registry/model/class_declaration.h"
#include "registry/project/strip_rules.h"

namespace muster {

/// A schema of `muster.yaml`, from the keys that its reader knows (`config_keys.h`).
std::string config_json_schema();

/// A schema of a project's plain files: roots, the registries of each class (from its declaration),
/// and prefabs with the game's components (from their descriptions). It accepts files of other
/// classes, which are the game's own, and components without a description, unless the name looks
/// like a mistyped one. Names in `strip` are not mistakes either.
std::string content_json_schema(std::span<const ClassDeclaration> classes,
                                std::span<const ComponentDescription> components,
                                const TargetStripRules& strip);

}  // namespace muster
