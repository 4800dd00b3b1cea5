// Files of a build in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/assets/bundle_source.h"

namespace muster {

/// Owns files in memory and returns views of them. Opening a file copies nothing. A view is valid
/// while the source exists and the file is not replaced or removed. Use this class for tests, for
/// downloaded or generated content, and for a layer above a build (`StackedSource`). Several
/// threads may open files while no thread changes the source.
class MemorySource final : public BundleSource {
 public:
  explicit MemorySource(std::string name = "memory") : name_(std::move(name)) {}

  /// Adds or replaces a file. Requires: no view of the replaced file exists.
  void put(std::string path, ByteVector bytes);
  /// Removes a file, if it exists. Requires: no view of the file exists.
  void remove(std::string_view path);

  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override;
  /// Looks up several files together, so that their memory accesses overlap.
  std::vector<Result<std::unique_ptr<BundleFile>>> open_all(
      std::span<const OpenRequest> requests) const override;
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override;
  std::string name() const override { return name_; }

 private:
  struct File {
    std::string path;
    ByteVector bytes;
  };
  /// An entry of the hash table: the index of a file. One half of the path's hash selects the
  /// bucket, and the other half is the tag. Comparing tags excludes most other files.
  struct Bucket {
    std::uint32_t tag = 0;
    std::uint32_t file = kNone;
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::uint32_t find(std::string_view path) const { return find(path, hash_of(path)); }
  std::uint32_t find(std::string_view path, std::uint64_t hash) const;
  static std::uint64_t hash_of(std::string_view path);
  void prefetch_files(std::span<const std::uint64_t> hashes) const;
  Result<std::unique_ptr<BundleFile>> view(std::uint32_t file, const OpenRequest& request) const;
  void index_file(std::uint32_t file);
  void index_files();

  std::string name_;
  std::vector<File> files_;      ///< Unordered.
  std::vector<Bucket> buckets_;  ///< The hash table. Its size is a power of two, and at most half
                                 ///< of the buckets are used.
};

/// Makes a file that owns the given bytes.
std::unique_ptr<BundleFile> make_owned_file(ByteVector bytes);

}  // namespace muster
