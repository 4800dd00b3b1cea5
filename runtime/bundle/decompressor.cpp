// Decompressing straight into the target needs no window buffer, so a frame cannot ask for memory.
#include "runtime/bundle/decompressor.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <new>
#include <string>

#include <zstd.h>

namespace muster {
namespace {

// zstd's own magic number: the library may also take skippable and legacy frames, we do not.
constexpr std::array<std::byte, 4> kFrameMagic = {std::byte{0x28}, std::byte{0xB5}, std::byte{0x2F},
                                                  std::byte{0xFD}};
constexpr std::size_t kDescriptorAt = kFrameMagic.size();
constexpr unsigned kChecksumOrDictionary = 0x07;

}  // namespace

struct Decompressor::State {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  State() {
    if (context == nullptr) throw std::bad_alloc();
  }
  ~State() { ZSTD_freeDCtx(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Decompressor::Decompressor() : state_(std::make_unique<State>()) {}
Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;

Result<void> Decompressor::decompress(Bytes frame, std::span<std::byte> plain) {
  assert(!plain.empty());
  if (frame.size() <= kDescriptorAt ||
      !std::equal(kFrameMagic.begin(), kFrameMagic.end(), frame.begin())) {
    return fail(ErrorCode::malformed, "the block does not begin with a zstd frame");
  }
  // Both values that zstd has for "unknown" and "error" are larger than any plain size.
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != plain.size()) {
    return fail(ErrorCode::malformed, "the zstd frame does not promise the block's plain size");
  }
  if ((std::to_integer<unsigned>(frame[kDescriptorAt]) & kChecksumOrDictionary) != 0) {
    return fail(ErrorCode::malformed, "the zstd frame has a checksum or a dictionary id");
  }
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) {
    return fail(ErrorCode::malformed, "the block is not exactly one zstd frame");
  }
  const std::size_t written =
      ZSTD_decompressDCtx(state_->context, plain.data(), plain.size(), frame.data(), frame.size());
  if (ZSTD_isError(written) != 0U) {
    return fail(ErrorCode::malformed, std::string("zstd: ") + ZSTD_getErrorName(written));
  }
  if (written != plain.size()) {
    return fail(ErrorCode::malformed, "the zstd frame gives less than it promises");
  }
  return {};
}

}  // namespace muster
