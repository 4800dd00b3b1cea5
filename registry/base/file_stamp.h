// What a file system remembers of files besides their content.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/file_system.h"

namespace muster {

/// Tells, without reading, whether a file may have changed: equal stamps of a file that had been at
/// rest when the first was taken (`is_settled`) mean equal content.
struct FileStamp {
  bool exists = false;
  FileKind kind = FileKind::file;  ///< As `FileInfo` has it.
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  ///< Of the content; people and tools may set it.
  std::int64_t changed_ns = 0;   ///< Of anything, also of names and rights; nobody can set it.
  std::uint64_t identity = 0;    ///< As in `FileInfo`; another file of the same name has another.

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Whether a change after `now_ns` is sure to give the file another stamp. Times come in steps: a
/// file that changes twice within one looks the same after both.
inline bool is_settled(const FileStamp& stamp, std::int64_t now_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  // File systems that know no parts of a second count every second one, or each.
  constexpr std::int64_t kCoarse = 2 * kSecond;
  constexpr std::int64_t kFine = kSecond / 20;
  return stamp.changed_ns + (stamp.changed_ns % kSecond == 0 ? kCoarse : kFine) < now_ns;
}

/// Stamps of the files of a `FileSystem`. Safe to use from several threads.
class FileStamps {
 public:
  virtual ~FileStamps() = default;

  /// Fills in the stamps of names in one folder; an empty name is the folder itself. What cannot be
  /// looked at does not exist. The stamp of a link is another when it, or what it leads to,
  /// changes. Requires: as many stamps as names.
  virtual void stamps_in(const AssetPath& folder, std::span<const std::string_view> names,
                         std::span<FileStamp> stamps) const = 0;

  /// What a file that changes now is stamped with.
  virtual std::int64_t now_ns() const = 0;
};

/// The stamp of one path.
FileStamp stamp_of(const FileStamps& stamps, const AssetPath& path);

/// Gives files a second name in the same file system.
class FileLinks {
 public:
  virtual ~FileLinks() = default;

  /// Makes these names of one folder names of the same files in another, with the folders that it
  /// needs. Tells of each whether that was done: it is not where there is such a name, and where
  /// the disk has no links; the caller copies then. Folders are looked for once.
  virtual std::vector<bool> link_all(const AssetPath& from, const AssetPath& to,
                                     std::span<const std::string> names) = 0;
};

}  // namespace muster
