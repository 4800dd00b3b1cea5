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
  outside_link,  ///< A symbolic link to a target outside the root. Never followed.
  broken_link,   ///< A symbolic link without a target, or in a cycle of links.
  other,         ///< A socket, device or pipe.
};

struct FileInfo {
  FileKind kind = FileKind::file;
  std::uint64_t size_bytes = 0;
  /// Two paths to the same folder have the same identity. So a cycle of links can be detected.
  std::uint64_t identity = 0;
  bool is_link = false;   ///< Whether the path itself is a symbolic link.
  AssetPath target = {};  ///< The final target of a link to a file inside the root.
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

/// Reads files below one root. Nothing outside the root can be listed or read: an `AssetPath`
/// contains no `..`, and a link that leads outside fails with `permission_denied`. Several threads
/// may read at the same time.
class FileReader {
 public:
  virtual ~FileReader() = default;

  /// Fails with `not_found` or `permission_denied`.
  virtual Result<FileInfo> stat(const AssetPath& path) const = 0;

  /// The entries of a folder, sorted by the bytes of their names.
  virtual Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const = 0;

  /// Reads `max_bytes` from `offset`, or fewer bytes at the end of the file. `buffer` grows if
  /// necessary and never shrinks, so that one buffer can be used for many files. The returned view
  /// points into `buffer` and is valid until the next use of `buffer`.
  virtual Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                             ByteVector& buffer) const = 0;
};

/// Reads and writes files below one root. Implementations: `DiskFileSystem`, `MemoryFileSystem`.
/// One thread writes, and no thread reads during a write.
class FileSystem : public FileReader {
 public:
  /// Creates or replaces a file, and creates its parent folders. The write is neither atomic nor
  /// durable: for both, write to a temporary path, then call `commit`. If the disk is full, fails
  /// with `no_space` and leaves no partial file.
  virtual Result<void> write(const AssetPath& path, Bytes bytes) = 0;

  /// Makes all written files durable, then executes the moves in order. Each move replaces the file
  /// or folder `to` by `from` atomically. If `to` was a file, its content is lost and its
  /// permissions are kept. If `to` was a folder, the old folder is at `from` afterwards. If a move
  /// fails or the process ends, all earlier moves are done and no later move is done. Requires: no
  /// path of a move is inside a path of another move.
  virtual Result<void> commit(std::span<const Move> moves) = 0;

  /// Removes a file, or a folder with its content. Does not follow links. Succeeds if the path is
  /// missing.
  virtual Result<void> remove(const AssetPath& path) = 0;
};

/// Commits a single move.
Result<void> commit_move(FileSystem& files, const AssetPath& from, const AssetPath& to);

/// Reads a whole file. Fails with `limit_exceeded` if the file has more than `max_bytes`.
Result<Bytes> read_whole(const FileReader& files, const AssetPath& path, std::uint64_t max_bytes,
                         ByteVector& buffer);

/// Replaces one file atomically: writes a temporary file in the same folder, then calls `commit`.
/// If the path is a link to a file, replaces the target and keeps the link.
Result<void> write_atomically(FileSystem& files, const AssetPath& path, Bytes bytes);
/// True for the name of a temporary file of `write_atomically`. A killed process can leave such a
/// file.
bool is_temporary_name(std::string_view name);

}  // namespace muster
