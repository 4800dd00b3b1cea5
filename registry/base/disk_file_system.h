// The real disk: one of the few units that touch the operating system.
#pragma once

#include <string>
#include <vector>

#include "registry/base/file_stamp.h"
#include "registry/base/file_system.h"

namespace muster {

/// Files below a folder of the disk. Holds the folder open: it stays the same folder when it is
/// renamed. Reading is thread-safe. Writing and committing use `syncfs` and `renameat2`.
class DiskFileSystem final : public FileSystem, public FileStamps, public FileLinks {
 public:
  /// Opens `root`. Fails with `not_found` when it is no folder.
  static Result<DiskFileSystem> open(const std::string& root);
  /// Opens `root`, creating it (and its parents) when it is missing. Adds the folders that it has
  /// created to `created`, outermost first, also when it fails.
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

  /// The root as an absolute path with links resolved, as it was when it was opened.
  const std::string& root() const { return root_; }

 private:
  DiskFileSystem(int descriptor, std::string root);
  FileInfo behind_link(const char* name) const;
  FileStamp stamp_at(int parent, const char* name, const AssetPath& folder,
                     std::string_view child) const;
  Result<void> create_parents(const AssetPath& path);
  int put_in_place(const Move& move) const;
  Result<void> sync_folder(const AssetPath& folder) const;

  int root_descriptor_ = -1;
  std::string root_;
};

/// Removes a folder that holds nothing. Fails with `already_exists` when it holds something.
Result<void> remove_empty_folder(const std::string& path);

/// What a person's path leads to: a path that may be anywhere on the disk, links followed.
struct FoundPlace {
  std::string real_path;  ///< Absolute, without links. Of what has none (pipes): the path itself.
  FileKind kind = FileKind::file;  ///< `other` is a file without a name, too.
};
/// Fails with `not_found`. A link that leads nowhere is a `broken_link`.
Result<FoundPlace> find_place(const std::string& path);

/// Writes into what a path leads to, as a shell's `>` does: devices, pipes, links that lead nowhere
/// yet. Anything else is better replaced (`write_atomically`). Blocks while nobody reads a pipe.
Result<void> write_through(const std::string& path, Bytes bytes);

/// Makes a file that its owner alone may read, whole or not at all. Fails with `already_exists`
/// when there is something: no secret is ever lost to another.
Result<void> create_secret_file(const std::string& path, Bytes bytes);

/// Keeps other processes out of a folder for as long as it lives (`flock` on a file in it). The
/// lock goes with the process, however that ends.
class FolderLock {
 public:
  /// Fails with `busy` when another process holds it.
  static Result<FolderLock> acquire(const std::string& folder, const std::string& file_name);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace muster
