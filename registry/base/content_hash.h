// The identity of content.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "registry/base/bytes.h"

namespace muster {

/// XXH3-128 of some bytes, in its canonical (big-endian) order. Detects damage and change; it is no
/// defence against somebody who forges content (a signature over the catalog is).
struct ContentHash {
  std::array<std::uint8_t, 16> bytes{};

  std::string to_string() const;
  friend auto operator<=>(const ContentHash&, const ContentHash&) = default;
};

/// Hashes one run of bytes.
ContentHash hash_bytes(Bytes bytes);

/// Hashes bytes that come in pieces; equal to `hash_bytes` of their concatenation.
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(ContentHasher&&) noexcept;
  ContentHasher& operator=(ContentHasher&&) noexcept;

  void update(Bytes bytes);
  /// Adds the length and then the text, so that neighbouring texts cannot run into each other.
  void update_text(std::string_view text);
  ContentHash finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster

template <>
struct std::hash<muster::ContentHash> {
  std::size_t operator()(const muster::ContentHash& content) const noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, content.bytes.data(), sizeof word);
    return static_cast<std::size_t>(word);
  }
};
