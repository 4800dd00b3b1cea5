// Applies the `strip` rules to a project: the assets, components and references that builds for a
// target leave out.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/project.h"
#include "registry/model/stripped_parts.h"

namespace muster {

/// An asset that the registries reach but that builds for a target do not contain.
struct StrippedAsset {
  AssetNumber asset = kNoAsset;
  /// The rule that names the asset, for example `kind texture` or `class Foo`. The text is empty if
  /// no rule names the asset, but only stripped assets and components refer to it.
  std::string rule;
};

/// The result of a target's `strip` rules. The object is immutable after construction by
/// `Project::stripping`.
///
/// An asset is left out if a rule names its kind or class, or if no remaining asset refers to it.
/// An asset that a registry names for the target, or to which a registry's file refers, is never
/// left out. A variant is left out if its base is left out.
class Stripping {
 public:
  /// Reads the prefabs that are reachable from the target's registries, on `jobs` threads. Skips
  /// unchanged prefabs that the project's fact cache knows.
  Stripping(const Project& project, Target target, unsigned jobs);

  /// The project's references without three kinds: references of stripped components, references of
  /// overrides without effect, and references to stripped assets. A build contains the closures of
  /// this graph.
  const ReferenceGraph& graph() const { return is_whole_ ? whole_ : graph_; }
  /// The starting points of the target's bundles: the assets that registries name, registries and
  /// roots. Sorted.
  std::span<const AssetNumber> starts() const { return starts_; }
  /// All assets that are built for the target, sorted, including folders and scripts.
  std::span<const AssetNumber> built() const { return built_; }
  /// The assets that are left out, sorted.
  std::span<const StrippedAsset> assets() const { return assets_; }
  const StrippedAsset* find(AssetNumber asset) const;
  /// The strong references from an asset's packed parts to assets that are left out.
  std::span<const ReferenceEdge> unkept_from(AssetNumber asset) const;
  const std::map<std::string, StrippedComponents>& components() const { return components_; }
  /// The assets that a rule matches but that are built, because an entry or the file of a registry
  /// names them. Sorted.
  std::span<const StrippedAsset> named() const { return named_; }
  /// The assets that a rule matches but that are built, because `keep` names their paths. Sorted.
  std::span<const StrippedAsset> kept() const { return kept_; }

 private:
  void protect(const Project& project, Target target);
  void apply(const Project& project, Target target, unsigned jobs);

  const ReferenceGraph& whole_;
  bool is_whole_ = true;  // Without rules, `graph()` is the project's graph.
  ReferenceGraph graph_;
  std::vector<ReferenceEdge> unkept_;  // The references, sorted by source asset.
  std::vector<AssetNumber> starts_;
  std::vector<AssetNumber> protected_;
  std::vector<AssetNumber> built_;
  std::vector<StrippedAsset> assets_;
  std::map<std::string, StrippedComponents> components_;
  std::vector<StrippedAsset> named_;
  std::vector<StrippedAsset> kept_;
};

/// The name of an asset's kind. If the class of an `.asset` or plain file has a kind, that is the
/// kind of the file. All other files have the kind of their extension.
std::string_view kind_of_asset(const Project& project, AssetNumber asset);

}  // namespace muster
