// Keys, and how one follows from another. The cryptography is libsodium's; this unit and its
// neighbours are the only ones that include it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "net/secure/entropy.h"

namespace muster {

/// What every cipher here adds to what it seals.
inline constexpr std::size_t kTagBytes = 16;

/// Has to happen once in a process before anything is encrypted; may happen again, from any thread.
void prepare_cryptography();

/// 32 secret bytes, wiped when they go. Comparing takes the same time whatever they hold.
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

/// An X25519 public key; anybody may know it.
using PublicKey = std::array<std::byte, 32>;

/// A secret key of X25519 with its public key.
struct KeyPair {
  SecretKey secret;
  PublicKey shared{};

  static KeyPair random(Entropy& entropy);
  /// The pair of a secret that was stored.
  static KeyPair of(const SecretKey& secret);
};

/// What two parties both know (RFC 7748). Nothing when the peer's key is one of the few that would
/// give everybody the same secret.
std::optional<SecretKey> agree(const SecretKey& mine, const PublicKey& theirs);

/// BLAKE2b with 32 bytes, and the same under a key.
SecretKey hash(std::span<const std::byte> data);
SecretKey mix(const SecretKey& key, std::span<const std::byte> data);
SecretKey mix(const SecretKey& key, std::string_view label);

}  // namespace muster
