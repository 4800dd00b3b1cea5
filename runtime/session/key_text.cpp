#include "runtime/session/key_text.h"

namespace muster {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string key_text(const PublicKey& key) {
  std::string text;
  for (const std::byte byte : key) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4U];
    text += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

std::optional<PublicKey> parse_public_key(std::string_view text) {
  PublicKey key{};
  if (text.size() != 2 * key.size()) return std::nullopt;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const std::size_t high = kDigits.find(text[2 * i]);
    const std::size_t low = kDigits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    key[i] = static_cast<std::byte>(high << 4U | low);
  }
  return key;
}

}  // namespace muster
