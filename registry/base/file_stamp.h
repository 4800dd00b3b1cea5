// File stamps: properties of a file that change when its content changes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/file_system.h"

namespace muster {

/// The properties of a file that show whether its content may have changed. Two equal stamps mean
/// equal content if the first stamp was settled (`is_settled`).
struct FileStamp {
  bool exists = false;
  FileKind kind = FileKind::file;  ///< The kind, as in `FileInfo`.
  std::uint64_t size_bytes = 0;
  /// The time of the last change of the content, in nanoseconds. Users and tools can set this time.
  std::int64_t modified_ns = 0;
  /// The time of the last change of content, name or rights, in nanoseconds. Users cannot set this
  /// time.
  std::int64_t changed_ns = 0;
  /// The identity, as in `FileInfo`. A new file with the same name has another identity.
  std::uint64_t identity = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// True if every change of the file after `now_ns` also changes its stamp. Times advance in steps,
/// so two changes within one step can have the same stamp.
inline bool is_settled(const FileStamp& stamp, std::int64_t now_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  // File systems with coarse times count in steps of one or two seconds.
  constexpr std::int64_t kCoarse = 2 * kSecond;
  constexpr std::int64_t kFine = kSecond / 20;
  return stamp.changed_ns + (stamp.changed_ns % kSecond == 0 ? kCoarse : kFine) < now_ns;
}

/// Reads the stamps of the files of a `FileSystem`. Safe to use from several threads.
class FileStamps {
 public:
  virtual ~FileStamps() = default;

  /// Writes the stamps of the names in one folder to `stamps`. An empty name is the folder itself.
  /// An inaccessible path counts as missing. The stamp of a link changes if the link or its target
  /// changes. Requires: `stamps` has as many elements as `names`.
  virtual void stamps_in(const AssetPath& folder, std::span<const std::string_view> names,
                         std::span<FileStamp> stamps) const = 0;

  /// The `changed_ns` that a file would have if it changed now.
  virtual std::int64_t now_ns() const = 0;
};

/// The stamp of one path.
FileStamp stamp_of(const FileStamps& stamps, const AssetPath& path);

/// Creates second names (hard links) for files in the same file system.
class FileLinks {
 public:
  virtual ~FileLinks() = default;

  /// Creates links in the folder `to` to the files with these names in the folder `from`. Creates
  /// `to` if necessary. Returns for each name whether the link was created. No link is created if
  /// the name exists in `to`, or if the disk does not support links. The caller must copy files
  /// that were not linked.
  virtual std::vector<bool> link_all(const AssetPath& from, const AssetPath& to,
                                     std::span<const std::string> names) = 0;
};

}  // namespace muster
