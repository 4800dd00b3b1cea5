// Intel's library uses the widest AES instructions of the processor. With VAES, it seals 1,000
// bytes in a fifth of libsodium's time. OpenSSL was faster than libsodium with a single key in the
// processor's cache, but not with the keys of 64 clients.
#include "net/secure/aes_gcm.h"

#ifdef MUSTER_IPSEC_MB

#include <intel-ipsec-mb.h>

#include <sodium.h>

namespace muster {

namespace {

/// The library's functions for this processor; all null if the library's setup failed.
struct Functions {
  aes_gcm_pre_t prepare = nullptr;
  aes_gcm_enc_dec_t encrypt = nullptr;
  aes_gcm_enc_dec_t decrypt = nullptr;
};

/// Detects the processor in the first call, because detection is slow.
const Functions& functions() {
  static const Functions kFound = [] {
    Functions those;
    IMB_MGR* const library = alloc_mb_mgr(0);
    if (library == nullptr) return those;
    IMB_ARCH kind = IMB_ARCH_NONE;
    init_mb_mgr_auto(library, &kind);
    if (imb_get_errno(library) == 0 && kind != IMB_ARCH_NONE && kind != IMB_ARCH_NOAESNI) {
      those = {.prepare = library->gcm256_pre,
               .encrypt = library->gcm256_enc,
               .decrypt = library->gcm256_dec};
    }
    free_mb_mgr(library);
    return those;
  }();
  return kFound;
}

class IpsecMbAesGcm final : public AesGcm {
 public:
  explicit IpsecMbAesGcm(const SecretKey& key) { functions().prepare(key.data(), &prepared_); }
  ~IpsecMbAesGcm() override { sodium_memzero(&prepared_, sizeof(prepared_)); }
  IpsecMbAesGcm(const IpsecMbAesGcm&) = delete;
  IpsecMbAesGcm& operator=(const IpsecMbAesGcm&) = delete;

  void seal(const Nonce& nonce, std::span<const std::byte> head, std::span<std::byte> memory,
            std::size_t body_bytes) override {
    auto* const body = reinterpret_cast<std::uint8_t*>(memory.data());
    gcm_context_data scratch;
    functions().encrypt(&prepared_, &scratch, body, body, body_bytes, nonce.data(),
                        reinterpret_cast<const std::uint8_t*>(head.data()), head.size(),
                        body + body_bytes, kTagBytes);
  }

  /// The library always decrypts and computes the tag. The caller must compare the tags.
  bool open(const Nonce& nonce, std::span<const std::byte> head,
            std::span<std::byte> sealed) override {
    const std::size_t body_bytes = sealed.size() - kTagBytes;
    auto* const body = reinterpret_cast<std::uint8_t*>(sealed.data());
    std::array<std::uint8_t, kTagBytes> tag{};
    gcm_context_data scratch;
    functions().decrypt(&prepared_, &scratch, body, body, body_bytes, nonce.data(),
                        reinterpret_cast<const std::uint8_t*>(head.data()), head.size(), tag.data(),
                        kTagBytes);
    return sodium_memcmp(tag.data(), body + body_bytes, kTagBytes) == 0;
  }

 private:
  // The library's header declares this alignment only if the macro LINUX is defined.
  alignas(64) gcm_key_data prepared_{};
};

}  // namespace

std::unique_ptr<AesGcm> aes_gcm_by_ipsec_mb(const SecretKey& key) {
  if (functions().prepare == nullptr) return nullptr;
  return std::make_unique<IpsecMbAesGcm>(key);
}

}  // namespace muster

#else

namespace muster {

std::unique_ptr<AesGcm> aes_gcm_by_ipsec_mb(const SecretKey&) { return nullptr; }

}  // namespace muster

#endif
