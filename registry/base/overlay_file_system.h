// A file system that stores changes only in memory.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "registry/base/file_system.h"

namespace muster {

/// Reads from an underlying file system, and stores writes, moves and removals only in memory. Use
/// it for dry runs. Moving a folder fails with `invalid_argument`. The underlying file system must
/// outlive this object and must not change during its lifetime. Several threads may read while no
/// thread writes.
class OverlayFileSystem final : public FileSystem {
 public:
  explicit OverlayFileSystem(const FileReader& beneath) : beneath_(beneath) {}

  Result<FileInfo> stat(const AssetPath& path) const override;
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override;
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override;
  Result<void> write(const AssetPath& path, Bytes bytes) override;
  Result<void> commit(std::span<const Move> moves) override;
  Result<void> remove(const AssetPath& path) override;

 private:
  bool is_removed(const AssetPath& path) const;

  const FileReader& beneath_;
  std::map<AssetPath, ByteVector> written_;
  /// Removed files and folders; a folder includes its content. A path in `written_` exists, even if
  /// it is also removed here.
  std::set<AssetPath> removed_;
};

}  // namespace muster
