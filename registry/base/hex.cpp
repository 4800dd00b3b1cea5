#include "registry/base/hex.h"

namespace muster {

std::string hex_text(Bytes bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text.push_back(kHexDigits[std::to_integer<std::size_t>(byte >> 4U)]);
    text.push_back(kHexDigits[std::to_integer<std::size_t>(byte & std::byte{15})]);
  }
  return text;
}

bool parse_hex(std::string_view text, std::span<std::byte> bytes) {
  if (text.size() != 2 * bytes.size()) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t high = kHexDigits.find(text[2 * i]);
    const std::size_t low = kHexDigits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    bytes[i] = static_cast<std::byte>(high << 4U | low);
  }
  return true;
}

}  // namespace muster
