// Who made a build: Ed25519 signatures (RFC 8032, by libsodium) over its catalogs and its report.
// A catalog covers every bundle by hash. BUNDLE_FORMAT.md, "Signatures".
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "registry/base/bytes.h"

namespace muster {

/// What a signature is made with; whoever has it can make builds that are believed.
using SigningKey = std::array<std::byte, 64>;
/// What a signature is checked with; for everybody.
using VerifyKey = std::array<std::byte, 32>;
using BuildSignature = std::array<std::byte, 64>;

struct SigningKeys {
  SigningKey secret{};
  VerifyKey open{};
};
/// The keys that follow from a seed: 32 bytes that nobody can guess.
SigningKeys signing_keys(const std::array<std::byte, 32>& seed);
/// The key that goes with a secret one.
VerifyKey verify_key_of(const SigningKey& secret);

/// `file` is the file's path in the output, with `/`: no file can pass for another.
BuildSignature sign_file(const SigningKey& key, std::string_view file, Bytes content);
/// Whether these are the bytes that whoever holds the secret key signed as this file.
bool is_signed_by(const VerifyKey& key, std::string_view file, Bytes content,
                  const BuildSignature& signature);

/// The name of a catalog's signature, beside it: `catalog.mcat.sig`, 64 bytes.
inline constexpr std::string_view kCatalogSignatureFile = "catalog.mcat.sig";

/// Keys as files: one line, `muster-secret-key HEX` or `muster-verify-key HEX`.
std::string key_file_text(const SigningKey& key);
std::string key_file_text(const VerifyKey& key);
/// Nothing when the text is no such key.
std::optional<SigningKey> parse_signing_key(std::string_view text);
std::optional<VerifyKey> parse_verify_key(std::string_view text);

/// A report (`build.json`: a JSON object, a line for each brace) with its signature as its last
/// member, which covers everything before it.
std::string signed_report(const SigningKey& key, std::string_view file, std::string_view report);
/// Whether a report ends with the signature of what stands before it.
bool is_signed_report(const VerifyKey& key, std::string_view file, std::string_view report);

}  // namespace muster
