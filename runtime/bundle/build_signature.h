// Signs builds and checks signatures. The signatures are Ed25519 (RFC 8032, by libsodium) over the
// catalogs and the report. A catalog contains the hash of every bundle, so its signature also
// covers the bundles. The format is described in BUNDLE_FORMAT.md, "Signatures".
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "registry/base/bytes.h"

namespace muster {

/// The secret key for signing. Keep this key secret: it is enough to make trusted builds.
using SigningKey = std::array<std::byte, 64>;
/// The public key for checking signatures.
using VerifyKey = std::array<std::byte, 32>;
using BuildSignature = std::array<std::byte, 64>;

struct SigningKeys {
  SigningKey secret{};
  VerifyKey open{};
};
/// Derives the two keys from a seed. Requires: the seed is 32 unpredictable bytes.
SigningKeys signing_keys(const std::array<std::byte, 32>& seed);
/// The public key that belongs to a secret key.
VerifyKey verify_key_of(const SigningKey& secret);

/// Signs a file. `file` is its path below the output folder, with `/`. The signature covers this
/// path, so the signature is not valid for the same content at another path.
BuildSignature sign_file(const SigningKey& key, std::string_view file, Bytes content);
/// True if `signature` was made with the secret key of `key`, for this path and this content.
bool is_signed_by(const VerifyKey& key, std::string_view file, Bytes content,
                  const BuildSignature& signature);

/// The name of the signature of a catalog, a file of 64 bytes in the same folder.
inline constexpr std::string_view kCatalogSignatureFile = "catalog.mcat.sig";

/// The content of a key file: one line, `muster-secret-key HEX` or `muster-verify-key HEX`.
std::string key_file_text(const SigningKey& key);
std::string key_file_text(const VerifyKey& key);
/// Parse the content of a key file. Return no value for any other text.
std::optional<SigningKey> parse_signing_key(std::string_view text);
std::optional<VerifyKey> parse_verify_key(std::string_view text);

/// Adds a signature to a report (`build.json`, a JSON object that begins with a line `{` and ends
/// with a line `}`). The signature is the last member and covers everything before it.
std::string signed_report(const SigningKey& key, std::string_view file, std::string_view report);
/// True if a report ends with a valid signature of everything before the signature.
bool is_signed_report(const VerifyKey& key, std::string_view file, std::string_view report);

}  // namespace muster
