// Reports the changes between two builds' outputs, for users and for machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/file_system.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"

namespace muster {

enum class Change : std::uint8_t { added, removed, changed };

/// One asset whose bytes in a bundle have changed.
struct AssetDiff {
  Change change = Change::changed;
  Guid guid{};
  std::string path;             ///< Its path in the new build, or else in the old one.
  std::uint64_t old_bytes = 0;  ///< Uncompressed; 0 if it does not exist.
  std::uint64_t new_bytes = 0;
};

/// One changed bundle.
struct BundleDiff {
  Change change = Change::changed;
  std::string file;   ///< Its path in the target's folder.
  std::string asset;  ///< The path of its prefab; empty for a shared bundle.
  std::uint64_t old_bytes = 0;
  std::uint64_t new_bytes = 0;
  /// The changed assets, by path. Empty if only the packing differs: dependencies, the level of
  /// compression, the version of the tool.
  std::vector<AssetDiff> assets;
};

/// An asset with a new path and the same guid.
struct RenamedAsset {
  Guid guid{};
  std::string old_path;
  std::string new_path;
};

struct TargetDiff {
  std::string target;
  std::uint64_t old_bytes = 0;  ///< The size of all bundles.
  std::uint64_t new_bytes = 0;
  /// The size of the files that a player with the old build must load.
  std::uint64_t ship_bytes = 0;
  std::vector<BundleDiff> bundles;  ///< Sorted by file.
  /// The changes between removed and added shared bundles. The name of a shared bundle follows from
  /// its users, so a change gives it another name.
  std::vector<AssetDiff> shared;
  std::vector<RenamedAsset> renamed;
  /// Changed ids, effects or components, which are only in catalogs.
  bool is_other_catalog = false;
  bool is_empty() const { return bundles.empty() && renamed.empty() && !is_other_catalog; }
};

/// Compares two outputs. If only one output has a target, all of the target's bundles count as
/// added or removed. Reads only the tables of bundles with different hashes. Fails with `not_found`
/// if a folder is not an output, and with reading and opening errors, naming the file.
Result<std::vector<TargetDiff>> diff_builds(const FileReader& old_files,
                                            const FileReader& new_files);

std::string diff_text(const std::vector<TargetDiff>& targets);
std::string diff_json(const std::vector<TargetDiff>& targets);

}  // namespace muster
