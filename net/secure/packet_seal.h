// The seal of packets: one direction's key, its ciphers, and its change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "net/secure/aes_gcm.h"
#include "net/secure/keys.h"
#include "registry/base/clock.h"

namespace muster {

/// What protects the packets of a connection; travels.
enum class Cipher : std::uint8_t {
  chacha20_poly1305 = 0,
  aes256_gcm = 1,
  none = 255,  ///< Development only: anybody on the way reads and writes.
};

/// Whether this processor does AES in hardware; without, libsodium offers no AES.
bool has_fast_aes();

/// Bytes that a seal adds.
constexpr std::size_t seal_bytes(Cipher cipher) { return cipher == Cipher::none ? 0 : kTagBytes; }

/// One key with what its cipher prepares from it.
class SealKey {
 public:
  SealKey(Cipher cipher, const SecretKey& key);

  /// Encrypts in place and puts the tag behind. `memory` is `body_bytes` and room for the tag.
  /// A sequence number must never be used twice with one key.
  void seal(std::uint64_t sequence, std::span<const std::byte> head, std::span<std::byte> memory,
            std::size_t body_bytes);
  /// Decrypts in place; false when anything was changed on the way. `sealed` has its tag at the
  /// end.
  [[nodiscard]] bool open(std::uint64_t sequence, std::span<const std::byte> head,
                          std::span<std::byte> sealed);
  const SecretKey& key() const { return key_; }

 private:
  Cipher cipher_;
  SecretKey key_;
  std::unique_ptr<AesGcm> aes_;  ///< Null for other ciphers.
};

/// How long a key is used (net/CONNECTION.md, Limits).
inline constexpr std::uint64_t kPacketsPerKey = std::uint64_t{1} << 24U;
inline constexpr Duration kTimePerKey = std::chrono::minutes(10);

/// The sending direction: seals, and takes the next key when it is time.
class SealSender {
 public:
  SealSender(Cipher cipher, const SecretKey& first, Time now)
      : cipher_(cipher), present_(cipher, first), since_(now) {}

  /// Call before a packet is written; may change the phase. The next key is only taken when a
  /// packet under the present one is known to have arrived, so `highest_delivered` is at least its
  /// number: then the peer is never more than one key behind, however long it heard nothing. (RFC
  /// 9001, section 6.1.)
  void refresh(Time now, std::uint64_t highest_delivered);
  /// The bit that travels in the first byte of packets.
  bool phase() const { return phase_; }
  void seal(std::uint64_t sequence, std::span<const std::byte> head, std::span<std::byte> memory,
            std::size_t body_bytes);

 private:
  Cipher cipher_;
  SealKey present_;
  bool phase_ = false;
  std::uint64_t sealed_ = 0;
  std::uint64_t first_of_present_ = 0;  ///< The number of the first packet under the present key.
  Time since_;
};

/// The receiving direction: opens under the present key, the one before, or the next.
class SealReceiver {
 public:
  SealReceiver(Cipher cipher, const SecretKey& first);

  /// Decrypts in place. A packet of the other phase may be of the next key, which is taken up when
  /// it opens one, or a late one of the last. After a false the bytes mean nothing.
  [[nodiscard]] bool open(bool phase, std::uint64_t sequence, std::span<const std::byte> head,
                          std::span<std::byte> sealed);

 private:
  Cipher cipher_;
  SealKey present_;
  std::optional<SealKey> last_;
  SealKey next_;
  bool phase_ = false;
  std::uint64_t first_of_present_ = 0;  ///< The lowest number seen under the present key.
};

}  // namespace muster
