// Decompression writes directly into the target and needs no window buffer, so a malicious frame
// cannot cause allocations.
#include "runtime/bundle/decompressor.h"

#include <array>
#include <cassert>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <zstd.h>

#include "registry/base/hex.h"
#include "runtime/bundle/little_endian.h"  // This machine's order is that of the frames.

namespace muster {
namespace {

// The magic number of a zstd frame. The library may also accept skippable and legacy frames, but
// this code refuses them.
constexpr std::array<std::byte, 4> kFrameMagic = {std::byte{0x28}, std::byte{0xB5}, std::byte{0x2F},
                                                  std::byte{0xFD}};
constexpr std::size_t kDescriptorAt = kFrameMagic.size();
constexpr unsigned kChecksumOrDictionary = 0x07;
constexpr unsigned kSingleSegment = 0x20;
constexpr std::size_t kBlockHeaderBytes = 3;
constexpr std::uint32_t kRunLengthBlock = 1;

// The header of a frame without checksum and dictionary (RFC 8878, 3.1.1). This code parses the
// header, because the library would need two calls. The library checks the content of the frame.
struct FrameShape {
  std::uint64_t plain_bytes = 0;
  std::size_t frame_bytes = 0;
};

template <typename Integer>
std::uint64_t first_of(Bytes bytes) {
  return load<Integer>(bytes, 0);
}

// Reads the plain size. Requires: `bytes` is long enough for `size_kind`.
std::uint64_t size_of(Bytes bytes, unsigned size_kind) {
  switch (size_kind) {
    case 0:
      return first_of<std::uint8_t>(bytes);
    case 1:
      return std::uint64_t{256} + first_of<std::uint16_t>(bytes);
    case 2:
      return first_of<std::uint32_t>(bytes);
    default:
      return first_of<std::uint64_t>(bytes);
  }
}

// Returns no value if the frame has no plain size or ends too early. Requires: the frame has more
// bytes than the magic number.
std::optional<FrameShape> shape_of(Bytes frame) {
  const auto descriptor = std::to_integer<unsigned>(frame[kDescriptorAt]);
  const bool is_single = (descriptor & kSingleSegment) != 0;
  // Otherwise the header has a window size.
  const std::size_t size_at = kDescriptorAt + (is_single ? 1 : 2);
  const unsigned size_kind = descriptor >> 6U;
  if (size_kind == 0 && !is_single) return std::nullopt;
  std::size_t at = size_at + (std::size_t{1} << size_kind);
  if (at > frame.size()) return std::nullopt;
  FrameShape shape{.plain_bytes = size_of(frame.subspan(size_at), size_kind)};
  for (bool is_last = false; !is_last;) {
    if (frame.size() - at < kBlockHeaderBytes) return std::nullopt;
    std::uint32_t block = 0;
    std::memcpy(&block, frame.data() + at, kBlockHeaderBytes);
    const bool is_run = (block >> 1U & 3U) == kRunLengthBlock;
    const std::size_t block_bytes = kBlockHeaderBytes + (is_run ? 1 : block >> 3U);
    if (frame.size() - at < block_bytes) return std::nullopt;
    at += block_bytes;
    is_last = (block & 1U) != 0;
  }
  shape.frame_bytes = at;
  return shape;
}

std::string id_text(std::uint32_t id) {
  std::array<std::byte, 4> bytes{};
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(id >> (24 - 8 * i));
  return hex_text(bytes);
}

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

void Decompressor::use(std::shared_ptr<const DictionarySet> dictionaries) {
  dictionaries_ = std::move(dictionaries);
}

Result<void> Decompressor::decompress(Bytes frame, std::span<std::byte> plain,
                                      std::uint32_t dictionary_id) {
  assert(!plain.empty());
  if (frame.size() <= kDescriptorAt ||
      std::memcmp(frame.data(), kFrameMagic.data(), kFrameMagic.size()) != 0) {
    return fail(ErrorCode::malformed, "the block does not begin with a zstd frame");
  }
  if ((std::to_integer<unsigned>(frame[kDescriptorAt]) & kChecksumOrDictionary) != 0) {
    return fail(ErrorCode::malformed, "the zstd frame has a checksum or a dictionary id");
  }
  const std::optional<FrameShape> shape = shape_of(frame);
  if (shape && shape->plain_bytes != plain.size()) {
    return fail(ErrorCode::malformed, "the zstd frame does not have the block's plain size");
  }
  if (!shape || shape->frame_bytes != frame.size()) {
    return fail(ErrorCode::malformed, "the block is not exactly one zstd frame");
  }
  const ZSTD_DDict* digested = nullptr;
  if (dictionary_id != 0) {
    const Dictionary* const found =
        dictionaries_ == nullptr ? nullptr : dictionaries_->find(dictionary_id);
    if (found == nullptr) {
      return fail(
          ErrorCode::not_found,
          "it needs a dictionary that is missing: its hash begins with " + id_text(dictionary_id));
    }
    digested = found->digested();
  }
  const std::size_t written = ZSTD_decompress_usingDDict(
      state_->context, plain.data(), plain.size(), frame.data(), frame.size(), digested);
  if (ZSTD_isError(written) != 0U) {
    return fail(ErrorCode::malformed, std::string("zstd: ") + ZSTD_getErrorName(written));
  }
  if (written != plain.size()) {
    return fail(ErrorCode::malformed, "the zstd frame contains less than its size");
  }
  return {};
}

}  // namespace muster
