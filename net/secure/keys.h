// Keys and key derivation. The cryptography is libsodium's; only this folder includes that library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "net/secure/entropy.h"

namespace muster {

/// The bytes that every cipher adds to sealed data.
inline constexpr std::size_t kTagBytes = 16;

/// Prepares libsodium. Call it once per process before any encryption. Further calls, from any
/// thread, have no effect.
void prepare_cryptography();

/// 32 secret bytes, wiped on destruction. Comparison takes constant time.
class SecretKey {
 public:
  static constexpr std::size_t kBytes = 32;

  SecretKey() = default;
  explicit SecretKey(std::span<const std::byte, kBytes> bytes);
  static SecretKey random(Entropy& entropy);
  ~SecretKey();
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;

  std::span<const std::byte, kBytes> bytes() const { return bytes_; }
  const unsigned char* data() const;
  friend bool operator==(const SecretKey& a, const SecretKey& b);

 private:
  std::array<std::byte, kBytes> bytes_{};
};

/// An X25519 public key; not secret.
using PublicKey = std::array<std::byte, 32>;

/// An X25519 secret key with its public key.
struct KeyPair {
  SecretKey secret;
  PublicKey shared{};

  static KeyPair random(Entropy& entropy);
  /// The pair of a stored secret key.
  static KeyPair of(const SecretKey& secret);
};

/// Computes the shared secret of two parties (RFC 7748). Returns nothing if `theirs` is one of the
/// few weak public keys with which the secret is the same for all secret keys.
std::optional<SecretKey> agree(const SecretKey& mine, const PublicKey& theirs);

/// BLAKE2b with 32 bytes of output, without and with a key.
SecretKey hash(std::span<const std::byte> data);
SecretKey mix(const SecretKey& key, std::span<const std::byte> data);
SecretKey mix(const SecretKey& key, std::string_view label);

}  // namespace muster
