// Bytes as people compare them, for programs that print vectors.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace muster {

inline std::string hex(std::span<const std::byte> bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text.push_back(kDigits[std::to_integer<std::size_t>(byte >> 4U)]);
    text.push_back(kDigits[std::to_integer<std::size_t>(byte & std::byte{15})]);
  }
  return text;
}

}  // namespace muster
