// AES-256-GCM, with the faster of two libraries. Both libraries produce the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "net/secure/keys.h"

namespace muster {

/// A 96-bit nonce. Two seals under one key must never have the same nonce.
using Nonce = std::array<unsigned char, 12>;

/// One prepared AES-256-GCM key. Only one thread at a time may use this object.
class AesGcm {
 public:
  virtual ~AesGcm() = default;

  /// Encrypts the first `body_bytes` in place and writes a 16-byte tag after them. `head` is
  /// authenticated but not encrypted.
  virtual void seal(const Nonce& nonce, std::span<const std::byte> head,
                    std::span<std::byte> memory, std::size_t body_bytes) = 0;
  /// Decrypts in place. The last 16 bytes of `sealed` are the tag. Returns false if `head` or
  /// `sealed` was changed. In this case, the bytes are meaningless. Requires: `sealed` has at least
  /// 16 bytes.
  [[nodiscard]] virtual bool open(const Nonce& nonce, std::span<const std::byte> head,
                                  std::span<std::byte> sealed) = 0;
};

/// Prepares a key for libsodium. Requires: `has_fast_aes()`.
std::unique_ptr<AesGcm> aes_gcm_by_sodium(const SecretKey& key);
/// Prepares a key for Intel's multi-buffer library. Returns null if `net/` was built without the
/// library, or if its setup fails. Requires: `has_fast_aes()`.
std::unique_ptr<AesGcm> aes_gcm_by_ipsec_mb(const SecretKey& key);
/// Prepares a key for the fastest available library. Requires: `has_fast_aes()`.
std::unique_ptr<AesGcm> aes_gcm(const SecretKey& key);

}  // namespace muster
