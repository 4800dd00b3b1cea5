// Compresses with one thread and explicit parameters, so that the bytes do not depend on the number
// of processors or on the defaults of zstd.
#include "bundler/pack/compressor.h"

#include <cassert>
#include <new>
#include <utility>

#include <zstd.h>

#include "runtime/bundle/bundle_layout.h"

namespace muster {
namespace {

void set(ZSTD_CCtx* context, ZSTD_cParameter parameter, int value) {
  [[maybe_unused]] const std::size_t status = ZSTD_CCtx_setParameter(context, parameter, value);
  assert(ZSTD_isError(status) == 0U);
}

}  // namespace

struct CompressionDictionary::Digest {
  ZSTD_CDict* dictionary;
  Digest(Bytes bytes, int level)
      : dictionary(ZSTD_createCDict(bytes.data(), bytes.size(), level)) {}
  ~Digest() { ZSTD_freeCDict(dictionary); }
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
};

bool CompressionDictionary::is_usable(Bytes bytes) {
  return Digest(bytes, kMinLevel).dictionary != nullptr;
}

CompressionDictionary::CompressionDictionary(ByteVector bytes, int level)
    : bytes_(std::move(bytes)),
      hash_(hash_bytes(bytes_)),
      level_(level),
      digest_(std::make_unique<Digest>(bytes_, level)) {
  assert(level >= kMinLevel && level <= kMaxLevel);
  if (digest_->dictionary == nullptr) throw std::bad_alloc();
}
CompressionDictionary::~CompressionDictionary() = default;
CompressionDictionary::CompressionDictionary(CompressionDictionary&&) noexcept = default;
CompressionDictionary& CompressionDictionary::operator=(CompressionDictionary&&) noexcept = default;

struct Compressor::State {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ByteVector frame;
  State() = default;
  ~State() { ZSTD_freeCCtx(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Compressor::Compressor() : state_(std::make_unique<State>()) {
  assert(state_->context != nullptr);
  set(state_->context, ZSTD_c_contentSizeFlag, 1);
  set(state_->context, ZSTD_c_checksumFlag, 0);
  set(state_->context, ZSTD_c_dictIDFlag, 0);
  set(state_->context, ZSTD_c_enableLongDistanceMatching, 0);
}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

bool Compressor::compress(Bytes plain, int level, ByteVector& out,
                          const CompressionDictionary* dictionary) {
  assert(level >= kMinLevel && level <= kMaxLevel);
  assert(plain.size() <= layout::bundle::kMaxBlockPlainBytes);
  assert(dictionary == nullptr || dictionary->level() == level);
  set(state_->context, ZSTD_c_compressionLevel, level);
  [[maybe_unused]] const std::size_t referred = ZSTD_CCtx_refCDict(
      state_->context, dictionary == nullptr ? nullptr : dictionary->digest_->dictionary);
  assert(ZSTD_isError(referred) == 0U);
  // The target buffer has the size of the bound, although only a smaller frame is used. With a
  // shorter target buffer, zstd would use another code path and produce different bytes. The target
  // buffer is separate and is reused, because enlarging `out` by the bound would take about as long
  // as reading the same number of bytes.
  const std::size_t bound = ZSTD_compressBound(plain.size());
  ByteVector& frame = state_->frame;
  if (frame.size() < bound) frame.resize(bound);
  const std::size_t frame_bytes =
      ZSTD_compress2(state_->context, frame.data(), bound, plain.data(), plain.size());
  const bool is_smaller = ZSTD_isError(frame_bytes) == 0U && frame_bytes < plain.size();
  if (is_smaller) {
    const Bytes made = Bytes(frame).first(frame_bytes);
    out.insert(out.end(), made.begin(), made.end());
  }
  return is_smaller;
}

std::string_view compressor_version() { return ZSTD_versionString(); }

}  // namespace muster
