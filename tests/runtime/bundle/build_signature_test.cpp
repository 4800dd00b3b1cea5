// Signatures of builds.
#include "runtime/bundle/build_signature.h"

#include <catch2/catch.hpp>

namespace muster {
namespace {

std::array<std::byte, 32> seed(unsigned number) {
  std::array<std::byte, 32> bytes{};
  bytes.fill(static_cast<std::byte>(number));
  return bytes;
}

constexpr std::string_view kReport = "{\n  \"format\": 1,\n  \"bundles\": []\n}\n";

TEST_CASE("A signature is valid for its key and its file only", "[bundle][signature]") {
  const SigningKeys keys = signing_keys(seed(1));
  const ByteVector content(1000, std::byte{7});
  const BuildSignature signature = sign_file(keys.secret, "client/catalog.mcat", content);
  CHECK(is_signed_by(keys.open, "client/catalog.mcat", content, signature));
  CHECK_FALSE(is_signed_by(keys.open, "server/catalog.mcat", content, signature));
  CHECK_FALSE(is_signed_by(signing_keys(seed(2)).open, "client/catalog.mcat", content, signature));
  CHECK(verify_key_of(keys.secret) == keys.open);
}

TEST_CASE("Every changed bit of a signed file or of its signature is detected",
          "[bundle][signature]") {
  const SigningKeys keys = signing_keys(seed(3));
  ByteVector content(40, std::byte{1});
  BuildSignature signature = sign_file(keys.secret, "a", content);
  const auto is_seen = [&](std::byte& byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      byte ^= static_cast<std::byte>(1U << bit);
      CHECK_FALSE(is_signed_by(keys.open, "a", content, signature));
      byte ^= static_cast<std::byte>(1U << bit);
    }
  };
  for (std::byte& byte : content) is_seen(byte);
  for (std::byte& byte : signature) is_seen(byte);
  CHECK(is_signed_by(keys.open, "a", content, signature));
}

TEST_CASE("Keys are written and read, and invalid keys are refused", "[bundle][signature]") {
  const SigningKeys keys = signing_keys(seed(4));
  CHECK(parse_signing_key(key_file_text(keys.secret)) == keys.secret);
  CHECK(parse_verify_key(key_file_text(keys.open)) == keys.open);
  CHECK_FALSE(parse_verify_key(key_file_text(keys.secret)));
  CHECK_FALSE(parse_signing_key(key_file_text(keys.open)));
  CHECK_FALSE(parse_signing_key(""));
  std::string other = key_file_text(keys.secret);
  other[20] = other[20] == '0' ? '1' : '0';  // The two halves of the key do not match.
  CHECK_FALSE(parse_signing_key(other));
  CHECK_FALSE(parse_verify_key(key_file_text(keys.open).substr(0, 40)));
  CHECK_FALSE(parse_verify_key(key_file_text(keys.open) + "00"));
}

TEST_CASE("A report contains its own signature", "[bundle][signature]") {
  const SigningKeys keys = signing_keys(seed(5));
  const std::string text = signed_report(keys.secret, "build.json", kReport);
  CHECK(text.starts_with("{\n  \"format\": 1,\n  \"bundles\": [],\n  \"signature\": \""));
  CHECK(is_signed_report(keys.open, "build.json", text));
  CHECK_FALSE(is_signed_report(keys.open, "build.json", kReport));
  CHECK_FALSE(is_signed_report(keys.open, "build.json", ""));
  CHECK_FALSE(is_signed_report(signing_keys(seed(6)).open, "build.json", text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 0x20);
    CHECK_FALSE(is_signed_report(keys.open, "build.json", changed));
    CHECK_FALSE(is_signed_report(keys.open, "build.json", text.substr(0, i)));
  }
  CHECK_FALSE(is_signed_report(keys.open, "build.json", text + "\n"));
}

TEST_CASE("Keys equal a test vector of RFC 8032", "[bundle][signature]") {
  // The first test of the RFC contains the key of a known seed. The signed data differs here, so
  // only the key is compared.
  std::array<std::byte, 32> rfc{};
  const std::string_view hex = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
  for (std::size_t i = 0; i < rfc.size(); ++i) {
    rfc[i] = static_cast<std::byte>(std::stoi(std::string(hex.substr(2 * i, 2)), nullptr, 16));
  }
  CHECK(key_file_text(signing_keys(rfc).open) ==
        "muster-verify-key d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\n");
}

}  // namespace
}  // namespace muster
