// Converts public keys to text and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/secure/keys.h"

namespace muster {

/// Returns the key as 64 lower-case hex digits.
std::string key_text(const PublicKey& key);
/// Returns the key, or nothing if the text is not 64 lower-case hex digits.
std::optional<PublicKey> parse_public_key(std::string_view text);

}  // namespace muster
