// Maps guids to files.
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
#include "registry/project/file_memory.h"
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
  /// Whether the sidecar refers to any asset; most do not, and are not read again.
  bool has_mentions_in_meta = true;
};

/// A problem of the files themselves, reported to the user.
struct IndexProblem {
  enum class Kind : std::uint8_t {
    orphan_meta,        ///< A sidecar without an asset.
    missing_meta,       ///< A file or folder without a sidecar.
    duplicate_guid,     ///< Two assets with one guid; `other` is the one that was kept.
    malformed_guid,     ///< A sidecar without a usable guid.
    malformed_sidecar,  ///< A second document or a second `guid:`; `detail` names it.
    upper_case_guid,    ///< A sidecar that spells its guid in upper case.
    placeholder_guid,   ///< A guid that looks invented, not random.
    merge_conflict,     ///< Conflict markers inside a sidecar.
    lfs_pointer,        ///< A Git LFS pointer in place of a sidecar.
    case_clash,         ///< Two paths that differ only in case or in the composition of letters;
                        ///< `detail` names the difference.
    unportable_name,    ///< A name that another operating system does not allow; `detail` has the
                        ///< reason.
    outside_link,       ///< A link that leaves the project, or has no target.
    link_circle,        ///< A link to a folder above itself.
    unreadable,         ///< The operating system refused; `detail` has the reason.
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

/// The assets of a project, sorted by path, found by guid or by path. Immutable after construction;
/// reading from several threads is safe.
class AssetIndex {
 public:
  std::span<const Asset> assets() const { return assets_; }
  std::span<const IndexProblem> problems() const { return problems_; }
  /// The locks of type ids in the walked folders (`.NAME.ids.yaml`), sorted. They have no sidecars.
  std::span<const AssetPath> lock_paths() const { return lock_paths_; }
  /// Temporary files of a killed `prepare`, sorted.
  std::span<const AssetPath> leftovers() const { return leftovers_; }

  const Asset& at(AssetNumber number) const { return assets_[number]; }
  AssetNumber find(const Guid& guid) const;
  AssetNumber find(const AssetPath& path) const;
  /// All assets below a folder, without the folder itself, by path.
  std::vector<AssetNumber> within(const AssetPath& folder) const;

  /// Builds an index from the results of a walk; used by `build_asset_index` and by tests.
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

/// Walks a project's folders like Unity (it skips names that start with `.` or end with `~`, `cvs`
/// and `*.tmp`), reads on `jobs` threads every sidecar that `memory` does not know, and indexes
/// them. Irregularities become problems, never failures. Fails only if a top folder cannot be
/// listed, or with `cancelled`.
Result<AssetIndex> build_asset_index(const FileReader& files, const ProjectConfig& config,
                                     unsigned jobs, const std::stop_token& stop,
                                     const Progress& progress = {}, FileMemory* memory = nullptr);

/// True for names that Unity, and so Muster, skips.
bool is_ignored_name(std::string_view name);
/// True for the top folders of a project that the editor generates (`Library` and others).
bool is_unity_output(const AssetPath& path);

/// The name of a lock of type ids is that of its registry between this prefix and suffix. Unity
/// ignores such names, so a lock needs no sidecar.
inline constexpr std::string_view kLockPrefix = ".";
inline constexpr std::string_view kLockSuffix = ".ids.yaml";
bool is_lock_name(std::string_view name);

}  // namespace muster
