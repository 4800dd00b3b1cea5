// What looking into assets has shown, kept from one build to the next: an asset that is as it was
// is then neither opened nor parsed.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"
#include "registry/model/stripped_parts.h"

namespace muster {

/// What the rules of a target's `strip` find in one file.
struct StrippedFile {
  std::string rule;  ///< The one that names the asset itself; empty for none.
  std::map<std::string, StrippedComponents> components;  ///< By class.
  MentionCounts counts;                                  ///< What these mention.
  friend bool operator==(const StrippedFile&, const StrippedFile&) = default;
};

/// What is known of an asset. It follows from the asset's path, file and sidecar, from what is
/// listed here, from the project's settings and from its descriptions of components; from nothing
/// else.
struct AssetFacts {
  /// Whether `check_packing` finds nothing, and its prefab has no problems but missing sources.
  bool is_packable = false;
  /// Whether the values of its components are fit to be cooked.
  bool has_fit_values = false;
  std::array<std::optional<StrippedFile>, 2> stripped{};  ///< For client and server.
  /// The assets, found or not, whose files were looked into as well. Sorted.
  std::vector<Guid> sources{};
  /// What was asked for its script's class. Sorted.
  std::vector<Guid> scripts{};
  /// The class that was asked for what it derives from; empty for none.
  std::string class_name{};
  friend bool operator==(const AssetFacts&, const AssetFacts&) = default;
};

/// The facts of a project's assets: those that hold from before, and what is found out now. Several
/// threads may use it at a time, each for other assets.
class AssetMemory {
 public:
  explicit AssetMemory(std::size_t asset_count) : facts_(asset_count) {}

  /// Null when nothing is known.
  const AssetFacts* find(AssetNumber asset) const { return facts_[asset].get(); }
  /// Takes facts over that hold.
  void set(AssetNumber asset, AssetFacts facts) {
    facts_[asset] = std::make_unique<AssetFacts>(std::move(facts));
  }

  void note_packable(const Project& project, AssetNumber asset);
  void note_fit_values(const Project& project, AssetNumber asset);
  /// `looked_into` are assets that were, besides those of a prefab.
  void note_stripped(const Project& project, AssetNumber asset, Target target, StrippedFile file,
                     const std::vector<Guid>& looked_into);

 private:
  AssetFacts& at(AssetNumber asset);
  std::vector<std::unique_ptr<AssetFacts>> facts_;  // per asset
};

/// Whether a project remembers of an asset that it is packable.
bool is_known_packable(const Project& project, AssetNumber asset);

}  // namespace muster
