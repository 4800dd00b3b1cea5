// AES-256-GCM by the faster of two libraries. Both write the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "net/secure/keys.h"

namespace muster {

/// A 96-bit nonce. Two seals under one key must never have the same nonce.
using Nonce = std::array<unsigned char, 12>;

/// One prepared AES-256-GCM key. One thread at a time.
class AesGcm {
 public:
  virtual ~AesGcm() = default;

  /// Encrypts the first `body_bytes` in place and writes a 16-byte tag after them. `head` is
  /// authenticated but not encrypted.
  virtual void seal(const Nonce& nonce, std::span<const std::byte> head,
                    std::span<std::byte> memory, std::size_t body_bytes) = 0;
  /// Decrypts in place; the tag is at the end of `sealed`. Returns false if `head` or `sealed` was
  /// changed; then ignore the bytes. Requires: `sealed` has at least 16 bytes.
  [[nodiscard]] virtual bool open(const Nonce& nonce, std::span<const std::byte> head,
                                  std::span<std::byte> sealed) = 0;
};

/// A key for libsodium. Requires: `has_fast_aes()`.
std::unique_ptr<AesGcm> aes_gcm_by_sodium(const SecretKey& key);
/// A key for Intel's multi-buffer library; null if `net/` was built without it, or if its setup
/// fails. Requires: `has_fast_aes()`.
std::unique_ptr<AesGcm> aes_gcm_by_ipsec_mb(const SecretKey& key);
/// A key for the fastest available library. Requires: `has_fast_aes()`.
std::unique_ptr<AesGcm> aes_gcm(const SecretKey& key);

}  // namespace muster
