// Cooks assets for bundles, and gives variants the guid of their base.
#pragma once

#include "bundler/cook/asset_cooker.h"

namespace muster {

/// Cooks an asset. The entries of a variant that the game can choose have the guid of the variant's
/// base, so that requests for the base find them.
CookedAsset cook_for_bundle(const AssetCooker& cooker, const Project& project, AssetNumber asset);

}  // namespace muster
