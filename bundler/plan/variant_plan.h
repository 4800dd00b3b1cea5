// Plans bundles for variants that a game chooses at run time.
#pragma once

#include "bundler/plan/bundle_plan.h"

namespace muster {

/// Whether the game chooses between a file and others: none of its keys is chosen at build time.
bool is_open(const Project& project, const VariantFile& file);

/// The guid under which an asset's entries are packed: for an open variant that of its base.
const Guid& packed_guid(const Project& project, AssetNumber asset);

/// The first asset built for a target that varies at run time; `kNoAsset` if none exists.
AssetNumber first_open(const Project& project, Target target);

/// Gives each asset with open variants a bundle with no other asset, and each of its variants
/// another bundle, which can replace the asset's bundle. The assets that only these bundles need
/// are moved to shared bundles, one per distinct set of users, so that they are loaded only with
/// the variant that needs them.
///
/// The dependencies of a bundle include bundles with alternatives, but not the dependencies of
/// these: each alternative lists its own. A plan without variants is unchanged.
void separate_variants(const Project& project, Target target, BundlePlan& plan);

}  // namespace muster
