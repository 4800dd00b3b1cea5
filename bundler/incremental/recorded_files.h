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
  looked = 0,  ///< Its existence, kind and size.
  part = 1,    ///< A part of its bytes.
  whole = 2,   ///< All of its bytes, or the names in a folder; these have a hash.
};

/// One path that a build has accessed, found or not.
struct RecordedInput {
  AssetPath path;
  FileStamp stamp;  ///< The stamp before the first access.
  InputUse use = InputUse::looked;
  ContentHash hash{};  ///< The hash of the whole content, or of the list of names and kinds.
};

/// The hash of a folder's names.
ContentHash hash_of_names(const std::vector<DirectoryEntry>& entries);

/// Reads a project's files and records each accessed path, with the hash of its content. Reading
/// from several threads is safe; writing fails. `inner` and `stamps` must outlive this object.
class RecordedFiles final : public FileReader {
 public:
  RecordedFiles(const FileReader& inner, const FileStamps& stamps)
      : inner_(inner), stamps_(stamps), started_ns_(stamps.now_ns()) {}

  Result<FileInfo> stat(const AssetPath& path) const override;
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override;
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override;

  /// The accesses so far, sorted by path.
  std::vector<RecordedInput> inputs() const;
  /// The hash of a file that was read whole; nothing for others.
  std::optional<ContentHash> hash_of(const AssetPath& path) const;
  /// Records the known content of a file that need not be read.
  void assume(const AssetPath& path, const ContentHash& hash) const { note_whole(path, hash); }
  /// The stamp of a path; counts as an access.
  FileStamp look_at(const AssetPath& path) const;
  /// True if a file was read, or assumed, twice and changed in between.
  bool is_torn() const { return !torn().empty(); }
  /// The files that changed; empty if there are none.
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
