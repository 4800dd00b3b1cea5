// Applies the `strip` rules to a project: the assets, components and references that builds for a
// target leave out.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/registry_model.h"
#include "registry/model/stripped_parts.h"

namespace muster {

/// An asset that the registries reach but that builds for a target do not contain.
struct StrippedAsset {
  AssetNumber asset = kNoAsset;
  /// `kind texture`, `class Foo`; empty if only stripped assets and components refer to the asset.
  std::string rule;
};

/// The applied rules of a target. Immutable; created by `Project::stripping`.
///
/// An asset is left out if a rule names its kind or class, or if no remaining asset refers to it.
/// An asset that a registry names for the target (or that a registry's file refers to) is never
/// left out. A variant is handled like its base.
class Stripping {
 public:
  /// Reads, on `jobs` threads, the prefabs that the target's registries reach, except those that
  /// the project's memory knows.
  Stripping(const Project& project, Target target, unsigned jobs);

  /// The project's references, except references of stripped components, of overrides without
  /// effect, and to stripped assets. A build contains the closures of this graph.
  const ReferenceGraph& graph() const { return is_whole_ ? whole_ : graph_; }
  /// The starting points of the target's bundles: the assets that registries name, registries and
  /// roots. Sorted.
  std::span<const AssetNumber> starts() const { return starts_; }
  /// Everything that is built for the target, sorted; includes folders and scripts.
  std::span<const AssetNumber> built() const { return built_; }
  /// Sorted by asset.
  std::span<const StrippedAsset> assets() const { return assets_; }
  const StrippedAsset* find(AssetNumber asset) const;
  /// The strong references from an asset's packed parts to assets that are left out.
  std::span<const ReferenceEdge> unkept_from(AssetNumber asset) const;
  const std::map<std::string, StrippedComponents>& components() const { return components_; }
  /// Assets that a rule matches but that registries (or their files) name, with the rule. Sorted.
  std::span<const StrippedAsset> named() const { return named_; }
  /// Assets that a rule matches but that `keep` names by path. Sorted.
  std::span<const StrippedAsset> kept() const { return kept_; }

 private:
  void protect(const Project& project, Target target);
  void apply(const Project& project, Target target, unsigned jobs);

  const ReferenceGraph& whole_;
  bool is_whole_ = true;  // Without rules the graph is unchanged.
  ReferenceGraph graph_;
  std::vector<ReferenceEdge> unkept_;  // sorted by source asset
  std::vector<AssetNumber> starts_;
  std::vector<AssetNumber> protected_;
  std::vector<AssetNumber> built_;
  std::vector<StrippedAsset> assets_;
  std::map<std::string, StrippedComponents> components_;
  std::vector<StrippedAsset> named_;
  std::vector<StrippedAsset> kept_;
};

/// The name of an asset's kind, by its extension, or by the class of the object in an `.asset` or
/// plain file.
std::string_view kind_of_asset(const Project& project, AssetNumber asset);

}  // namespace muster
