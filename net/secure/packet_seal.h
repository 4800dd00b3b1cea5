// Encrypts and authenticates the packets of one direction, and changes the key regularly.
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

/// The encryption of a connection's packets. The value is sent in an accept.
enum class Cipher : std::uint8_t {
  chacha20_poly1305 = 0,
  aes256_gcm = 1,
  /// No encryption, only for development. Everyone on the path can read and forge packets.
  none = 255,
};

/// Returns true when this processor has AES instructions. Without them, libsodium does not support
/// AES-256-GCM.
bool has_fast_aes();

/// The number of bytes that a seal adds.
constexpr std::size_t seal_bytes(Cipher cipher) { return cipher == Cipher::none ? 0 : kTagBytes; }

/// One key, prepared for its cipher.
class SealKey {
 public:
  SealKey(Cipher cipher, const SecretKey& key);

  /// Encrypts the first `body_bytes` of `memory` in place and writes the tag after them. Never use
  /// a sequence number twice with one key.
  void seal(std::uint64_t sequence, std::span<const std::byte> head, std::span<std::byte> memory,
            std::size_t body_bytes);
  /// Decrypts in place. The tag is at the end of `sealed`. Returns false if `head` or `sealed` was
  /// changed.
  [[nodiscard]] bool open(std::uint64_t sequence, std::span<const std::byte> head,
                          std::span<std::byte> sealed);
  const SecretKey& key() const { return key_; }

 private:
  Cipher cipher_;
  SecretKey key_;
  std::unique_ptr<AesGcm> aes_;  ///< Null for other ciphers.
};

/// A key is changed after this many packets or this time (net/CONNECTION.md, "Limits").
inline constexpr std::uint64_t kPacketsPerKey = std::uint64_t{1} << 24U;
inline constexpr Duration kTimePerKey = std::chrono::minutes(10);

/// Seals sent packets, and changes to the next key when the change is due.
class SealSender {
 public:
  SealSender(Cipher cipher, const SecretKey& first, Time now)
      : cipher_(cipher), present_(cipher, first), since_(now) {}

  /// Changes to the next key, and inverts `phase()`, if the change is due. Call this function
  /// before a packet is sealed. A change waits until a packet under the current key was delivered.
  /// So the peer is never more than one key behind, even after a long outage (RFC 9001, section
  /// 6.1).
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
  /// The number of the first packet that was sealed with the current key.
  std::uint64_t first_of_present_ = 0;
  Time since_;
};

/// Opens received packets with the current, the previous or the next key.
class SealReceiver {
 public:
  SealReceiver(Cipher cipher, const SecretKey& first);

  /// Decrypts in place. A packet of the other phase was sealed with the next key, or is a late
  /// packet of the previous key. The next key becomes the current key when it opens a packet. If
  /// the result is false, the bytes are meaningless.
  [[nodiscard]] bool open(bool phase, std::uint64_t sequence, std::span<const std::byte> head,
                          std::span<std::byte> sealed);

 private:
  Cipher cipher_;
  SealKey present_;
  std::optional<SealKey> last_;
  SealKey next_;
  bool phase_ = false;
  /// The lowest number of a received packet under the current key.
  std::uint64_t first_of_present_ = 0;
};

}  // namespace muster
