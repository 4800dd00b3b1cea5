// What files would be after a change that nobody has made yet.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "registry/base/file_system.h"

namespace muster {

/// A file system as it would be: reads what lies beneath, and keeps in memory what is written,
/// moved and removed. For dry runs, whose effects are to be seen without having them. Moves files,
/// not folders (`invalid_argument`). What is beneath outlives it and must not change meanwhile.
/// Reading from several threads is safe while nobody writes.
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
  std::set<AssetPath> removed_;  ///< With all below; what is written counts before it.
};

}  // namespace muster
