#include "net/secure/aes_gcm.h"

#include <utility>

#include <sodium.h>

namespace muster {

namespace {

static_assert(crypto_aead_aes256gcm_ABYTES == kTagBytes);
static_assert(crypto_aead_aes256gcm_NPUBBYTES == sizeof(Nonce));

class SodiumAesGcm final : public AesGcm {
 public:
  explicit SodiumAesGcm(const SecretKey& key) {
    crypto_aead_aes256gcm_beforenm(&state_, key.data());
  }
  ~SodiumAesGcm() override { sodium_memzero(&state_, sizeof(state_)); }
  SodiumAesGcm(const SodiumAesGcm&) = delete;
  SodiumAesGcm& operator=(const SodiumAesGcm&) = delete;

  void seal(const Nonce& nonce, std::span<const std::byte> head, std::span<std::byte> memory,
            std::size_t body_bytes) override {
    auto* const body = reinterpret_cast<unsigned char*>(memory.data());
    crypto_aead_aes256gcm_encrypt_detached_afternm(
        body, body + body_bytes, nullptr, body, body_bytes,
        reinterpret_cast<const unsigned char*>(head.data()), head.size(), nullptr, nonce.data(),
        &state_);
  }

  bool open(const Nonce& nonce, std::span<const std::byte> head,
            std::span<std::byte> sealed) override {
    const std::size_t body_bytes = sealed.size() - kTagBytes;
    auto* const body = reinterpret_cast<unsigned char*>(sealed.data());
    return crypto_aead_aes256gcm_decrypt_detached_afternm(
               body, nullptr, body, body_bytes, body + body_bytes,
               reinterpret_cast<const unsigned char*>(head.data()), head.size(), nonce.data(),
               &state_) == 0;
  }

 private:
  crypto_aead_aes256gcm_state state_{};
};

}  // namespace

std::unique_ptr<AesGcm> aes_gcm_by_sodium(const SecretKey& key) {
  return std::make_unique<SodiumAesGcm>(key);
}

std::unique_ptr<AesGcm> aes_gcm(const SecretKey& key) {
  std::unique_ptr<AesGcm> fast = aes_gcm_by_ipsec_mb(key);
  return fast != nullptr ? std::move(fast) : aes_gcm_by_sodium(key);
}

}  // namespace muster
