// JSON Schemas (2020-12) with which editors complete and check `muster.yaml` and plain files.
#pragma once

#include <span>
#include <string>

#include "registry/components/component.h"
#include "registry/model/class_declaration.h"
#include "registry/project/strip_rules.h"

namespace muster {

/// The schema of `muster.yaml`, generated from the keys in `config_keys.h`.
std::string config_json_schema();

/// The schema of a project's plain files: roots, the registries of each class in `classes`, and
/// prefabs with the components in `components`. The schema accepts files of other classes, because
/// a game may have its own classes. The schema accepts a component without a description, unless
/// its name is similar to the name of a described component. Names in `strip` are always accepted.
std::string content_json_schema(std::span<const ClassDeclaration> classes,
                                std::span<const ComponentDescription> components,
                                const TargetStripRules& strip);

}  // namespace muster
