// Uses the "patch from" mode of zstd: a frame refers to the old bytes as if they had been
// decompressed directly before it. A delta is one frame, which is decompressed directly into its
// target. So zstd allocates no memory for a window, even for a malicious frame.
#include "bundler/patch/delta_codec.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <new>
#include <string>

#include <zstd.h>

#include "bundler/patch/patch_layout.h"

namespace muster {
namespace {

/// The levels for small and for large deltas. 19 is the highest level that is still fast enough for
/// the entries of prefabs. Large files need a lower level, because the search over a long distance
/// is more important for large files.
constexpr int kSmallLevel = 19;
constexpr int kLargeLevel = 9;
constexpr std::size_t kLongReach = 4U << 20U;
constexpr int kMinWindowLog = 10;
constexpr int kMaxWindowLog = 30;

void set(ZSTD_CCtx* context, ZSTD_cParameter parameter, int value) {
  [[maybe_unused]] const std::size_t status = ZSTD_CCtx_setParameter(context, parameter, value);
  assert(ZSTD_isError(status) == 0U);
}

}  // namespace

struct DeltaEncoder::State {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  State() {
    if (context == nullptr) throw std::bad_alloc();
  }
  ~State() { ZSTD_freeCCtx(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

DeltaEncoder::DeltaEncoder() : state_(std::make_unique<State>()) {}
DeltaEncoder::~DeltaEncoder() = default;
DeltaEncoder::DeltaEncoder(DeltaEncoder&&) noexcept = default;
DeltaEncoder& DeltaEncoder::operator=(DeltaEncoder&&) noexcept = default;

ByteVector DeltaEncoder::encode(Bytes plain, Bytes prefix) {
  const std::size_t reach = plain.size() + prefix.size();
  assert(prefix.empty() || reach <= layout::patch::kMaxDeltaBytes);
  const bool is_large = reach > kLongReach;
  ZSTD_CCtx* const context = state_->context;
  (void)ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
  set(context, ZSTD_c_compressionLevel, is_large ? kLargeLevel : kSmallLevel);
  set(context, ZSTD_c_contentSizeFlag, 1);
  set(context, ZSTD_c_checksumFlag, 0);
  set(context, ZSTD_c_enableLongDistanceMatching, is_large ? 1 : 0);
  set(context, ZSTD_c_windowLog,
      std::clamp(static_cast<int>(std::bit_width(reach)), kMinWindowLog, kMaxWindowLog));
  if (!prefix.empty()) {
    [[maybe_unused]] const std::size_t referred =
        ZSTD_CCtx_refPrefix(context, prefix.data(), prefix.size());
    assert(ZSTD_isError(referred) == 0U);
  }
  ByteVector frame(ZSTD_compressBound(plain.size()));
  const std::size_t frame_bytes =
      ZSTD_compress2(context, frame.data(), frame.size(), plain.data(), plain.size());
  // The only possible error here is a lack of memory.
  if (ZSTD_isError(frame_bytes) != 0U) throw std::bad_alloc();
  frame.resize(frame_bytes);
  return frame;
}

struct DeltaDecoder::State {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  State() {
    if (context == nullptr) throw std::bad_alloc();
  }
  ~State() { ZSTD_freeDCtx(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

DeltaDecoder::DeltaDecoder() : state_(std::make_unique<State>()) {}
DeltaDecoder::~DeltaDecoder() = default;
DeltaDecoder::DeltaDecoder(DeltaDecoder&&) noexcept = default;
DeltaDecoder& DeltaDecoder::operator=(DeltaDecoder&&) noexcept = default;

Result<void> DeltaDecoder::decode(Bytes frame, Bytes prefix, std::span<std::byte> plain) {
  const unsigned long long promised = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (promised != plain.size() ||
      ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) {
    return fail(ErrorCode::malformed, "a delta is not one zstd frame of its size");
  }
  (void)ZSTD_DCtx_reset(state_->context, ZSTD_reset_session_and_parameters);
  if (!prefix.empty() &&
      ZSTD_isError(ZSTD_DCtx_refPrefix(state_->context, prefix.data(), prefix.size())) != 0U) {
    throw std::bad_alloc();
  }
  std::byte nothing{};  // zstd needs a target address even for 0 bytes.
  std::byte* const out = plain.empty() ? &nothing : plain.data();
  const std::size_t written =
      ZSTD_decompressDCtx(state_->context, out, plain.size(), frame.data(), frame.size());
  if (ZSTD_isError(written) != 0U) {
    return fail(ErrorCode::malformed, std::string("a delta: zstd: ") + ZSTD_getErrorName(written));
  }
  if (written != plain.size()) {
    return fail(ErrorCode::malformed, "a delta has fewer bytes than its entry states");
  }
  return {};
}

bool can_hold(std::uint64_t frame_bytes, std::uint64_t plain_bytes) {
  return plain_bytes / layout::bundle::kMaxCompressionRatio <= frame_bytes;
}

}  // namespace muster
