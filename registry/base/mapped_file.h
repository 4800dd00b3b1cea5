// A file mapped into memory.
#pragma once

#include <string>

#include "registry/base/bytes.h"
#include "registry/base/disk_file.h"
#include "registry/base/mapping_guard.h"
#include "registry/base/result.h"

namespace muster {

/// A file that is mapped read-only into memory. If another process replaces the file by rename, as
/// a build does, the mapped bytes stay the same. If another process writes into the file, the
/// mapped bytes change. If another process truncates the file, pages are lost. Access to a lost
/// page ends the program by SIGBUS. With a `MappingGuard` lost pages are read as zeros instead, and
/// `is_damaged` returns true. Several threads may read at the same time.
class MappedFile {
 public:
  /// Fails like `DiskFile::open` and `map`.
  static Result<MappedFile> open(const std::string& path);
  /// Maps a file. The caller may close the file afterwards. Fails with `limit_exceeded` if
  /// `MappingGuard::kMaxMappings` files are mapped, or with `io` if the kernel cannot map it.
  static Result<MappedFile> map(const DiskFile& file);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }
  /// Whether an access to a lost page has happened. If the function returns false after a read, the
  /// bytes of the read are the bytes of the file.
  bool is_damaged() const { return range_.is_damaged(); }

 private:
  MappedFile() = default;
  Bytes bytes_;
  GuardedRange range_;
};

}  // namespace muster
