// Bundles for what a game chooses while it runs.
#pragma once

#include "bundler/plan/bundle_plan.h"

namespace muster {

/// Whether the game chooses between a file and others: none of its keys is chosen at build.
bool is_open(const Project& project, const VariantFile& file);

/// The guid under which an asset's entries are packed: of an open variant that of its base.
const Guid& packed_guid(const Project& project, AssetNumber asset);

/// Of what is built for a target, the first asset that varies while the game runs; nothing when
/// none does.
AssetNumber first_open(const Project& project, Target target);

/// Gives each asset that has open variants a bundle that holds nothing else, and each variant
/// another one beside it, so that one can stand for the other. What only they need leaves the
/// bundles where it was and goes into shared ones, one per distinct set of those that need it: it
/// is loaded with the variant that needs it, and not with others.
///
/// Dependencies end at bundles that have alternatives, and list those: what lies behind is named by
/// whichever stands for it. A plan of a project without variants stays as it is.
void separate_variants(const Project& project, Target target, BundlePlan& plan);

}  // namespace muster
