// Assigns assets to bundles.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "bundler/plan/shared_groups.h"
#include "registry/model/registry_model.h"

namespace muster {

enum class Layout : std::uint8_t {
  shared,          ///< Assets of several prefabs are stored once, in shared bundles.
  self_contained,  ///< Every prefab's bundle contains its whole closure; one shared bundle has what
                   ///< the registries themselves need.
};

/// A bundle to be packed.
struct PlannedBundle {
  AssetNumber prefab = kNoAsset;    ///< `kNoAsset` for a shared bundle.
  std::vector<AssetNumber> assets;  ///< Sorted.
  std::vector<AssetNumber> owners;  ///< The prefabs that need it, sorted; registries own the assets
                                    ///< that only they need, and are not listed.
  std::vector<std::size_t>
      dependencies;  ///< Bundles that must be open with it, sorted, without it.
  /// The only asset of the bundle, in a form that the game chooses at run time (`variant_plan.h`).
  AssetNumber varied = kNoAsset;
  VariantKeys keys;      ///< The keys of the variant; empty for the asset itself.
  std::size_t base = 0;  ///< With keys: the bundle that it can replace.
  /// For a prefab's bundle, in source bytes. `needed_bytes` is everything that the prefab reaches,
  /// and `vain_bytes` is the rest of the bundles that must be open for it. `file_count` counts
  /// these bundles. If an asset (or the prefab itself) has variants, only the form that a game
  /// loads by default counts (`default_forms.h`).
  std::uint64_t needed_bytes = 0;
  std::uint64_t vain_bytes = 0;
  std::uint64_t file_count = 1;
};

struct BundlePlan {
  std::vector<PlannedBundle> bundles;  ///< Prefab bundles by guid, then shared ones.
  /// Bytes of source files that would be stored repeatedly if each prefab's bundle contained the
  /// prefab's whole closure.
  std::uint64_t duplicate_bytes_avoided = 0;
  /// The size of self-contained bundles, in source bytes.
  std::uint64_t self_contained_bytes = 0;
  /// Distinct sets of owners: the number of bundles without merging.
  std::size_t shared_groups = 0;
};

struct PlanOptions {
  Target target = Target::client;
  Layout layout = Layout::shared;
  MergeRule merge{};  ///< Which shared groups are merged.
};

/// The source bytes of each asset of the project; 0 for assets that are not built for the target.
/// Reads the sizes on `jobs` threads.
std::vector<std::uint64_t> source_sizes(const Project& project, Target target,
                                        const std::stop_token& stop, unsigned jobs);

/// Plans the bundles of one target. Each registered asset gets a bundle with the assets that only
/// it needs: an asset belongs to every registered prefab that reaches it without passing through
/// another registered one. Assets with several owners, and those that the registries themselves
/// need (definitions), are in shared bundles: one group per distinct set of owners, and groups are
/// merged by `MergeRule`. `size_of` has an asset's source bytes.
BundlePlan plan_bundles(const Project& project, const PlanOptions& options,
                        const std::vector<std::uint64_t>& size_of);

}  // namespace muster
