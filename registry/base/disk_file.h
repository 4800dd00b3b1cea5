// Opens and reads single files of the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "registry/base/asset_path.h"
#include "registry/base/file_system.h"
#include "registry/base/result.h"

namespace muster {

/// Owns a file descriptor; the number -1 means that it owns no descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor();

  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }
  bool valid() const { return value_ >= 0; }

 private:
  int value_;
};

/// Converts an `errno` to an error. The message is `what` and the system's text.
tl::unexpected<Error> fail_errno(int error, const std::string& what);

/// The absolute path of an open descriptor, with links resolved; empty if the descriptor has no
/// path.
std::string real_path_of(int descriptor);

/// Whether a path is `folder` or inside it. Both paths are absolute, with links resolved.
bool is_inside(const std::string& path, const std::string& folder);

/// The path for system calls that are relative to an open folder. The result lives as long as
/// `path`.
const char* relative(const AssetPath& path);

/// The file kind for a mode from `stat`. Requires: the mode is not the mode of a link.
FileKind kind_of_mode(std::uint32_t mode);

/// Opens a path inside a folder, with the flags of `open`. Never opens a target outside the folder,
/// even if a parent folder is a link. On failure the descriptor is invalid and `errno` is set. If a
/// link leads outside, `errno` is EXDEV.
Descriptor open_inside(int folder, const char* path, int flags);

/// A regular file, open for reading. Several threads may read at the same time. Other processes may
/// change or truncate the file at any time. A replacement by rename has no effect on this object.
class DiskFile {
 public:
  /// Opens the file at `path` below `folder`. Fails with `not_found`, with `permission_denied` if a
  /// link leads out of the folder, with `invalid_argument` if the target is not a regular file, or
  /// with `io`.
  static Result<DiskFile> open(const std::string& folder, const AssetPath& path);
  /// Reads the first bytes of the file at `path` below `folder` with a single system call. Does not
  /// check the kind or the size of the file. Returns the number of bytes read. Fails like `open`,
  /// except that the code for a path that is not a regular file is `io`.
  static Result<std::size_t> read_at_once(const std::string& folder, const AssetPath& path,
                                          std::span<std::byte> target);
  /// Opens a file anywhere on the disk, for example at a path that a user passed. Fails like the
  /// overload above.
  static Result<DiskFile> open(const std::string& path);

  /// The size when the file was opened.
  std::uint64_t size_bytes() const { return size_bytes_; }
  int descriptor() const { return descriptor_.get(); }
  /// The path, for messages.
  const std::string& full_path() const { return full_path_; }

  /// Fills `target` from the start of the file. Fails with `truncated` if the file is shorter than
  /// `target`, or with `io`.
  Result<void> read(std::span<std::byte> target) const;

 private:
  static Result<DiskFile> adopt(Descriptor descriptor, std::string full_path);

  Descriptor descriptor_;
  std::uint64_t size_bytes_ = 0;
  std::string full_path_;
};

}  // namespace muster
