// Hashes content.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "registry/base/bytes.h"

namespace muster {

/// The XXH3-128 of bytes, in the canonical (big-endian) byte order. The hash detects damage and
/// changes. The hash does not detect content that an attacker has forged; the signature of the
/// catalog detects such content.
struct ContentHash {
  std::array<std::uint8_t, 16> bytes{};

  std::string to_string() const;
  friend auto operator<=>(const ContentHash&, const ContentHash&) = default;
};

/// Hashes bytes in one call.
ContentHash hash_bytes(Bytes bytes);

/// Hashes bytes in several calls. The result equals `hash_bytes` of all bytes together.
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(ContentHasher&&) noexcept;
  ContentHasher& operator=(ContentHasher&&) noexcept;

  void update(Bytes bytes);
  /// Adds the length and then the text, so that ("ab", "c") and ("a", "bc") differ.
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
