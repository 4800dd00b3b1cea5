// The interface between logic and the disk.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "registry/base/asset_path.h"
#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

enum class FileKind : std::uint8_t {
  file,
  folder,
  outside_link,  ///< A symbolic link that leads out of the root. Never followed.
  broken_link,   ///< A symbolic link without a target, or in a circle.
  other,         ///< A socket, device or pipe.
};

struct FileInfo {
  FileKind kind = FileKind::file;
  std::uint64_t size_bytes = 0;
  std::uint64_t identity = 0;  ///< Equal for two paths of one folder; detects link circles.
  bool is_link = false;        ///< The path itself is a symbolic link.
  AssetPath target = {};       ///< The target of a link to a file inside; not itself a link.
};

struct DirectoryEntry {
  std::string name;
  FileKind kind = FileKind::file;
  bool is_link = false;
};

/// One step of a `commit`.
struct Move {
  AssetPath from;
  AssetPath to;
};

/// Reads files below one root. Nothing outside is listed or read, neither by `..` (an `AssetPath`
/// has none) nor through links (`permission_denied`). Several threads may read at once.
class FileReader {
 public:
  virtual ~FileReader() = default;

  /// Fails with `not_found` or `permission_denied`.
  virtual Result<FileInfo> stat(const AssetPath& path) const = 0;

  /// The entries of a folder, sorted by the bytes of their names.
  virtual Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const = 0;

  /// Reads up to `max_bytes` from `offset`; less only at the end of the file. `buffer` grows as
  /// needed and never shrinks, so that one buffer serves many files. The returned view points into
  /// `buffer` and is valid until its next use.
  virtual Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                             ByteVector& buffer) const = 0;
};

/// Reads and writes files below one root. Implementations: `DiskFileSystem`, `MemoryFileSystem`.
/// One thread writes, and no thread reads during a write.
class FileSystem : public FileReader {
 public:
  /// Creates or replaces a file, with its parent folders. Not atomic and not yet durable: write to
  /// a staging path, then `commit`. Fails with `no_space`, leaving no partial file.
  virtual Result<void> write(const AssetPath& path, Bytes bytes) = 0;

  /// Makes all written files durable, then executes the moves in order. Each move replaces `to` by
  /// `from` (a file or folder) in one step: a reader sees the old or the new content, and never a
  /// missing path. If `to` was a file, its content is lost and its permissions are kept. If `to`
  /// was a folder, the old folder is at `from` afterwards. After a failure, or if the process ends,
  /// the earlier moves are done and the later moves are not. Requires: no path of a move is inside
  /// a path of another move.
  virtual Result<void> commit(std::span<const Move> moves) = 0;

  /// Removes a file, or a folder with its content. Does not follow links. Removing a missing path
  /// succeeds.
  virtual Result<void> remove(const AssetPath& path) = 0;
};

/// Commits a single move.
Result<void> commit_move(FileSystem& files, const AssetPath& from, const AssetPath& to);

/// Reads a whole file. Fails with `limit_exceeded` when it has more than `max_bytes`.
Result<Bytes> read_whole(const FileReader& files, const AssetPath& path, std::uint64_t max_bytes,
                         ByteVector& buffer);

/// Replaces one file atomically: writes a temporary file beside it, then commits. If the path is a
/// link to a file, the target is replaced and the link stays.
Result<void> write_atomically(FileSystem& files, const AssetPath& path, Bytes bytes);
/// True for the name of a temporary file of `write_atomically`. A killed process can leave one.
bool is_temporary_name(std::string_view name);

}  // namespace muster
