// Files of a build that are in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

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
  std::string name() const override { return name_; }

 private:
  std::string name_;
  /// Finds by a view without making a string of it.
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, ByteVector, TextHash, std::equal_to<>> files_;
};

/// Bytes with a file's face, owned.
std::unique_ptr<HeldFile> hold(ByteVector bytes);

}  // namespace muster
