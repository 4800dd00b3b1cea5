// Reads the files of signing keys.
#pragma once

#include <optional>
#include <string>

#include "registry/base/result.h"
#include "runtime/bundle/build_signature.h"

namespace muster::cli {

/// Reads a key; returns no value if `path` is empty. Fails if the file cannot be read, with the
/// code of that failure. Fails with `malformed` if the file does not contain such a key; the
/// message describes the expected content.
Result<std::optional<SigningKey>> read_signing_key(const std::string& path);
Result<std::optional<VerifyKey>> read_verify_key(const std::string& path);

}  // namespace muster::cli
