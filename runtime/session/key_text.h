// Keys as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/secure/keys.h"

namespace muster {

/// 64 lower-case hex digits.
std::string key_text(const PublicKey& key);
/// Nothing for any other spelling.
std::optional<PublicKey> parse_public_key(std::string_view text);

}  // namespace muster
