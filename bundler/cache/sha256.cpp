#include "bundler/cache/sha256.h"

#include <sodium.h>

namespace muster {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string Sha256::to_string() const {
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte >> 4U)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

std::optional<Sha256> Sha256::parse(std::string_view text) {
  Sha256 result;
  if (text.size() != 2 * result.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = kDigits.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    result.bytes[i / 2] = (result.bytes[i / 2] << 4U) | static_cast<std::byte>(digit);
  }
  return result;
}

Sha256 sha256(Bytes bytes) {
  static_assert(sizeof(Sha256::bytes) == crypto_hash_sha256_BYTES);
  Sha256 result;
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(result.bytes.data()),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return result;
}

}  // namespace muster
