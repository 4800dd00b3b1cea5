// Which asset brought another one into a build.
#pragma once

#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// Per asset of the project, the one before it on a shortest chain of strong references from what a
/// target's registries name, or from the registries themselves; `kNoAsset` for those, and for what
/// nothing reaches. Ties are broken by path.
std::vector<AssetNumber> pulled_by(const Project& project, Target target);

}  // namespace muster
