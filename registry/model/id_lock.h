// The type ids that a lock file promises. See `README.md` here for the file's form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/base/type_id.h"
#include "registry/project/asset_index.h"
#include "registry/yaml/tree.h"

namespace muster {

/// What a lock file says.
struct IdLock {
  struct Row {
    TypeId id;
    Guid guid;
  };
  Guid registry;         ///< Whose ids these are; null in version 1, which says it by its name.
  std::vector<Row> ids;  ///< Sorted by id.
  std::vector<TypeId> retired;  ///< Sorted; never assigned again.
  bool is_empty() const { return ids.empty() && retired.empty(); }
};

/// Reads versions 1 and 2. Fails with `unsupported_version` and `malformed`, and says where in
/// `fault`.
Result<IdLock> parse_id_lock(std::string_view text, yaml::Position& fault);
/// Writes version 2.
std::string format_id_lock(const IdLock& lock);

/// Where a registry's lock is written: beside it.
AssetPath lock_path_of(const AssetPath& registry);

/// A lock on disk and whose it is.
struct LockFile {
  AssetPath path;
  IdLock lock;                      ///< Empty when there is an error.
  std::optional<Error> error;       ///< Why it cannot be read; its message names no file.
  yaml::Position fault{1, 1};       ///< Where, then.
  AssetNumber registry = kNoAsset;  ///< The asset it belongs to; `kNoAsset` when there is none.
  AssetPath other;  ///< The lock that counts, when another one names the same registry.
};

/// Reads all locks of a project, sorted by path. A lock belongs to the asset whose guid it names,
/// wherever that is: Unity moves and renames an asset with its sidecar, but not the lock, which it
/// does not see. A lock that names none, or one that is gone, belongs to the asset beside it that
/// its own name tells of. No asset has two.
std::vector<LockFile> read_lock_files(const FileReader& files, const AssetIndex& index);

/// Called before `next` is written to `path`. Where two registries have taken each other's names,
/// the lock of the one replaces that of the other: a copy keeps what it promises, should the work
/// end in between. Returns the copy, which is to be removed when all locks are written; nullopt
/// when there is nothing to keep.
Result<std::optional<AssetPath>> keep_other_lock(FileSystem& files, const AssetPath& path,
                                                 std::string_view next);
/// Whether a lock is such a copy, left by work that ended in between.
bool is_kept_copy(const LockFile& file);

}  // namespace muster
