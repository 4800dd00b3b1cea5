#include "net/secure/packet_seal.h"

#include <cassert>

#include <sodium.h>

namespace muster {

namespace {

constexpr std::size_t kTagBytes = 16;
static_assert(crypto_aead_chacha20poly1305_ietf_ABYTES == kTagBytes);
static_assert(crypto_aead_aes256gcm_ABYTES == kTagBytes);
static_assert(sizeof(crypto_aead_aes256gcm_state) == 512);

using Nonce = std::array<unsigned char, 12>;

Nonce nonce_of(std::uint64_t sequence) {
  Nonce nonce{};
  for (std::size_t i = 0; i < 8; ++i) {
    nonce[4 + i] = static_cast<unsigned char>(sequence >> (8 * i));
  }
  return nonce;
}

unsigned char* chars(std::span<std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}
const unsigned char* chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// The state is opaque bytes with the alignment that `prepared_` has.
const crypto_aead_aes256gcm_state* aes_state(const std::array<unsigned char, 512>& prepared) {
  return reinterpret_cast<const crypto_aead_aes256gcm_state*>(prepared.data());
}

}  // namespace

bool has_fast_aes() {
  prepare_cryptography();
  return crypto_aead_aes256gcm_is_available() == 1;
}

SealKey::SealKey(Cipher cipher, const SecretKey& key) : cipher_(cipher), key_(key) {
  prepare_cryptography();
  if (cipher == Cipher::aes256_gcm) {
    assert(has_fast_aes());
    crypto_aead_aes256gcm_beforenm(reinterpret_cast<crypto_aead_aes256gcm_state*>(prepared_.data()),
                                   key.data());
  }
}

SealKey::~SealKey() { sodium_memzero(prepared_.data(), prepared_.size()); }

void SealKey::seal(std::uint64_t sequence, std::span<const std::byte> head,
                   std::span<std::byte> memory, std::size_t body_bytes) const {
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
      crypto_aead_aes256gcm_encrypt_detached_afternm(body, body + body_bytes, nullptr, body,
                                                     body_bytes, chars(head), head.size(), nullptr,
                                                     nonce.data(), aes_state(prepared_));
      return;
  }
}

bool SealKey::open(std::uint64_t sequence, std::span<const std::byte> head,
                   std::span<std::byte> sealed) const {
  if (cipher_ == Cipher::none) return true;
  if (sealed.size() < kTagBytes) return false;
  const Nonce nonce = nonce_of(sequence);
  const std::size_t body_bytes = sealed.size() - kTagBytes;
  unsigned char* const body = chars(sealed);
  const unsigned char* const tag = body + body_bytes;
  if (cipher_ == Cipher::chacha20_poly1305) {
    return crypto_aead_chacha20poly1305_ietf_decrypt_detached(body, nullptr, body, body_bytes, tag,
                                                              chars(head), head.size(),
                                                              nonce.data(), key_.data()) == 0;
  }
  return crypto_aead_aes256gcm_decrypt_detached_afternm(body, nullptr, body, body_bytes, tag,
                                                        chars(head), head.size(), nonce.data(),
                                                        aes_state(prepared_)) == 0;
}

void SealSender::refresh(NetTime now) {
  if (cipher_ == Cipher::none) return;
  if (sealed_ < kPacketsPerKey && now - since_ < kTimePerKey) return;
  present_ = SealKey(cipher_, mix(present_.key(), "next"));
  phase_ = !phase_;
  sealed_ = 0;
  since_ = now;
}

void SealSender::seal(std::uint64_t sequence, std::span<const std::byte> head,
                      std::span<std::byte> memory, std::size_t body_bytes) {
  present_.seal(sequence, head, memory, body_bytes);
  ++sealed_;
}

SealReceiver::SealReceiver(Cipher cipher, const SecretKey& first)
    : cipher_(cipher),
      present_(cipher, first),
      last_(present_),
      next_(cipher, mix(first, "next")) {}

/// A failed attempt wipes the bytes, so just one key is tried: the packet's number says which.
bool SealReceiver::open(bool phase, std::uint64_t sequence, std::span<const std::byte> head,
                        std::span<std::byte> sealed) {
  if (phase == phase_) {
    if (!present_.open(sequence, head, sealed)) return false;
    if (sequence < first_of_present_) first_of_present_ = sequence;
    return true;
  }
  if (has_last_ && sequence < first_of_present_) return last_.open(sequence, head, sealed);
  if (!next_.open(sequence, head, sealed)) return false;
  last_ = present_;
  has_last_ = true;
  present_ = next_;
  next_ = SealKey(cipher_, mix(present_.key(), "next"));
  phase_ = phase;
  first_of_present_ = sequence;
  return true;
}

}  // namespace muster
