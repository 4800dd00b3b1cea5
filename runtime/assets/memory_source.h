// Files of a build that are in memory.
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

/// Owns files and hands out views of them: opening one copies nothing. What is handed out lives as
/// long as the source, and as long as nobody puts another file in its place. For tests, for content
/// that was downloaded or generated, and for a layer above a build (`StackedSource`). Opening from
/// several threads at once is safe while nobody changes it.
class MemorySource final : public BundleSource {
 public:
  explicit MemorySource(std::string name = "memory") : name_(std::move(name)) {}

  /// Adds or replaces a file. Requires: nobody holds what is replaced.
  void put(std::string path, ByteVector bytes);
  /// Forgets a file; nothing happens when there is none. Requires: nobody holds it.
  void remove(std::string_view path);

  Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                         std::uint64_t max_bytes) const override;
  /// Looks for several at a time, so that one is waited for while others come out of memory.
  std::vector<Result<std::unique_ptr<HeldFile>>> open_all(
      std::span<const OpenRequest> requests) const override;
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override;
  std::string name() const override { return name_; }

 private:
  struct File {
    std::string path;
    ByteVector bytes;
  };
  /// Where a file lies, by the hash of its path; the hash's other half tells most others apart.
  struct Place {
    std::uint32_t tag = 0;
    std::uint32_t file = kNone;
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::uint32_t find(std::string_view path) const { return find(path, hash_of(path)); }
  std::uint32_t find(std::string_view path, std::uint64_t hash) const;
  static std::uint64_t hash_of(std::string_view path);
  void prefetch_files(std::span<const std::uint64_t> hashes) const;
  Result<std::unique_ptr<HeldFile>> view(std::uint32_t file, const OpenRequest& request) const;
  void note_place(std::uint32_t file);
  void note_places();

  std::string name_;
  std::vector<File> files_;    ///< In no order.
  std::vector<Place> places_;  ///< A power of two, at most half full.
};

/// Bytes with a file's face, owned.
std::unique_ptr<HeldFile> hold(ByteVector bytes);

}  // namespace muster
