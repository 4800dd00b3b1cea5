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
  Guid registry;  ///< The registry that owns the ids; null in version 1, in which the name of the
                  ///< lock file contains the name of the registry.
  std::vector<Row> ids;         ///< Sorted by id.
  std::vector<TypeId> retired;  ///< The ids that are never assigned again. Sorted.
  bool is_empty() const { return ids.empty() && retired.empty(); }
};

/// Reads versions 1 and 2. Fails with `unsupported_version` or `malformed`, and sets `fault` to the
/// position of the error.
Result<IdLock> parse_id_lock(std::string_view text, yaml::Position& fault);
/// Writes version 2.
std::string format_id_lock(const IdLock& lock);

/// The path of a registry's lock, which is in the folder of the registry.
AssetPath lock_path_of(const AssetPath& registry);

/// A lock on disk and its registry.
struct LockFile {
  AssetPath path;
  IdLock lock;  ///< The content; empty if there is an error.
  /// The error if the lock cannot be read. The message does not name the file.
  std::optional<Error> error;
  yaml::Position fault{1, 1};       ///< The position of the error.
  AssetNumber registry = kNoAsset;  ///< The registry of the lock; `kNoAsset` if none exists.
  AssetPath other;  ///< The lock that is used instead, if another lock names the same registry.
};

/// Reads all locks of a project, sorted by path. A lock belongs to the asset whose guid the lock
/// contains, at any path. (Unity moves and renames an asset together with its sidecar, but without
/// the lock.) A lock without a guid, or with the guid of a missing asset, belongs to an asset in
/// the same folder: the lock's file name contains the name of this asset. No asset has two locks.
std::vector<LockFile> read_lock_files(const FileReader& files, const AssetIndex& index);

/// Call this function before `next` is written to `path`. If two registries have swapped names, the
/// new lock of one registry overwrites the old lock of the other registry. In this case, this
/// function first copies the old lock, so that an interruption loses no ids. Returns the path of
/// the copy, which the caller removes after writing all locks; nullopt if no copy is needed.
Result<std::optional<AssetPath>> keep_other_lock(FileSystem& files, const AssetPath& path,
                                                 std::string_view next);
/// Whether a lock is a copy of `keep_other_lock` that an interrupted `prepare` has left.
bool is_kept_copy(const LockFile& file);

}  // namespace muster
