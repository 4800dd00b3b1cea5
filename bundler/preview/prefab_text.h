// Shows the form of a prefab that a game would load, without a build.
#pragma once

#include <string>
#include <vector>

#include "registry/components/component.h"
#include "registry/model/registry_model.h"

namespace muster {

/// The entities of a prefab or factory for a target, children inside their parents, with the cooked
/// values of described components:
///
///     door
///       Transform
///         position: {x: 0, y: 1, z: 0}  # m
///       MeshRenderer  (not described)
///       leaf
///         ...
///
/// Fails with `not_found` if the target does not have the asset or if it is no prefab (the message
/// has the reason), or with `malformed`, with the position, if it cannot be cooked.
Result<std::string> prefab_text(const Project& project, Target target,
                                const std::vector<ComponentDescription>& components,
                                const Guid& asset);

}  // namespace muster
