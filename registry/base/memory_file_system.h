// A file system in memory, for tests and previews.
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "registry/base/file_stamp.h"
#include "registry/base/file_system.h"

namespace muster {

/// A file system in memory. A folder exists while it contains a file. A moved file keeps its
/// identity, like on a disk. Each change advances the time by one second. Several threads may read
/// while no thread writes.
class MemoryFileSystem final : public FileSystem, public FileStamps, public FileLinks {
 public:
  /// Adds a text file. Requires: `AssetPath::parse` accepts `path`.
  void add(std::string_view path, std::string_view text);

  Result<FileInfo> stat(const AssetPath& path) const override;
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override;
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override;
  Result<void> write(const AssetPath& path, Bytes bytes) override;
  Result<void> commit(std::span<const Move> moves) override;
  Result<void> remove(const AssetPath& path) override;
  void stamps_in(const AssetPath& folder, std::span<const std::string_view> names,
                 std::span<FileStamp> stamps) const override;
  std::int64_t now_ns() const override { return now_ns_; }
  std::vector<bool> link_all(const AssetPath& from, const AssetPath& to,
                             std::span<const std::string> names) override;

  /// Gives a file a new stamp without changing its content. Requires: the file exists.
  void touch(const AssetPath& path);
  /// Stops the time, so that all later changes have the same time. Simulates changes within one
  /// step of a file system's clock.
  void stop_time() { step_ns_ = 0; }

  /// All files, sorted by path, for comparison in tests.
  const std::map<AssetPath, ByteVector>& files() const { return files_; }

 private:
  bool is_folder(const AssetPath& path) const;
  Result<void> commit_one(const Move& move);
  void identify(const AssetPath& path);
  void pass_time() { now_ns_ += step_ns_; }
  void change_names();

  std::map<AssetPath, ByteVector> files_;
  std::map<AssetPath, std::uint64_t> identities_;
  std::map<AssetPath, std::int64_t> changed_ns_;
  std::uint64_t last_identity_ = 0;
  std::int64_t now_ns_ = 1;
  std::int64_t names_changed_ns_ = 0;
  std::int64_t step_ns_ = 1'000'000'000;
};

}  // namespace muster
