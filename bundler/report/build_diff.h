// What changed from one build's output to another's: for people, and for machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/file_system.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"

namespace muster {

enum class Change : std::uint8_t { added, removed, changed };

/// One asset whose bytes in a bundle are others than before.
struct AssetDiff {
  Change change = Change::changed;
  Guid guid{};
  std::string path;             ///< In the new build, or else in the old one.
  std::uint64_t old_bytes = 0;  ///< Not compressed; 0 where it is not.
  std::uint64_t new_bytes = 0;
};

/// One bundle that is not as it was.
struct BundleDiff {
  Change change = Change::changed;
  std::string file;   ///< In the target's folder.
  std::string asset;  ///< The path of the prefab that it is of; empty for a shared one.
  std::uint64_t old_bytes = 0;
  std::uint64_t new_bytes = 0;
  /// Why: by path. None when the assets are the same and only packing differs: dependencies, the
  /// level of compression, the version of the tool.
  std::vector<AssetDiff> assets;
};

/// An asset with another path than before, its guid kept.
struct RenamedAsset {
  Guid guid{};
  std::string old_path;
  std::string new_path;
};

struct TargetDiff {
  std::string target;
  std::uint64_t old_bytes = 0;  ///< Of all bundles.
  std::uint64_t new_bytes = 0;
  std::uint64_t ship_bytes = 0;     ///< Of the files that a player with the old build lacks.
  std::vector<BundleDiff> bundles;  ///< By file.
  /// What is another in the shared bundles that went and came: their names follow from who shares
  /// them, so none of them ever just changes.
  std::vector<AssetDiff> shared;
  std::vector<RenamedAsset> renamed;
  bool is_other_catalog = false;  ///< Ids, effects, components: what catalogs alone say.
  bool is_empty() const { return bundles.empty() && renamed.empty() && !is_other_catalog; }
};

/// Compares two outputs, of which each may lack a target: then the other's is added or removed as a
/// whole. Reads the bundles whose hashes differ, and of those only tables. Fails with `not_found`
/// when a folder is no output, and as reading and opening do, naming the file.
Result<std::vector<TargetDiff>> diff_builds(const FileReader& old_files,
                                            const FileReader& new_files);

std::string diff_text(const std::vector<TargetDiff>& targets);
std::string diff_json(const std::vector<TargetDiff>& targets);

}  // namespace muster
