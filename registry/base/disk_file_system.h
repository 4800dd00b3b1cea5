// The file system of the disk.
#pragma once

#include <string>
#include <vector>

#include "registry/base/file_stamp.h"
#include "registry/base/file_system.h"

namespace muster {

/// The files below a folder of the disk. The folder stays open, so renaming the folder has no
/// effect. Several threads may read at the same time. Uses `syncfs` and `renameat2` of Linux.
class DiskFileSystem final : public FileSystem, public FileStamps, public FileLinks {
 public:
  /// Opens `root`. Fails with `not_found` if `root` is not a folder.
  static Result<DiskFileSystem> open(const std::string& root);
  /// Opens `root`. If the folder or its parents do not exist, creates them. Adds the created
  /// folders to `created`, outermost first, even if the function fails.
  static Result<DiskFileSystem> open_or_create(const std::string& root,
                                               std::vector<std::string>* created = nullptr);

  DiskFileSystem(DiskFileSystem&& other) noexcept;
  DiskFileSystem& operator=(DiskFileSystem&& other) noexcept;
  ~DiskFileSystem() override;

  Result<FileInfo> stat(const AssetPath& path) const override;
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override;
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override;
  Result<void> write(const AssetPath& path, Bytes bytes) override;
  Result<void> commit(std::span<const Move> moves) override;
  Result<void> remove(const AssetPath& path) override;
  void stamps_in(const AssetPath& folder, std::span<const std::string_view> names,
                 std::span<FileStamp> stamps) const override;
  std::int64_t now_ns() const override;
  std::vector<bool> link_all(const AssetPath& from, const AssetPath& to,
                             std::span<const std::string> names) override;

  /// The absolute path of the root, with links resolved, at the time of opening.
  const std::string& root() const { return root_; }

 private:
  DiskFileSystem(int descriptor, std::string root);
  FileInfo behind_link(const char* name) const;
  FileStamp stamp_at(int parent, const char* name, const AssetPath& folder,
                     std::string_view child) const;
  Result<void> create_parents(const AssetPath& path);
  int execute_move(const Move& move) const;
  Result<void> sync_folder(const AssetPath& folder) const;

  int root_descriptor_ = -1;
  std::string root_;
};

/// Removes an empty folder. Fails with `already_exists` if the folder is not empty.
Result<void> remove_empty_folder(const std::string& path);

/// The target of a path that a user passed, with links followed. The target may be anywhere on the
/// disk.
struct PathTarget {
  /// The absolute path without links. If the target has no path on the disk (for example, a pipe),
  /// this is the path that the user passed.
  std::string real_path;
  /// The kind of the target. A file without a path also has the kind `other`.
  FileKind kind = FileKind::file;
};
/// Finds the target of a path. Fails with `not_found` if nothing exists at the path. A link without
/// a target has the kind `broken_link`.
Result<PathTarget> find_target(const std::string& path);

/// Writes to the target of a path, like `>` in a shell. Use this function for devices, pipes, and
/// links whose target does not exist yet. For other files use `write_atomically`. Blocks while a
/// pipe has no reader.
Result<void> write_through(const std::string& path, Bytes bytes);

/// Creates a file that only its owner can read. If the function fails, no file exists. Fails with
/// `already_exists` if the path exists, so that no secret is overwritten. Fails with `not_found` if
/// the folder does not exist; the message names the folder.
Result<void> create_secret_file(const std::string& path, Bytes bytes);

/// A lock on a folder. While this object exists, no other process can lock the folder. The lock is
/// a `flock` on a file in the folder, so it also ends when the process ends.
class FolderLock {
 public:
  /// Fails with `busy` if another process holds the lock.
  static Result<FolderLock> acquire(const std::string& folder, const std::string& file_name);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace muster
