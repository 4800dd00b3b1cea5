// Which guid is which file.
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
  /// Whether the sidecar refers to anything: most do not, and need not be read again.
  bool has_mentions_in_meta = true;
};

/// Something about the files themselves that a project owner should know.
struct IndexProblem {
  enum class Kind : std::uint8_t {
    orphan_meta,        ///< A sidecar beside nothing.
    missing_meta,       ///< A file or folder without a sidecar.
    duplicate_guid,     ///< Two assets with one guid; `other` names the one that was kept.
    malformed_guid,     ///< A sidecar without a usable guid.
    malformed_sidecar,  ///< A second document or a second `guid:`; `detail` says which.
    upper_case_guid,    ///< A sidecar that spells its guid in upper case.
    placeholder_guid,   ///< A guid that looks typed, not drawn.
    merge_conflict,     ///< Conflict markers inside a sidecar.
    lfs_pointer,        ///< A Git LFS pointer in place of a sidecar.
    case_clash,         ///< Two paths that differ only in case or in how letters are composed;
                        ///< `detail` says in which.
    unportable_name,    ///< A name that another operating system cannot have; `detail` says why.
    outside_link,       ///< A link that leaves the project, or leads nowhere.
    link_circle,        ///< A folder link that leads back to a folder above it.
    unreadable,         ///< The operating system refused; `detail` says why.
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

/// The assets of a project, sorted by path, found by guid or by path. Immutable once built; reading
/// from several threads is safe.
class AssetIndex {
 public:
  std::span<const Asset> assets() const { return assets_; }
  std::span<const IndexProblem> problems() const { return problems_; }
  /// The locks of type ids in the walked folders (`.NAME.ids.yaml`), sorted: they have no sidecars.
  std::span<const AssetPath> lock_paths() const { return lock_paths_; }
  /// What a killed `prepare` has left beside the files that it wrote, sorted.
  std::span<const AssetPath> leftovers() const { return leftovers_; }

  const Asset& at(AssetNumber number) const { return assets_[number]; }
  AssetNumber find(const Guid& guid) const;
  AssetNumber find(const AssetPath& path) const;
  /// All assets below a folder, without itself, by path.
  std::vector<AssetNumber> within(const AssetPath& folder) const;

  /// Builds an index from what a walk found; used by `build_asset_index` and by tests.
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

/// Walks a project's folders as Unity does (names that start with `.` or end with `~`, `cvs` and
/// `*.tmp` are passed over), reads every sidecar that `memory` does not know, on `jobs` threads,
/// and indexes them. Everything odd becomes a problem, never a failure; fails only when a top
/// folder cannot be listed, or with `cancelled`.
Result<AssetIndex> build_asset_index(const FileReader& files, const ProjectConfig& config,
                                     unsigned jobs, const std::stop_token& stop,
                                     const Progress& progress = {}, FileMemory* memory = nullptr);

/// True for names that Unity, and so Muster, passes over.
bool is_ignored_name(std::string_view name);
/// True for the folders at the top of a project that the editor makes anew (`Library` and others).
bool is_unity_output(const AssetPath& path);

/// The name of a lock of type ids is that of its registry between these: Unity does not see it, so
/// it needs no sidecar.
inline constexpr std::string_view kLockPrefix = ".";
inline constexpr std::string_view kLockSuffix = ".ids.yaml";
bool is_lock_name(std::string_view name);

}  // namespace muster
