// Joins several folders into one.
#pragma once

#include <memory>
#include <vector>

#include "registry/base/file_stamp.h"
#include "registry/base/file_system.h"

namespace muster {

/// A file system (the base) with other file systems mounted at some of its paths. Use it for a
/// project with packages from other folders. A mount hides the files of the base at its path. No
/// part can be left through `..` or links. A commit with paths of several parts fails with
/// `invalid_argument`. A write to a part without a writer fails with `permission_denied`. This
/// object is thread-safe if all parts are thread-safe.
class MountedFileSystem final : public FileSystem, public FileStamps {
 public:
  struct Part {
    AssetPath at;  ///< The path of the mount; empty for the base.
    std::unique_ptr<FileReader> files;
    const FileStamps* stamps = nullptr;  ///< The stamps of `files`, or null if not needed.
    FileSystem* writer = nullptr;        ///< `files`, or null if read-only.
  };
  /// Requires: no mount is inside the path of another mount.
  MountedFileSystem(Part base, std::vector<Part> mounts);

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

 private:
  const Part& part_of(const AssetPath& path) const;
  bool leads_to_mount(const AssetPath& folder) const;

  Part base_;
  std::vector<Part> mounts_;
};

}  // namespace muster
