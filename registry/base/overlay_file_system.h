// The file system after a change that has not been made yet.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "registry/base/file_system.h"

namespace muster {

/// Reads from an underlying file system, and keeps writes, moves and removals in memory. For dry
/// runs. Moves files only, not folders (`invalid_argument`). The underlying file system must
/// outlive this object and must not change meanwhile. Several threads may read while no thread
/// writes.
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
  std::set<AssetPath> removed_;  ///< With everything below; written files take precedence.
};

}  // namespace muster
