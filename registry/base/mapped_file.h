// A file mapped into memory.
#pragma once

#include <string>

#include "registry/base/bytes.h"
#include "registry/base/disk_file.h"
#include "registry/base/mapping_guard.h"
#include "registry/base/result.h"

namespace muster {

/// A file mapped read-only into memory. Whoever replaces the file by rename, as a build does,
/// changes nothing here. Whoever writes into it changes these bytes under their reader's eyes;
/// whoever cuts it short takes pages away, and a program without a `MappingGuard` is killed by
/// SIGBUS when it touches them. With one they read as zeros, and `is_damaged` says so. Reading from
/// several threads at once is safe.
class MappedFile {
 public:
  /// Fails as `DiskFile::open` and `map` do.
  static Result<MappedFile> open(const std::string& path);
  /// Maps a file that may be closed afterwards. Fails with `limit_exceeded` when
  /// `MappingGuard::kMaxMappings` are mapped, or with `io` when the kernel has no room.
  static Result<MappedFile> map(const DiskFile& file);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }
  /// Whether pages were lost since it was mapped. Ask after reading: what was read before this
  /// returned false was the file's.
  bool is_damaged() const { return range_.is_damaged(); }

 private:
  MappedFile() = default;
  Bytes bytes_;
  GuardedRange range_;
};

}  // namespace muster
