// Finds the reason why an asset is in a build.
#pragma once

#include <vector>

#include "registry/model/project.h"

namespace muster {

/// For each asset of the project, the asset before it on a shortest chain of strong references.
/// Chains start at the registries of a target and at the assets that these registries name. The
/// result is `kNoAsset` for the start of a chain and for unreachable assets. If several chains have
/// the same length, the asset with the first path is used.
std::vector<AssetNumber> pulled_by(const Project& project, Target target);

}  // namespace muster
