// Plans bundles for variants that a game chooses at run time.
#pragma once

#include "bundler/plan/bundle_plan.h"

namespace muster {

/// The first asset of a target whose form the game chooses at run time; `kNoAsset` if there is no
/// such asset.
AssetNumber first_open(const Project& project, Target target);

/// Moves each asset whose form the game chooses into a bundle without other assets. Moves each
/// variant of such an asset into another bundle, which can replace the bundle of the asset. The
/// assets that only these bundles need are moved to shared bundles, one per distinct set of users,
/// so that they are loaded only together with a form that needs them.
///
/// The dependencies of a bundle include bundles with alternatives. They do not include the
/// dependencies of such bundles, because each alternative lists its own dependencies. A plan
/// without variants is not changed.
void separate_variants(const Project& project, Target target, BundlePlan& plan);

}  // namespace muster
