#include "runtime/session/key_text.h"

#include "registry/base/hex.h"

namespace muster {
std::string key_text(const PublicKey& key) { return hex_text(key); }

std::optional<PublicKey> parse_public_key(std::string_view text) {
  PublicKey key{};
  if (!parse_hex(text, key)) return std::nullopt;
  return key;
}

}  // namespace muster
