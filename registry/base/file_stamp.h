// The properties of files, besides content, that a file system records.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/file_system.h"

namespace muster {

/// Detects, without reading, whether a file may have changed. Equal stamps mean equal content if
/// the first one was settled (`is_settled`).
struct FileStamp {
  bool exists = false;
  FileKind kind = FileKind::file;  ///< As in `FileInfo`.
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  ///< Change of the content; users and tools can set it.
  std::int64_t changed_ns = 0;   ///< Any change, also of names and rights; cannot be set.
  std::uint64_t identity = 0;    ///< As in `FileInfo`; differs for another file of the same name.

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Whether a change after `now_ns` certainly changes the stamp. Times have a step size: two changes
/// within one step give the same stamp.
inline bool is_settled(const FileStamp& stamp, std::int64_t now_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  // File systems with coarse times count in steps of one or two seconds.
  constexpr std::int64_t kCoarse = 2 * kSecond;
  constexpr std::int64_t kFine = kSecond / 20;
  return stamp.changed_ns + (stamp.changed_ns % kSecond == 0 ? kCoarse : kFine) < now_ns;
}

/// Stamps of the files of a `FileSystem`. Safe to use from several threads.
class FileStamps {
 public:
  virtual ~FileStamps() = default;

  /// Fills in the stamps of the names in one folder; an empty name is the folder itself. An
  /// inaccessible path counts as missing. The stamp of a link changes when the link or its target
  /// changes. Requires: as many stamps as names.
  virtual void stamps_in(const AssetPath& folder, std::span<const std::string_view> names,
                         std::span<FileStamp> stamps) const = 0;

  /// The time stamp of a file that changes now.
  virtual std::int64_t now_ns() const = 0;
};

/// The stamp of one path.
FileStamp stamp_of(const FileStamps& stamps, const AssetPath& path);

/// Creates second names (hard links) for files in the same file system.
class FileLinks {
 public:
  virtual ~FileLinks() = default;

  /// Links the files with these names in the folder `from` to the same names in `to`, and creates
  /// `to` if necessary. Returns for each name whether it was linked. A name that exists in `to` is
  /// not linked, and neither is any name if the disk has no links. The caller then copies the file.
  /// Each folder is opened once.
  virtual std::vector<bool> link_all(const AssetPath& from, const AssetPath& to,
                                     std::span<const std::string> names) = 0;
};

}  // namespace muster
