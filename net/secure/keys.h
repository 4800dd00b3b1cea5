// Keys and key derivation, with libsodium. Only this folder includes libsodium.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "net/secure/entropy.h"

namespace muster {

/// The size of the tag that every cipher adds to sealed data.
inline constexpr std::size_t kTagBytes = 16;

/// Prepares libsodium. Call this function once per process before any encryption. Further calls,
/// from any thread, have no effect.
void prepare_cryptography();

/// A secret of 32 bytes, which is wiped on destruction. A comparison takes constant time.
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
  /// Returns the pair that belongs to a stored secret key.
  static KeyPair of(const SecretKey& secret);
};

/// Computes the shared secret of two parties (RFC 7748). Returns nothing if `theirs` is a weak
/// public key, with which the result would be the same for every secret key.
std::optional<SecretKey> agree(const SecretKey& mine, const PublicKey& theirs);

/// BLAKE2b with 32 bytes of output. `hash` has no key, and `mix` has a key.
SecretKey hash(std::span<const std::byte> data);
SecretKey mix(const SecretKey& key, std::span<const std::byte> data);
SecretKey mix(const SecretKey& key, std::string_view label);

}  // namespace muster
