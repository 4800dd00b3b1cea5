// The seam between logic and the disk.
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
  broken_link,   ///< A symbolic link that leads nowhere, or in a circle.
  other,         ///< A socket, device or pipe.
};

struct FileInfo {
  FileKind kind = FileKind::file;
  std::uint64_t size_bytes = 0;
  std::uint64_t identity = 0;  ///< Equal for two paths that lead to one folder (link circles).
  bool is_link = false;        ///< The path itself is a symbolic link.
  AssetPath target = {};       ///< What a link to a file inside leads to; no link itself.
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

/// Reads files below one root. Nothing outside is listed or read: not by `..` (an `AssetPath` has
/// none) nor through links (`permission_denied`). Several threads may read at once.
class FileReader {
 public:
  virtual ~FileReader() = default;

  /// Fails with `not_found` or `permission_denied`.
  virtual Result<FileInfo> stat(const AssetPath& path) const = 0;

  /// The entries of a folder, sorted by the bytes of their names.
  virtual Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const = 0;

  /// Reads up to `max_bytes` from `offset`; less only at the end of the file. `buffer` is grown
  /// when needed and never shrunk, so that one buffer serves many files; the view returned points
  /// into it and lives until its next use.
  virtual Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                             ByteVector& buffer) const = 0;
};

/// Reads and writes files below one root. Implementations: `DiskFileSystem`, `MemoryFileSystem`.
/// One thread writes, and nothing reads meanwhile.
class FileSystem : public FileReader {
 public:
  /// Creates or replaces a file, with its parent folders. Not atomic and not yet durable: write to
  /// a staging path, then `commit`. Fails with `no_space`, leaving no partial file.
  virtual Result<void> write(const AssetPath& path, Bytes bytes) = 0;

  /// Makes everything written so far durable and then moves, one right after the other. Each move
  /// puts `from` (file or folder) in the place of `to` in one step: whoever looks sees the old or
  /// the new, never neither. A file that was at `to` is gone afterwards (its permissions pass on);
  /// a folder that was there is at `from`. A failure, or the end of the process, leaves the moves
  /// before it done and those after it not. Requires: no path of a move is inside another move's.
  virtual Result<void> commit(std::span<const Move> moves) = 0;

  /// Removes a file or a folder with all it holds. Does not follow links. Removing what does not
  /// exist succeeds.
  virtual Result<void> remove(const AssetPath& path) = 0;
};

/// Commits a single move.
Result<void> commit_move(FileSystem& files, const AssetPath& from, const AssetPath& to);

/// Reads a file to its end. Fails with `limit_exceeded` when it has more than `max_bytes`.
Result<Bytes> read_whole(const FileReader& files, const AssetPath& path, std::uint64_t max_bytes,
                         ByteVector& buffer);

/// Replaces one file atomically: writes beside it, then commits. Where a link to a file stands,
/// that file is replaced and the link stays.
Result<void> write_atomically(FileSystem& files, const AssetPath& path, Bytes bytes);
/// True for the name of what it wrote beside a file, which a killed process leaves behind.
bool is_temporary_name(std::string_view name);

}  // namespace muster
