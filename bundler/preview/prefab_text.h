// What a game would get of a prefab, without a build.
#pragma once

#include <string>
#include <vector>

#include "registry/components/component.h"
#include "registry/model/registry_model.h"

namespace muster {

/// The entities of a prefab or factory as a target has them, children inside their parents, with
/// the cooked values of described components:
///
///     door
///       Transform
///         position: {x: 0, y: 1, z: 0}  # m
///       MeshRenderer  (not described)
///       leaf
///         ...
///
/// Fails with `not_found` for what the target does not have or is no prefab (the message tells
/// why), or with `malformed`, naming the place, where it cannot be cooked.
Result<std::string> prefab_text(const Project& project, Target target,
                                const std::vector<ComponentDescription>& components,
                                const Guid& asset);

}  // namespace muster
