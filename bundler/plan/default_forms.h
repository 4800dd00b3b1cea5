// What a game loads that chooses nothing.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "bundler/plan/bundle_plan.h"

namespace muster {

/// The form of each asset that is loaded when the game leaves every axis at its default: the asset
/// itself, or a variant of it. What a build has chosen is settled before. Refers to the project.
class DefaultForms {
 public:
  DefaultForms(const Project& project, Target target);

  /// Whether anything has another form than its own, or could have.
  bool are_trivial() const { return !varies_; }
  AssetNumber of(AssetNumber asset) const;

  /// All that one asset reaches when each is read in this form, itself included; sorted. As
  /// `ReferenceGraph::closure`, but of an asset's forms it has one.
  std::vector<AssetNumber> closure(AssetNumber root) const;

 private:
  const Project& project_;
  const ReferenceGraph& graph_;  ///< Without what the target is stripped of.
  bool varies_ = false;
  std::map<AssetNumber, AssetNumber> variants_;  ///< By what they stand for.
};

/// Notes of each prefab's bundle in a plan of the shared layout what is open once the prefab is
/// asked for: how many files, and how many of their bytes it does not need. Requires: the plan's
/// `needed_bytes` are those of `forms`.
void measure_loads(const DefaultForms& forms, std::span<const std::uint64_t> size_of,
                   BundlePlan& plan);

}  // namespace muster
