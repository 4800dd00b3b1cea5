// Makes text from untrusted sources safe for a terminal, a log or an export.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace muster {

/// Returns the character, or a question mark if it is not printable ASCII.
constexpr char printable(char character) {
  return character >= ' ' && character <= '~' ? character : '?';
}

inline std::string printable(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const std::byte byte : bytes) text.push_back(printable(std::to_integer<char>(byte)));
  return text;
}

}  // namespace muster
