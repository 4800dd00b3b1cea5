// Bytes for network tests: literals, or patterns that a test can verify.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace muster {

using NetBytes = std::vector<std::byte>;

inline NetBytes bytes_of(std::initializer_list<unsigned> values) {
  NetBytes bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

/// Returns `size` bytes derived from `number`. A comparison detects each wrong, shifted or
/// exchanged byte.
inline NetBytes pattern(std::uint32_t number, std::size_t size) {
  NetBytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(number * 2654435761U >> (i % 4 * 8) ^ i * 7 ^ i >> 8U);
  }
  return bytes;
}

inline NetBytes copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace muster
