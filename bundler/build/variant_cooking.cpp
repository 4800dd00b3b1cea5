#include "bundler/build/variant_cooking.h"

#include "bundler/plan/variant_plan.h"

namespace muster {

CookedAsset cook_for_bundle(const AssetCooker& cooker, const Project& project, AssetNumber asset) {
  CookedAsset cooked = cooker.cook(asset);
  const Guid& guid = packed_guid(project, asset);
  for (CookedEntry& entry : cooked.entries) entry.guid = guid;
  return cooked;
}

}  // namespace muster
