// Prints a prefab as a game would load it, without a build.
#pragma once

#include <string>
#include <vector>

#include "registry/components/component.h"
#include "registry/model/project.h"

namespace muster {

/// The entities of a prefab or factory for a target, with the cooked values of described
/// components. Children are indented below their parents:
///
///     door
///       Transform
///         position: {x: 0, y: 1, z: 0}  # m
///       MeshRenderer  (not described)
///       leaf
///         ...
///
/// Fails with `not_found` if the target does not have the asset, or if the asset is not a prefab;
/// the message has the reason. Fails with `malformed` if the asset cannot be cooked; the message
/// has the position.
Result<std::string> prefab_text(const Project& project, Target target,
                                const std::vector<ComponentDescription>& components,
                                const Guid& asset);

}  // namespace muster
