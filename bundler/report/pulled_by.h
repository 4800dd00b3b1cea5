// Finds the asset that adds another one to a build.
#pragma once

#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// For each asset of the project, its predecessor on a shortest chain of strong references. Chains
/// start at a target's registries and at the assets that these registries name. `kNoAsset` for the
/// start of a chain, and for unreachable assets. Ties are resolved by path.
std::vector<AssetNumber> pulled_by(const Project& project, Target target);

}  // namespace muster
