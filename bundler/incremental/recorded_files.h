// What a build has looked at in its project.
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

/// How closely a build has looked at a path.
enum class InputUse : std::uint8_t {
  looked = 0,  ///< Whether it is there, as what, and how large.
  part = 1,    ///< A part of its bytes.
  whole = 2,   ///< All of its bytes, or the names in a folder: they have a hash.
};

/// One path that a build has looked at, found or not.
struct RecordedInput {
  AssetPath path;
  FileStamp stamp;  ///< Before it was looked at for the first time.
  InputUse use = InputUse::looked;
  ContentHash hash{};  ///< Of the whole content, or of the list of names and kinds.
};

/// The hash that stands for a folder's names.
ContentHash hash_of_names(const std::vector<DirectoryEntry>& entries);

/// A project's files, read through: remembers each path that anybody looks at, with the hash of
/// what was read. Reading from several threads is safe; writing fails. `inner` and `stamps` live
/// longer.
class RecordedFiles final : public FileReader {
 public:
  RecordedFiles(const FileReader& inner, const FileStamps& stamps)
      : inner_(inner), stamps_(stamps), started_ns_(stamps.now_ns()) {}

  Result<FileInfo> stat(const AssetPath& path) const override;
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override;
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override;

  /// What has been looked at so far, sorted by path.
  std::vector<RecordedInput> inputs() const;
  /// The hash of a file that was read whole; none of others.
  std::optional<ContentHash> hash_of(const AssetPath& path) const;
  /// Notes what a file holds that need not be read, since somebody else knows.
  void assume(const AssetPath& path, const ContentHash& hash) const { note_whole(path, hash); }
  /// The stamp of a path, which counts as a look at it.
  FileStamp look_at(const AssetPath& path) const;
  /// True when something was read, or assumed, twice and had changed in between.
  bool is_torn() const { return !torn().empty(); }
  /// What had changed; empty when nothing.
  std::vector<AssetPath> torn() const;
  /// The time of the file system when recording began.
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
