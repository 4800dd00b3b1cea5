#include "net/secure/packet_seal.h"

#include <cassert>

#include <sodium.h>

#include "net/secure/sodium_bytes.h"

namespace muster {

namespace {

static_assert(crypto_aead_chacha20poly1305_ietf_ABYTES == kTagBytes);

Nonce nonce_of(std::uint64_t sequence) {
  Nonce nonce{};
  for (std::size_t i = 0; i < 8; ++i) {
    nonce[4 + i] = static_cast<unsigned char>(sequence >> (8 * i));
  }
  return nonce;
}

}  // namespace

bool has_fast_aes() {
  prepare_cryptography();
  return crypto_aead_aes256gcm_is_available() == 1;
}

SealKey::SealKey(Cipher cipher, const SecretKey& key) : cipher_(cipher), key_(key) {
  prepare_cryptography();
  if (cipher != Cipher::aes256_gcm) return;
  assert(has_fast_aes());
  aes_ = aes_gcm(key);
}

void SealKey::seal(std::uint64_t sequence, std::span<const std::byte> head,
                   std::span<std::byte> memory, std::size_t body_bytes) {
  assert(memory.size() >= body_bytes + seal_bytes(cipher_));
  const Nonce nonce = nonce_of(sequence);
  unsigned char* const body = chars(memory);
  switch (cipher_) {
    case Cipher::none:
      return;
    case Cipher::chacha20_poly1305:
      crypto_aead_chacha20poly1305_ietf_encrypt_detached(body, body + body_bytes, nullptr, body,
                                                         body_bytes, chars(head), head.size(),
                                                         nullptr, nonce.data(), key_.data());
      return;
    case Cipher::aes256_gcm:
      aes_->seal(nonce, head, memory, body_bytes);
      return;
  }
}

bool SealKey::open(std::uint64_t sequence, std::span<const std::byte> head,
                   std::span<std::byte> sealed) {
  if (cipher_ == Cipher::none) return true;
  if (sealed.size() < kTagBytes) return false;
  const Nonce nonce = nonce_of(sequence);
  if (cipher_ == Cipher::aes256_gcm) return aes_->open(nonce, head, sealed);
  const std::size_t body_bytes = sealed.size() - kTagBytes;
  unsigned char* const body = chars(sealed);
  return crypto_aead_chacha20poly1305_ietf_decrypt_detached(
             body, nullptr, body, body_bytes, body + body_bytes, chars(head), head.size(),
             nonce.data(), key_.data()) == 0;
}

void SealSender::refresh(Time now, std::uint64_t highest_delivered) {
  if (cipher_ == Cipher::none) return;
  if (sealed_ < kPacketsPerKey && now - since_ < kTimePerKey) return;
  if (sealed_ == 0 || highest_delivered < first_of_present_) return;
  present_ = SealKey(cipher_, mix(present_.key(), "next"));
  phase_ = !phase_;
  sealed_ = 0;
  since_ = now;
}

void SealSender::seal(std::uint64_t sequence, std::span<const std::byte> head,
                      std::span<std::byte> memory, std::size_t body_bytes) {
  present_.seal(sequence, head, memory, body_bytes);
  if (sealed_++ == 0) first_of_present_ = sequence;
}

SealReceiver::SealReceiver(Cipher cipher, const SecretKey& first)
    : cipher_(cipher), present_(cipher, first), next_(cipher, mix(first, "next")) {}

/// The packet's number selects the key. A second key cannot be tried, because a failed attempt
/// destroys the bytes.
bool SealReceiver::open(bool phase, std::uint64_t sequence, std::span<const std::byte> head,
                        std::span<std::byte> sealed) {
  if (cipher_ == Cipher::none) return !phase;  // Without encryption, the phase is always 0.
  if (phase == phase_) {
    if (!present_.open(sequence, head, sealed)) return false;
    if (sequence < first_of_present_) first_of_present_ = sequence;
    return true;
  }
  if (last_.has_value() && sequence < first_of_present_) {
    return last_->open(sequence, head, sealed);
  }
  if (!next_.open(sequence, head, sealed)) return false;
  last_ = std::move(present_);
  present_ = std::move(next_);
  next_ = SealKey(cipher_, mix(present_.key(), "next"));
  phase_ = phase;
  first_of_present_ = sequence;
  return true;
}

}  // namespace muster
