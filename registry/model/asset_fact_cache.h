// Stores facts about assets for the next build, so that the next build neither opens nor parses
// unchanged assets.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "registry/model/project.h"
#include "registry/model/stripped_parts.h"

namespace muster {

/// The parts of one file that the rules of a target's `strip` remove.
struct StrippedFile {
  std::string rule;  ///< The rule that names the asset itself; empty if no rule names it.
  std::map<std::string, StrippedComponents> components;  ///< The removed components, by class.
  MentionCounts counts;  ///< The mentions of guids in these components.
  friend bool operator==(const StrippedFile&, const StrippedFile&) = default;
};

/// The facts about an asset. The facts depend only on the asset's path, file and sidecar, on the
/// assets and scripts that are listed here, and on the project's settings and component
/// descriptions.
struct AssetFacts {
  /// True if `check_packing` finds nothing in the asset, and if the only problems of its prefab are
  /// missing sources.
  bool is_packable = false;
  /// Whether the values of the asset's components can be cooked.
  bool has_fit_values = false;
  std::array<std::optional<StrippedFile>, 2> stripped{};  ///< Index 0: client; index 1: server.
  /// The guids of the other assets that were looked up, including missing ones. Sorted.
  std::vector<Guid> sources{};
  /// The guids of the scripts whose classes were looked up. Sorted.
  std::vector<Guid> scripts{};
  /// The class whose base classes were looked up; empty if none exists.
  std::string class_name{};
  friend bool operator==(const AssetFacts&, const AssetFacts&) = default;
};

/// The facts of a project's assets: facts of an earlier build that are still valid, and new facts.
/// Several threads may use one object at the same time, if each thread uses different assets.
class AssetFactCache {
 public:
  explicit AssetFactCache(std::size_t asset_count) : facts_(asset_count) {}

  /// The facts of an asset; null if none exist.
  const AssetFacts* find(AssetNumber asset) const { return facts_[asset].get(); }
  /// Stores facts of an earlier build that are still valid.
  void set(AssetNumber asset, AssetFacts facts) {
    facts_[asset] = std::make_unique<AssetFacts>(std::move(facts));
  }

  void note_packable(const Project& project, AssetNumber asset);
  void note_fit_values(const Project& project, AssetNumber asset);
  /// Stores the stripped parts of an asset for a target. `read_guids` lists the assets that were
  /// read in addition to the sources of the prefab.
  void note_stripped(const Project& project, AssetNumber asset, Target target, StrippedFile file,
                     const std::vector<Guid>& read_guids);

 private:
  AssetFacts& at(AssetNumber asset);
  std::vector<std::unique_ptr<AssetFacts>> facts_;  // The facts of each asset, by number.
};

/// Whether the facts of an earlier build show that the asset is packable.
bool is_known_packable(const Project& project, AssetNumber asset);

}  // namespace muster
