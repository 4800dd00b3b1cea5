// Assigns assets to bundles.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "bundler/plan/shared_groups.h"
#include "registry/model/project.h"

namespace muster {

enum class Layout : std::uint8_t {
  shared,          ///< An asset that several prefabs need is stored once, in a shared bundle.
  self_contained,  ///< The bundle of a prefab contains its whole closure. One shared bundle has the
                   ///< assets that the registries themselves need.
};

/// A bundle to be packed.
struct PlannedBundle {
  AssetNumber prefab = kNoAsset;    ///< The prefab; `kNoAsset` for a shared bundle.
  std::vector<AssetNumber> assets;  ///< The assets of the bundle, sorted.
  std::vector<AssetNumber> owners;  ///< The prefabs that need the bundle, sorted. Empty for a
                                    ///< bundle with assets that only the registries need.
  /// The other bundles that must be open together with this bundle, sorted.
  std::vector<std::size_t> dependencies;
  /// The only asset of the bundle, if it is a form that the game chooses at run time
  /// (`variant_plan.h`).
  AssetNumber varied = kNoAsset;
  VariantKeys keys;      ///< The keys of the variant; empty for the asset itself.
  std::size_t base = 0;  ///< For a variant, the bundle that this bundle can replace.
  /// The next three members are the cost of loading the prefab, and are used only for the bundle of
  /// a prefab. `needed_bytes` is the source size of all assets that the prefab reaches.
  /// `file_count` is the number of bundles that must be open for the prefab, and `vain_bytes` is
  /// the source size of all other assets in these bundles. If an asset, or the prefab itself, has
  /// variants, only the form that a game loads by default counts (`default_forms.h`).
  std::uint64_t needed_bytes = 0;
  std::uint64_t vain_bytes = 0;
  std::uint64_t file_count = 1;
};

struct BundlePlan {
  /// The bundles of prefabs, sorted by guid, and then the shared bundles.
  std::vector<PlannedBundle> bundles;
  /// The source bytes that would be stored more than once if the bundle of each prefab contained
  /// its whole closure.
  std::uint64_t duplicate_bytes_avoided = 0;
  /// The total size of self-contained bundles, in source bytes.
  std::uint64_t self_contained_bytes = 0;
  /// The number of distinct sets of owners, which is the number of shared bundles without merging.
  std::size_t shared_groups = 0;
};

struct PlanOptions {
  Target target = Target::client;
  Layout layout = Layout::shared;
  MergeRule merge{};  ///< The rule for merging shared groups.
};

/// The size of the source file of each asset of the project; 0 for an asset that is not built for
/// the target. Reads the sizes on `jobs` threads.
std::vector<std::uint64_t> source_sizes(const Project& project, Target target,
                                        const std::stop_token& stop, unsigned jobs);

/// Plans the bundles of one target. Each registered prefab gets a bundle with the assets that only
/// this prefab needs. A registered prefab owns an asset if a chain of references leads from the
/// prefab to the asset without another registered prefab on the chain. Assets with several owners,
/// and assets that the registries themselves need (definitions), are in shared bundles. There is
/// one group of assets per distinct set of owners, and groups are merged by `MergeRule`. `size_of`
/// is the result of `source_sizes`.
BundlePlan plan_bundles(const Project& project, const PlanOptions& options,
                        const std::vector<std::uint64_t>& size_of);

}  // namespace muster
