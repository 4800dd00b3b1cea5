// Keys for signing builds, as files.
#pragma once

#include <optional>
#include <string>

#include "registry/base/result.h"
#include "runtime/bundle/build_signature.h"

namespace muster::cli {

/// Reads a key; nothing when `path` is empty. Fails as the disk does, and with `malformed` for a
/// file that is no such key, saying what it should be.
Result<std::optional<SigningKey>> read_signing_key(const std::string& path);
Result<std::optional<VerifyKey>> read_verify_key(const std::string& path);

}  // namespace muster::cli
