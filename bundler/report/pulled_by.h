// Finds the asset that adds another one to a build.
#pragma once

#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// For each asset of the project, its predecessor on a shortest chain of strong references from the
/// assets that a target's registries name, or from the registries themselves; `kNoAsset` for those,
/// and for unreachable assets. Ties are resolved by path.
std::vector<AssetNumber> pulled_by(const Project& project, Target target);

}  // namespace muster
