// The type ids that a lock file reserves. `registry/MUSTER_YAML.md` defines the file's form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/base/type_id.h"
#include "registry/project/asset_index.h"
#include "registry/yaml/tree.h"

namespace muster {

/// The content of a lock file.
struct IdLock {
  struct Row {
    TypeId id;
    Guid guid;
  };
  Guid registry;         ///< Owner of the ids; null in version 1, where the file name names it.
  std::vector<Row> ids;  ///< Sorted by id.
  std::vector<TypeId> retired;  ///< Sorted; never assigned again.
  bool is_empty() const { return ids.empty() && retired.empty(); }
};

/// Reads versions 1 and 2. Fails with `unsupported_version` and `malformed`, and sets `fault` to
/// the position.
Result<IdLock> parse_id_lock(std::string_view text, yaml::Position& fault);
/// Writes version 2.
std::string format_id_lock(const IdLock& lock);

/// The path of a registry's lock: beside the registry.
AssetPath lock_path_of(const AssetPath& registry);

/// A lock on disk and its registry.
struct LockFile {
  AssetPath path;
  IdLock lock;                      ///< Empty if there is an error.
  std::optional<Error> error;       ///< The read error; its message names no file.
  yaml::Position fault{1, 1};       ///< The position of the error.
  AssetNumber registry = kNoAsset;  ///< Its asset; `kNoAsset` if none exists.
  AssetPath other;  ///< The lock that is used instead, if another one names the same registry.
};

/// Reads all locks of a project, sorted by path. A lock belongs to the asset whose guid it
/// contains, at any path: Unity moves and renames an asset with its sidecar, but not its lock,
/// which it does not know. A lock without a guid, or with the guid of a missing asset, belongs to
/// the asset beside it that its file name refers to. No asset has two locks.
std::vector<LockFile> read_lock_files(const FileReader& files, const AssetIndex& index);

/// Called before `next` is written to `path`. If two registries have swapped names, the lock of one
/// overwrites that of the other, so a copy keeps its content in case of an interruption. Returns
/// the copy, to be removed when all locks are written; nullopt if no copy is needed.
Result<std::optional<AssetPath>> keep_other_lock(FileSystem& files, const AssetPath& path,
                                                 std::string_view next);
/// Whether a lock is such a copy, left by an interruption.
bool is_kept_copy(const LockFile& file);

}  // namespace muster
