// AES-256-GCM by whichever library does it faster. All write the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "net/secure/keys.h"

namespace muster {

/// The 96 bits of which no two seals under one key may have the same.
using Nonce = std::array<unsigned char, 12>;

/// One key of AES-256-GCM with what is prepared from it. One thread at a time.
class AesGcm {
 public:
  virtual ~AesGcm() = default;

  /// Encrypts the first `body_bytes` in place and puts a tag of 16 bytes behind them. `head` is
  /// sealed with them, and stays readable.
  virtual void seal(const Nonce& nonce, std::span<const std::byte> head,
                    std::span<std::byte> memory, std::size_t body_bytes) = 0;
  /// Decrypts in place what has its tag at the end; false when anything was changed on the way:
  /// then the bytes mean nothing. Requires: at least 16 bytes.
  [[nodiscard]] virtual bool open(const Nonce& nonce, std::span<const std::byte> head,
                                  std::span<std::byte> sealed) = 0;
};

/// By libsodium. Requires: `has_fast_aes()`.
std::unique_ptr<AesGcm> aes_gcm_by_sodium(const SecretKey& key);
/// By Intel's multi-buffer library. Null when the net was built without it, or when that cannot be
/// set up. Requires: `has_fast_aes()`.
std::unique_ptr<AesGcm> aes_gcm_by_ipsec_mb(const SecretKey& key);
/// By the faster of those that there are. Requires: `has_fast_aes()`.
std::unique_ptr<AesGcm> aes_gcm(const SecretKey& key);

}  // namespace muster
