// One file of the disk, open for reading: what the ways of loading it share.
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

/// Owns a descriptor of the operating system; -1 is none.
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

/// Turns an `errno` into an error; the message is `what` and the system's text.
tl::unexpected<Error> fail_errno(int error, const std::string& what);

/// The absolute path of what a descriptor holds, with links resolved; empty when it has none.
std::string real_path_of(int descriptor);

/// Whether a path is the folder's, or one inside. Both are absolute, with links resolved.
bool is_inside(const std::string& path, const std::string& folder);

/// A path as the operating system takes it below an open folder. Views the path.
const char* relative(const AssetPath& path);

/// What kind of thing it is that has this mode of `stat`, which is no link.
FileKind kind_of_mode(std::uint32_t mode);

/// Opens what is inside a folder, with the flags of `open`: never what a link outside of it leads
/// to, also not through a linked folder on the way. Returns no descriptor, with `errno`, when that
/// fails; EXDEV when a link leads out.
Descriptor open_inside(int folder, const char* path, int flags);

/// A regular file, open for reading. Reading from several threads at once is safe. The file may be
/// replaced, changed or cut short by others at any time; replacing it by rename changes nothing
/// here.
class DiskFile {
 public:
  /// Opens the file at `path` below `folder`. Fails with `not_found`, with `permission_denied` when
  /// a link leads out of the folder, with `invalid_argument` when it is no regular file, or with
  /// `io`.
  static Result<DiskFile> open(const std::string& folder, const AssetPath& path);
  /// Reads the first bytes of the file at `path` below `folder`, as many as one call gives, without
  /// asking what kind of file it is or how large: for callers that know what to expect. Returns how
  /// many bytes came. Fails as `open` does, but with `io` when there is no regular file.
  static Result<std::size_t> read_at_once(const std::string& folder, const AssetPath& path,
                                          std::span<std::byte> target);
  /// Opens the file that a person named, wherever it is.
  static Result<DiskFile> open(const std::string& path);

  /// When it was opened.
  std::uint64_t size_bytes() const { return size_bytes_; }
  int descriptor() const { return descriptor_.get(); }
  /// Its path, for messages.
  const std::string& place() const { return place_; }

  /// Fills `target` from the file's start. Fails with `truncated` when the file ends before, or
  /// with `io`.
  Result<void> read(std::span<std::byte> target) const;

 private:
  static Result<DiskFile> adopt(Descriptor descriptor, std::string place);

  Descriptor descriptor_;
  std::uint64_t size_bytes_ = 0;
  std::string place_;
};

}  // namespace muster
