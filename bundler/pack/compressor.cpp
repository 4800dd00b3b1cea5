// One thread and explicit parameters: the number of processors, and zstd's defaults, must not reach
// the bytes.
#include "bundler/pack/compressor.h"

#include <cassert>

#include <zstd.h>

#include "runtime/bundle/bundle_layout.h"

namespace muster {
namespace {

void set(ZSTD_CCtx* context, ZSTD_cParameter parameter, int value) {
  [[maybe_unused]] const std::size_t status = ZSTD_CCtx_setParameter(context, parameter, value);
  assert(ZSTD_isError(status) == 0U);
}

}  // namespace

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

bool Compressor::compress(Bytes plain, int level, ByteVector& out) {
  assert(level >= kMinLevel && level <= kMaxLevel);
  assert(plain.size() <= layout::bundle::kMaxBlockPlainBytes);
  set(state_->context, ZSTD_c_compressionLevel, level);
  // The full bound, although only a smaller frame is kept: a shorter target would change which of
  // zstd's paths is taken, and with it the bytes.
  // And in a buffer that stays: making room for the bound in `out` costs as much as reading it.
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
