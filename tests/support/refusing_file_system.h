// A file system in which some files cannot be read.
#pragma once

#include <set>
#include <string>

#include "registry/base/file_system.h"

namespace muster::testing {

/// Forwards every call, but denies permission to read or list the paths in `refused`. Reports a
/// size above every limit for the files in `huge`.
class RefusingFileSystem final : public FileSystem {
 public:
  explicit RefusingFileSystem(FileSystem& inner) : inner_(inner) {}

  std::set<std::string> refused;
  std::set<std::string> huge;

  Result<FileInfo> stat(const AssetPath& path) const override { return inner_.stat(path); }
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override {
    if (refused.contains(folder.text())) return refusal();
    return inner_.list(folder);
  }
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override {
    if (refused.contains(path.text())) return refusal();
    if (huge.contains(path.text()) && max_bytes > kHeadBytesMax) {
      return fail(ErrorCode::limit_exceeded, "too many bytes");
    }
    return inner_.read(path, offset, max_bytes, buffer);
  }
  Result<void> write(const AssetPath& path, Bytes bytes) override {
    return inner_.write(path, bytes);
  }
  Result<void> commit(std::span<const Move> moves) override { return inner_.commit(moves); }
  Result<void> remove(const AssetPath& path) override { return inner_.remove(path); }

 private:
  // A read of more bytes counts as a read of the whole file.
  static constexpr std::uint64_t kHeadBytesMax = 1ULL << 20U;
  static tl::unexpected<Error> refusal() {
    return fail(ErrorCode::permission_denied, "permission denied");
  }

  FileSystem& inner_;
};

}  // namespace muster::testing
