// Bytes as people compare them, for programs that print and read vectors.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// The bytes of such a text. Throws `std::invalid_argument` when it holds something else.
inline std::vector<std::byte> unhex(std::string_view text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

}  // namespace muster
