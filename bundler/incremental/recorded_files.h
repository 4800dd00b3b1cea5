// Records the paths that a build reads in its project.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "registry/base/content_hash.h"
#include "registry/base/file_stamp.h"
#include "registry/base/file_system.h"

namespace muster {

/// The kind of access to a path.
enum class InputUse : std::uint8_t {
  stat = 0,   ///< Only the existence, the kind and the size of the path were used.
  part = 1,   ///< A part of the bytes was read.
  whole = 2,  ///< All bytes of a file, or all names in a folder, were read. Such a path has a hash.
};

/// One path that a build has accessed. The path may be missing.
struct RecordedInput {
  AssetPath path;
  FileStamp stamp;  ///< The stamp before the first access.
  InputUse use = InputUse::stat;
  ContentHash hash{};  ///< The hash of the whole content, or of the list of names and kinds.
};

/// The hash of the names and kinds in a folder.
ContentHash hash_of_names(const std::vector<DirectoryEntry>& entries);

/// Reads a project's files and records each accessed path, with the hash of its content. Several
/// threads may read at the same time. `inner` and `stamps` must outlive this object.
class RecordedFiles final : public FileReader {
 public:
  RecordedFiles(const FileReader& inner, const FileStamps& stamps)
      : inner_(inner), stamps_(stamps), started_ns_(stamps.now_ns()) {}

  Result<FileInfo> stat(const AssetPath& path) const override;
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override;
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override;

  /// The accesses until now, sorted by path.
  std::vector<RecordedInput> inputs() const;
  /// The hash of a file that was read completely; no value for any other file.
  std::optional<ContentHash> hash_of(const AssetPath& path) const;
  /// Records the content of a file whose hash is already known, instead of reading the file.
  void assume(const AssetPath& path, const ContentHash& hash) const { note_whole(path, hash); }
  /// The stamp of a path. The call counts as an access.
  FileStamp record_stamp(const AssetPath& path) const;
  /// True if a file changed between two accesses that recorded its content.
  bool is_torn() const { return !torn().empty(); }
  /// The files that changed between two accesses.
  std::vector<AssetPath> torn() const;
  /// The file system's time at the start of recording.
  std::int64_t started_ns() const { return started_ns_; }
  const FileStamps& stamps() const { return stamps_; }

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::string, RecordedInput> inputs;
    std::vector<AssetPath> torn;
  };
  Shard& shard_of(const AssetPath& path) const;
  FileStamp note(const AssetPath& path, InputUse use) const;
  void note_whole(const AssetPath& path, const ContentHash& hash) const;
  void note_torn(const AssetPath& path) const;

  const FileReader& inner_;
  const FileStamps& stamps_;
  std::int64_t started_ns_;
  mutable std::array<Shard, 32> shards_;
};

}  // namespace muster
