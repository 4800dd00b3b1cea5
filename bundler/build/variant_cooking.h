// Assets as bundles hold them: variants under the guid of what they vary.
#pragma once

#include "bundler/cook/asset_cooker.h"

namespace muster {

/// Cooks an asset. An open variant's entries bear its base's guid, so that whoever asks for the
/// base finds them.
CookedAsset cook_for_bundle(const AssetCooker& cooker, const Project& project, AssetNumber asset);

}  // namespace muster
