// What the rules of `strip` make of a project: which assets, components and references the builds
// for a target go without.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/registry_model.h"
#include "registry/model/stripped_parts.h"

namespace muster {

/// An asset that the registries reach, and that the builds for a target do not hold.
struct StrippedAsset {
  AssetNumber asset = kNoAsset;
  /// `kind texture`, `class Foo`; empty for what only stripped assets and components refer to.
  std::string rule;
};

/// A target's rules applied. Immutable, made by `Project::stripping`.
///
/// An asset is left out when a rule names its kind or class, or when nothing that stays refers to
/// it any more: what is reached in another way as well stays. What a registry names for the target
/// (or a registry's file refers to) is never left out. A variant goes or stays with its base.
class Stripping {
 public:
  /// Reads, on `jobs` threads, the prefabs that the target's registries reach, but for those that
  /// the project's memory knows.
  Stripping(const Project& project, Target target, unsigned jobs);

  /// The project's references without those of stripped components, those of overrides that change
  /// nothing, and those to stripped assets:
  /// its closures are what is built.
  const ReferenceGraph& graph() const { return is_whole_ ? whole_ : graph_; }
  /// What the target's bundles are filled from: what registries name, registries and roots. Sorted.
  std::span<const AssetNumber> starts() const { return starts_; }
  /// All that is built for the target, sorted. Folders and scripts are among it.
  std::span<const AssetNumber> built() const { return built_; }
  /// Sorted by asset.
  std::span<const StrippedAsset> assets() const { return assets_; }
  const StrippedAsset* find(AssetNumber asset) const;
  /// The strong references of an asset's packed parts to what is left out.
  std::span<const ReferenceEdge> unkept_from(AssetNumber asset) const;
  const std::map<std::string, StrippedComponents>& components() const { return components_; }
  /// What a rule would leave out, but registries (or their files) name; with the rule. Sorted.
  std::span<const StrippedAsset> named() const { return named_; }
  /// What a rule would leave out, but `keep` names by its path. Sorted.
  std::span<const StrippedAsset> kept() const { return kept_; }

 private:
  void protect(const Project& project, Target target);
  void apply(const Project& project, Target target, unsigned jobs);

  const ReferenceGraph& whole_;
  bool is_whole_ = true;  // No rules, no other graph.
  ReferenceGraph graph_;
  std::vector<ReferenceEdge> unkept_;  // sorted by the asset they come from
  std::vector<AssetNumber> starts_;
  std::vector<AssetNumber> protected_;
  std::vector<AssetNumber> built_;
  std::vector<StrippedAsset> assets_;
  std::map<std::string, StrippedComponents> components_;
  std::vector<StrippedAsset> named_;
  std::vector<StrippedAsset> kept_;
};

/// The name of an asset's kind, by its extension, or by the class of what stands in an `.asset` or
/// plain file.
std::string_view kind_of_asset(const Project& project, AssetNumber asset);

}  // namespace muster
