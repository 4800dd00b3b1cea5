// A file mapped into memory.
#pragma once

#include <string>

#include "registry/base/bytes.h"
#include "registry/base/disk_file.h"
#include "registry/base/mapping_guard.h"
#include "registry/base/result.h"

namespace muster {

/// A file mapped read-only into memory. Replacing the file by rename, as a build does, has no
/// effect here. Writing into the file changes the mapped bytes. Truncating it removes pages: an
/// access then kills a program without a `MappingGuard` by SIGBUS; with one, the pages read as
/// zeros and `is_damaged` returns true. Reading from several threads at once is safe.
class MappedFile {
 public:
  /// Fails like `DiskFile::open` and `map`.
  static Result<MappedFile> open(const std::string& path);
  /// Maps a file, which may be closed afterwards. Fails with `limit_exceeded` if
  /// `MappingGuard::kMaxMappings` files are mapped, or with `io` if the kernel cannot map it.
  static Result<MappedFile> map(const DiskFile& file);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }
  /// Whether pages were lost since the file was mapped. Call it after reading: if it returns false,
  /// the bytes read before are those of the file.
  bool is_damaged() const { return range_.is_damaged(); }

 private:
  MappedFile() = default;
  Bytes bytes_;
  GuardedRange range_;
};

}  // namespace muster
