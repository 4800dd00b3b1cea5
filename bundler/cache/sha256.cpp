#include "bundler/cache/sha256.h"

#include <sodium.h>

#include "registry/base/hex.h"

namespace muster {
std::string Sha256::to_string() const { return hex_text(bytes); }

std::optional<Sha256> Sha256::parse(std::string_view text) {
  Sha256 result;
  if (!parse_hex(text, result.bytes)) return std::nullopt;
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
