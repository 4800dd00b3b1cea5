#include "registry/base/content_hash.h"

#include <new>

#include "registry/base/hex.h"

// If available, this header replaces the XXH3 functions by versions that select the processor's
// widest vector instructions at run time. The hashes are the same. For cached data these versions
// are four times as fast.
#if defined(MUSTER_XXH_DISPATCH)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

namespace muster {
namespace {

ContentHash canonical(XXH128_hash_t hash) {
  XXH128_canonical_t form;
  XXH128_canonicalFromHash(&form, hash);
  ContentHash result;
  std::memcpy(result.bytes.data(), form.digest, result.bytes.size());
  return result;
}

}  // namespace

struct ContentHasher::State {
  XXH3_state_t* xxh = XXH3_createState();
  // Throws an exception if there is not enough memory, because this is not a bug. The loading
  // threads catch the exception.
  State() {
    if (xxh == nullptr) throw std::bad_alloc();
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

ContentHasher::ContentHasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(state_->xxh);
}
ContentHasher::~ContentHasher() = default;
ContentHasher::ContentHasher(ContentHasher&&) noexcept = default;
ContentHasher& ContentHasher::operator=(ContentHasher&&) noexcept = default;

void ContentHasher::update(Bytes bytes) {
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

void ContentHasher::update_text(std::string_view text) {
  ByteWriter length;
  length.u64(text.size());
  update(length.view());
  update(as_bytes(text));
}

ContentHash ContentHasher::finish() const { return canonical(XXH3_128bits_digest(state_->xxh)); }

ContentHash hash_bytes(Bytes bytes) { return canonical(XXH3_128bits(bytes.data(), bytes.size())); }

std::string ContentHash::to_string() const { return hex_text(std::as_bytes(std::span(bytes))); }

}  // namespace muster
