// Determines what a game loads without a choice.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "bundler/plan/bundle_plan.h"

namespace muster {

/// The form of each asset that is loaded when the game leaves every axis at its default: the asset
/// itself, or a variant of it. The build's choice is already applied. Refers to the project.
class DefaultForms {
 public:
  DefaultForms(const Project& project, Target target);

  /// Whether no asset has, or can have, another form than its own.
  bool are_trivial() const { return !varies_; }
  AssetNumber of(AssetNumber asset) const;

  /// All assets that one asset reaches if each is read in this form, itself included; sorted. Like
  /// `ReferenceGraph::closure`, but with one form of each asset.
  std::vector<AssetNumber> closure(AssetNumber root) const;

 private:
  const Project& project_;
  const ReferenceGraph& graph_;  ///< Without stripped assets.
  bool varies_ = false;
  std::map<AssetNumber, AssetNumber> variants_;  ///< Keyed by the replaced asset.
};

/// Records for each prefab's bundle in a plan of the shared layout what is open after a request for
/// the prefab: the number of files, and the bytes in them that it does not need. Requires: the
/// plan's `needed_bytes` are those of `forms`.
void measure_loads(const DefaultForms& forms, std::span<const std::uint64_t> size_of,
                   BundlePlan& plan);

}  // namespace muster
