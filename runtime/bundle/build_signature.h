// Signs builds and checks signatures: Ed25519 (RFC 8032, by libsodium) over the catalogs and the
// report. A catalog covers every bundle by hash. BUNDLE_FORMAT.md, "Signatures".
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "registry/base/bytes.h"

namespace muster {

/// The secret key for signing; its owner can make trusted builds.
using SigningKey = std::array<std::byte, 64>;
/// The public key for checking signatures.
using VerifyKey = std::array<std::byte, 32>;
using BuildSignature = std::array<std::byte, 64>;

struct SigningKeys {
  SigningKey secret{};
  VerifyKey open{};
};
/// The keys derived from a seed: 32 unpredictable bytes.
SigningKeys signing_keys(const std::array<std::byte, 32>& seed);
/// The public key that belongs to a secret key.
VerifyKey verify_key_of(const SigningKey& secret);

/// Signs a file. The signature covers `file`, the path in the output with `/`, so it is not valid
/// for the same content at another path.
BuildSignature sign_file(const SigningKey& key, std::string_view file, Bytes content);
/// True when the owner of the secret key signed these bytes as this file.
bool is_signed_by(const VerifyKey& key, std::string_view file, Bytes content,
                  const BuildSignature& signature);

/// The file name of a catalog's signature, beside it: `catalog.mcat.sig`, 64 bytes.
inline constexpr std::string_view kCatalogSignatureFile = "catalog.mcat.sig";

/// Keys as files: one line, `muster-secret-key HEX` or `muster-verify-key HEX`.
std::string key_file_text(const SigningKey& key);
std::string key_file_text(const VerifyKey& key);
/// Return nothing if the text is not such a key.
std::optional<SigningKey> parse_signing_key(std::string_view text);
std::optional<VerifyKey> parse_verify_key(std::string_view text);

/// A report (`build.json`: a JSON object with a line for each brace) with its signature as the last
/// member, which covers everything before it.
std::string signed_report(const SigningKey& key, std::string_view file, std::string_view report);
/// True when a report ends with a valid signature of everything before it.
bool is_signed_report(const VerifyKey& key, std::string_view file, std::string_view report);

}  // namespace muster
