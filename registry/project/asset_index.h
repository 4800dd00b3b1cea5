// Finds the assets of a project, by guid and by path.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "registry/base/guid.h"
#include "registry/base/progress.h"
#include "registry/project/config.h"
#include "registry/project/file_fact_cache.h"
#include "registry/project/meta.h"

namespace muster {

/// The index of an asset in its `AssetIndex`.
using AssetNumber = std::uint32_t;
inline constexpr AssetNumber kNoAsset = 0xFFFFFFFF;

/// A file or folder with a sidecar.
struct Asset {
  AssetPath path;
  Guid guid;
  bool is_folder = false;
  /// Whether the sidecar refers to any asset. A sidecar without references is not read again.
  bool has_mentions_in_meta = true;
};

/// A problem of the files themselves, reported to the user.
struct IndexProblem {
  enum class Kind : std::uint8_t {
    orphan_meta,     ///< A sidecar without an asset.
    missing_meta,    ///< A file or folder without a sidecar.
    duplicate_guid,  ///< Two assets with the same guid; the index contains only `other`.
    malformed_guid,  ///< A sidecar without a usable guid.
    /// A sidecar with a second document or a second `guid:`; `detail` names the fault.
    malformed_sidecar,
    upper_case_guid,   ///< A sidecar with upper-case digits in its guid.
    placeholder_guid,  ///< A guid that does not look random.
    merge_conflict,    ///< A sidecar with merge conflict markers.
    lfs_pointer,       ///< A Git LFS pointer in place of a sidecar.
    /// Two paths that differ only in case or in Unicode composition; `detail` names the difference.
    case_clash,
    /// A name that some operating systems do not allow; `detail` contains the reason.
    unportable_name,
    outside_link,  ///< A link to a target outside the project, or to a missing target.
    link_circle,   ///< A link to a folder that contains the link.
    /// A file or folder that the operating system cannot read; `detail` contains the reason.
    unreadable,
  };
  Kind kind = Kind::orphan_meta;
  AssetPath path;
  yaml::Position position;
  AssetPath other;
  Guid guid;
  std::string detail;
};

/// A file that could not be read after the index was built.
struct ReadFailure {
  AssetNumber asset = kNoAsset;
  Error error;
};

/// The assets of a project, sorted by path. The index is immutable after construction, so several
/// threads may use this object.
class AssetIndex {
 public:
  std::span<const Asset> assets() const { return assets_; }
  std::span<const IndexProblem> problems() const { return problems_; }
  /// The paths of the lock files of type ids (`.NAME.ids.yaml`), sorted. Lock files have no
  /// sidecars.
  std::span<const AssetPath> lock_paths() const { return lock_paths_; }
  /// The temporary files that an interrupted `prepare` has left, sorted.
  std::span<const AssetPath> leftovers() const { return leftovers_; }

  const Asset& at(AssetNumber number) const { return assets_[number]; }
  AssetNumber find(const Guid& guid) const;
  AssetNumber find(const AssetPath& path) const;
  /// All assets below a folder, without the folder itself. Sorted by path.
  std::vector<AssetNumber> within(const AssetPath& folder) const;

  /// Builds an index from the results of a folder walk. Only `build_asset_index` and tests use this
  /// constructor.
  AssetIndex(std::vector<Asset> assets, std::vector<IndexProblem> problems,
             std::vector<AssetPath> lock_paths = {}, std::vector<AssetPath> leftovers = {});
  AssetIndex() = default;

 private:
  std::vector<Asset> assets_;
  std::vector<IndexProblem> problems_;
  std::vector<AssetPath> lock_paths_;
  std::vector<AssetPath> leftovers_;
  std::unordered_map<Guid, AssetNumber> by_guid_;
};

/// Walks a project's folders and indexes the sidecars. Skips the same names as Unity
/// (`is_ignored_name`). Reads the sidecars on `jobs` threads, except unchanged sidecars that
/// `fact_cache` knows. A fault in a file becomes a problem of the index. Fails only with
/// `cancelled`, or if one of the project's `folders` cannot be listed.
Result<AssetIndex> build_asset_index(const FileReader& files, const ProjectConfig& config,
                                     unsigned jobs, const std::stop_token& stop,
                                     const Progress& progress = {},
                                     FileFactCache* fact_cache = nullptr);

/// True for names that Unity and Muster skip: names that start with `.` or end with `~` or `.tmp`,
/// and `cvs`.
bool is_ignored_name(std::string_view name);
/// True for the folders that the editor generates at the top of a project, such as `Library`.
bool is_unity_output(const AssetPath& path);

/// The name of a lock file is the prefix, the name of its registry, and the suffix. Unity ignores
/// such names, so a lock file needs no sidecar.
inline constexpr std::string_view kLockPrefix = ".";
inline constexpr std::string_view kLockSuffix = ".ids.yaml";
bool is_lock_name(std::string_view name);

}  // namespace muster
