// Reports the differences between the outputs of two builds, for users and for programs.
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
  std::string path;  ///< The path in the new build, or in the old build if the new build does not
                     ///< have the asset.
  /// The uncompressed size in the old build; 0 if the asset does not exist there.
  std::uint64_t old_bytes = 0;
  std::uint64_t new_bytes = 0;
};

/// One changed bundle.
struct BundleDiff {
  Change change = Change::changed;
  std::string file;   ///< The path in the target's folder.
  std::string asset;  ///< The path of the bundle's prefab; empty for a shared bundle.
  std::uint64_t old_bytes = 0;
  std::uint64_t new_bytes = 0;
  /// The changed assets, sorted by path. The list is empty if only the packing differs, for example
  /// dependencies, the compression level or the version of the tool.
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
  std::uint64_t old_bytes = 0;  ///< The size of all bundles of the old build.
  std::uint64_t new_bytes = 0;
  /// The size of the files that a player with the old build must download.
  std::uint64_t ship_bytes = 0;
  std::vector<BundleDiff> bundles;  ///< The changed bundles, sorted by file.
  /// The assets that differ between the removed and the added shared bundles. The name of a shared
  /// bundle depends on its content, so a changed bundle has another name.
  std::vector<AssetDiff> shared;
  std::vector<RenamedAsset> renamed;
  /// True if ids, effects or components have changed. Only the catalog contains this data.
  bool is_other_catalog = false;
  bool is_empty() const { return bundles.empty() && renamed.empty() && !is_other_catalog; }
};

/// Compares two outputs. If only one output has a target, all of the target's bundles count as
/// added or removed. Reads only the tables of bundles with different hashes. Fails with `not_found`
/// if a folder is not an output. If a file cannot be read or opened, fails with the code of that
/// failure. The message names the file.
Result<std::vector<TargetDiff>> diff_builds(const FileReader& old_files,
                                            const FileReader& new_files);

std::string diff_text(const std::vector<TargetDiff>& targets);
std::string diff_json(const std::vector<TargetDiff>& targets);

}  // namespace muster
