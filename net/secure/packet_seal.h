// Encrypts and authenticates packets in one direction, and changes the key.
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

/// The encryption of a connection's packets; a wire value.
enum class Cipher : std::uint8_t {
  chacha20_poly1305 = 0,
  aes256_gcm = 1,
  none = 255,  ///< Only for development: everyone on the path can read and write packets.
};

/// True when this processor has AES instructions. Without them libsodium has no AES-256-GCM.
bool has_fast_aes();

/// The bytes that a seal adds.
constexpr std::size_t seal_bytes(Cipher cipher) { return cipher == Cipher::none ? 0 : kTagBytes; }

/// One key, prepared for its cipher.
class SealKey {
 public:
  SealKey(Cipher cipher, const SecretKey& key);

  /// Encrypts in place and appends the tag. `memory` holds `body_bytes` and room for the tag. Never
  /// use a sequence number twice with one key.
  void seal(std::uint64_t sequence, std::span<const std::byte> head, std::span<std::byte> memory,
            std::size_t body_bytes);
  /// Decrypts in place; the tag is at the end of `sealed`. Returns false if anything was changed.
  [[nodiscard]] bool open(std::uint64_t sequence, std::span<const std::byte> head,
                          std::span<std::byte> sealed);
  const SecretKey& key() const { return key_; }

 private:
  Cipher cipher_;
  SecretKey key_;
  std::unique_ptr<AesGcm> aes_;  ///< Null for other ciphers.
};

/// The lifetime of a key (net/CONNECTION.md, "Limits").
inline constexpr std::uint64_t kPacketsPerKey = std::uint64_t{1} << 24U;
inline constexpr Duration kTimePerKey = std::chrono::minutes(10);

/// The sending direction: seals packets, and changes to the next key when it is due.
class SealSender {
 public:
  SealSender(Cipher cipher, const SecretKey& first, Time now)
      : cipher_(cipher), present_(cipher, first), since_(now) {}

  /// Changes to the next key if it is due; this may change `phase()`. Call it before a packet is
  /// written. It does not change the key before a packet under the current key was delivered, which
  /// it knows when `highest_delivered` reaches the key's first number. So the peer is never more
  /// than one key behind, however long an outage lasts (RFC 9001, section 6.1).
  void refresh(Time now, std::uint64_t highest_delivered);
  /// The key phase bit in the first byte of packets.
  bool phase() const { return phase_; }
  void seal(std::uint64_t sequence, std::span<const std::byte> head, std::span<std::byte> memory,
            std::size_t body_bytes);

 private:
  Cipher cipher_;
  SealKey present_;
  bool phase_ = false;
  std::uint64_t sealed_ = 0;
  std::uint64_t first_of_present_ = 0;  ///< The number of the first packet under the current key.
  Time since_;
};

/// The receiving direction: opens packets under the current key, the previous one or the next one.
class SealReceiver {
 public:
  SealReceiver(Cipher cipher, const SecretKey& first);

  /// Decrypts in place. A packet with the other phase is sealed with the next key, or it is a late
  /// packet sealed with the previous key. The next key becomes the current one when it opens a
  /// packet. If this returns false, ignore the bytes.
  [[nodiscard]] bool open(bool phase, std::uint64_t sequence, std::span<const std::byte> head,
                          std::span<std::byte> sealed);

 private:
  Cipher cipher_;
  SealKey present_;
  std::optional<SealKey> last_;
  SealKey next_;
  bool phase_ = false;
  std::uint64_t first_of_present_ = 0;  ///< The lowest number received under the current key.
};

}  // namespace muster
