// The disk's twin for tests and previews.
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "registry/vocabulary/file_system.h"

namespace muster {

/// Files in memory. Folders exist while they hold a file. As on the disk, an identity stays with
/// what is moved. Reading from several threads is safe while nobody writes.
class MemoryFileSystem final : public FileSystem {
 public:
  /// Adds a text file. Requires: `path` is valid.
  void add(std::string_view path, std::string_view text);

  Result<FileInfo> stat(const AssetPath& path) const override;
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override;
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override;
  Result<void> write(const AssetPath& path, Bytes bytes) override;
  Result<void> commit(std::span<const Move> moves) override;
  Result<void> remove(const AssetPath& path) override;

  /// Every file, sorted by path: what a test compares.
  const std::map<AssetPath, ByteVector>& files() const { return files_; }

 private:
  bool is_folder(const AssetPath& path) const;
  Result<void> commit_one(const Move& move);
  void identify(const AssetPath& path);

  std::map<AssetPath, ByteVector> files_;
  std::map<AssetPath, std::uint64_t> identities_;  // of files and folders; the root has none
  std::uint64_t last_identity_ = 0;
};

}  // namespace muster
