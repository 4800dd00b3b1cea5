// Determines the assets that a game loads if it makes no choice of variants.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "bundler/plan/bundle_plan.h"

namespace muster {

/// The form of each asset that a game loads if every axis has its default: the asset itself, or a
/// variant of the asset. The choice of the build is already applied. The project must outlive this
/// object.
class DefaultForms {
 public:
  DefaultForms(const Project& project, Target target);

  /// True if the default form of every asset is the asset itself.
  bool are_trivial() const { return !varies_; }
  AssetNumber of(AssetNumber asset) const;

  /// All assets that `root` reaches if each asset is read in its default form, including `root`;
  /// sorted. Like `ReferenceGraph::closure`, but with one form of each asset.
  std::vector<AssetNumber> closure(AssetNumber root) const;

 private:
  const Project& project_;
  const ReferenceGraph& graph_;  ///< The graph without stripped assets.
  bool varies_ = false;
  /// The default variant of each asset that has one.
  std::map<AssetNumber, AssetNumber> variants_;
};

/// Sets `file_count` and `vain_bytes` for the bundle of each prefab in a plan of the shared layout.
/// Requires: `needed_bytes` in the plan was computed with `forms`.
void measure_loads(const DefaultForms& forms, std::span<const std::uint64_t> size_of,
                   BundlePlan& plan);

}  // namespace muster
