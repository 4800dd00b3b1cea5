// Which asset goes into which bundle.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "bundler/plan/shared_groups.h"
#include "registry/model/registry_model.h"

namespace muster {

enum class Layout : std::uint8_t {
  shared,          ///< What several prefabs need is stored once, in shared bundles.
  self_contained,  ///< Every prefab's bundle holds its whole closure; what the registries
                   ///< themselves need is in one shared bundle.
};

/// A bundle to be packed.
struct PlannedBundle {
  AssetNumber prefab = kNoAsset;    ///< `kNoAsset` for a shared bundle.
  std::vector<AssetNumber> assets;  ///< Sorted.
  std::vector<AssetNumber> owners;  ///< The prefabs that need it, sorted; registries own what only
                                    ///< they need, and are not listed.
  std::vector<std::size_t>
      dependencies;  ///< Bundles that must be open with it, sorted, without it.
  /// The asset that it holds alone, in a form to choose while the game runs (`variant_plan.h`).
  AssetNumber varied = kNoAsset;
  VariantKeys keys;      ///< What it is for; none where it holds the asset itself.
  std::size_t base = 0;  ///< With keys: the bundle that it may stand for.
  /// Of a prefab's bundle, in source bytes: of all that the prefab reaches; and of what lies beside
  /// that in the bundles that are open then, which `file_count` counts. Of what varies the form is
  /// counted that a game loads by default, be it of the prefab itself (`default_forms.h`).
  std::uint64_t needed_bytes = 0;
  std::uint64_t vain_bytes = 0;
  std::uint64_t file_count = 1;
};

struct BundlePlan {
  std::vector<PlannedBundle> bundles;  ///< Prefab bundles by guid, then shared ones.
  /// Bytes of source files that a naive closure per prefab would have stored again.
  std::uint64_t duplicate_bytes_avoided = 0;
  /// What self-contained bundles would hold, in source bytes.
  std::uint64_t self_contained_bytes = 0;
  std::size_t shared_groups = 0;  ///< Distinct sets of owners: bundles, were none merged.
};

struct PlanOptions {
  Target target = Target::client;
  Layout layout = Layout::shared;
  MergeRule merge{};  ///< Which shared groups are put together.
};

/// The source bytes of each asset of the project; 0 for what is not built for the target. Looks at
/// them on `jobs` threads.
std::vector<std::uint64_t> source_sizes(const Project& project, Target target,
                                        const std::stop_token& stop, unsigned jobs);

/// Plans the bundles of one target. Each registered asset gets one, holding what only it needs: an
/// asset belongs to every registered prefab that reaches it without passing through another
/// registered one. What has several owners, or is needed by the registries themselves
/// (definitions), goes to shared bundles: a group per distinct set of owners, groups put together
/// as `MergeRule` says. `size_of` gives an asset's source bytes.
BundlePlan plan_bundles(const Project& project, const PlanOptions& options,
                        const std::vector<std::uint64_t>& size_of);

}  // namespace muster
