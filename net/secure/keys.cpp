#include "net/secure/keys.h"

#include <algorithm>
#include <cassert>

#include <sodium.h>

#include "net/secure/sodium_bytes.h"

namespace muster {

void prepare_cryptography() {
  [[maybe_unused]] const int result = sodium_init();
  // `sodium_init` fails only if the system cannot provide random bytes.
  assert(result >= 0);
}

SecretKey::SecretKey(std::span<const std::byte, kBytes> bytes) {
  std::ranges::copy(bytes, bytes_.begin());
}

SecretKey::~SecretKey() { sodium_memzero(bytes_.data(), bytes_.size()); }

SecretKey SecretKey::random(Entropy& entropy) {
  SecretKey key;
  entropy.fill(key.bytes_);
  return key;
}

const unsigned char* SecretKey::data() const { return chars(bytes_); }

bool operator==(const SecretKey& a, const SecretKey& b) {
  return sodium_memcmp(a.bytes_.data(), b.bytes_.data(), SecretKey::kBytes) == 0;
}

KeyPair KeyPair::random(Entropy& entropy) { return of(SecretKey::random(entropy)); }

KeyPair KeyPair::of(const SecretKey& secret) {
  prepare_cryptography();
  KeyPair pair{.secret = secret};
  crypto_scalarmult_base(reinterpret_cast<unsigned char*>(pair.shared.data()), secret.data());
  return pair;
}

std::optional<SecretKey> agree(const SecretKey& mine, const PublicKey& theirs) {
  std::array<std::byte, SecretKey::kBytes> secret{};
  const int result = crypto_scalarmult(reinterpret_cast<unsigned char*>(secret.data()), mine.data(),
                                       chars(theirs));
  const SecretKey key(secret);
  sodium_memzero(secret.data(), secret.size());
  if (result != 0) return std::nullopt;
  return key;
}

SecretKey hash(std::span<const std::byte> data) {
  std::array<std::byte, SecretKey::kBytes> out{};
  crypto_generichash(reinterpret_cast<unsigned char*>(out.data()), out.size(), chars(data),
                     data.size(), nullptr, 0);
  return SecretKey(out);
}

SecretKey mix(const SecretKey& key, std::span<const std::byte> data) {
  std::array<std::byte, SecretKey::kBytes> out{};
  crypto_generichash(reinterpret_cast<unsigned char*>(out.data()), out.size(), chars(data),
                     data.size(), key.data(), SecretKey::kBytes);
  const SecretKey mixed(out);
  sodium_memzero(out.data(), out.size());
  return mixed;
}

SecretKey mix(const SecretKey& key, std::string_view label) {
  return mix(key, std::as_bytes(std::span(label)));
}

}  // namespace muster
