#include "runtime/bundle/build_signature.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

#include <sodium.h>

namespace muster {
namespace {

static_assert(sizeof(SigningKey) == crypto_sign_SECRETKEYBYTES);
static_assert(sizeof(VerifyKey) == crypto_sign_PUBLICKEYBYTES);
static_assert(sizeof(BuildSignature) == crypto_sign_BYTES);

constexpr std::string_view kPurpose = "muster build signature 1\n";
constexpr std::string_view kSecretTag = "muster-secret-key ";
constexpr std::string_view kVerifyTag = "muster-verify-key ";
constexpr std::string_view kReportEnd = "\n}\n";
constexpr std::string_view kReportSignature = ",\n  \"signature\": \"";

unsigned char* raw_out(std::span<std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}
const unsigned char* raw(Bytes bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// The signed bytes: the purpose, the file's path, and the hash of its content.
std::vector<std::byte> statement_of(std::string_view file, Bytes content) {
  std::vector<std::byte> statement;
  const auto add = [&](std::string_view text) {
    const Bytes bytes = as_bytes(text);
    statement.insert(statement.end(), bytes.begin(), bytes.end());
  };
  add(kPurpose);
  add(file);
  add("\n");
  std::array<std::byte, crypto_generichash_BYTES_MAX> hash{};
  crypto_generichash(raw_out(hash), hash.size(), raw(content), content.size(), nullptr, 0);
  statement.insert(statement.end(), hash.begin(), hash.end());
  return statement;
}

std::string hex_of(Bytes bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), raw(bytes), bytes.size());
  text.pop_back();
  return text;
}

template <typename Key>
std::optional<Key> parse_hex(std::string_view text) {
  Key key{};
  std::size_t size = 0;
  const char* end = nullptr;
  const bool is_hex =
      sodium_hex2bin(raw_out(key), key.size(), text.data(), text.size(), nullptr, &size, &end) == 0;
  if (!is_hex || size != key.size() || end != text.data() + text.size()) return std::nullopt;
  return key;
}

template <typename Key>
std::optional<Key> parse_line(std::string_view tag, std::string_view text) {
  if (!text.starts_with(tag)) return std::nullopt;
  text.remove_prefix(tag.size());
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return parse_hex<Key>(text);
}

}  // namespace

SigningKeys signing_keys(const std::array<std::byte, 32>& seed) {
  static_assert(sizeof seed == crypto_sign_SEEDBYTES);
  SigningKeys keys;
  crypto_sign_seed_keypair(raw_out(keys.open), raw_out(keys.secret), raw(seed));
  return keys;
}

VerifyKey verify_key_of(const SigningKey& secret) {
  VerifyKey key{};
  crypto_sign_ed25519_sk_to_pk(raw_out(key), raw(secret));
  return key;
}

BuildSignature sign_file(const SigningKey& key, std::string_view file, Bytes content) {
  const std::vector<std::byte> statement = statement_of(file, content);
  BuildSignature signature{};
  crypto_sign_detached(raw_out(signature), nullptr, raw(statement), statement.size(), raw(key));
  return signature;
}

bool is_signed_by(const VerifyKey& key, std::string_view file, Bytes content,
                  const BuildSignature& signature) {
  const std::vector<std::byte> statement = statement_of(file, content);
  return crypto_sign_verify_detached(raw(signature), raw(statement), statement.size(), raw(key)) ==
         0;
}

std::string key_file_text(const SigningKey& key) {
  return std::string(kSecretTag) + hex_of(key) + "\n";
}

std::string key_file_text(const VerifyKey& key) {
  return std::string(kVerifyTag) + hex_of(key) + "\n";
}

std::optional<SigningKey> parse_signing_key(std::string_view text) {
  const auto key = parse_line<SigningKey>(kSecretTag, text);
  if (!key) return std::nullopt;
  // The second half of a secret key is its public key.
  std::array<std::byte, 32> seed{};
  std::copy_n(key->begin(), seed.size(), seed.begin());
  return signing_keys(seed).secret == *key ? key : std::nullopt;
}

std::optional<VerifyKey> parse_verify_key(std::string_view text) {
  return parse_line<VerifyKey>(kVerifyTag, text);
}

std::string signed_report(const SigningKey& key, std::string_view file, std::string_view report) {
  assert(report.ends_with(kReportEnd));
  const std::string_view content = report.substr(0, report.size() - kReportEnd.size());
  std::string text(content);
  text += kReportSignature;
  text += hex_of(sign_file(key, file, as_bytes(content)));
  text += '"';
  text += kReportEnd;
  return text;
}

bool is_signed_report(const VerifyKey& key, std::string_view file, std::string_view report) {
  const std::size_t digits = 2 * sizeof(BuildSignature);
  const std::size_t tail = kReportSignature.size() + digits + 1 + kReportEnd.size();
  if (report.size() < tail) return false;
  const std::string_view content = report.substr(0, report.size() - tail);
  const std::string_view end = report.substr(content.size());
  const std::string_view hex = end.substr(kReportSignature.size(), digits);
  const auto signature = parse_hex<BuildSignature>(hex);
  if (!signature || !is_signed_by(key, file, as_bytes(content), *signature)) return false;
  // The end must match byte by byte, because only lower-case hex digits are valid.
  return end == std::string(kReportSignature) + hex_of(*signature) + "\"" + std::string(kReportEnd);
}

}  // namespace muster
