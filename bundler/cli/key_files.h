// Reads the files of signing keys.
#pragma once

#include <optional>
#include <string>

#include "registry/base/result.h"
#include "runtime/bundle/build_signature.h"

namespace muster::cli {

/// Reads a key; nothing if `path` is empty. Fails with disk errors, and with `malformed` for a file
/// without such a key, with the expected content.
Result<std::optional<SigningKey>> read_signing_key(const std::string& path);
Result<std::optional<VerifyKey>> read_verify_key(const std::string& path);

}  // namespace muster::cli
