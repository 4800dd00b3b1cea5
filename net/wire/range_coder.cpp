// The end of a stream is where range coders waste bytes: here it is the shortest string of bytes
// that, followed by zeros for ever, lies inside the interval; often one byte, sometimes none.
#include "net/wire/range_coder.h"

namespace muster {
namespace {

/// How many leading bytes of a 32-bit number are needed so that the rest may be zero.
struct Ending {
  std::uint32_t value = 0;
  unsigned byte_count = 0;
};

Ending shortest_ending(std::uint32_t low, std::uint32_t high) {
  for (unsigned count = 0; count < 4; ++count) {
    // The least number with zeros behind its first `count` bytes that is not below `low`.
    const std::uint64_t unit = std::uint64_t{1} << (32 - 8 * count);
    const std::uint64_t value = (low + unit - 1) / unit * unit;
    if (value <= high) return {.value = static_cast<std::uint32_t>(value), .byte_count = count};
  }
  return {.value = low, .byte_count = 4};
}

}  // namespace

std::span<const std::byte> RangeEncoder::finish() {
  const Ending ending = shortest_ending(low_, high_);
  for (unsigned i = 0; i < ending.byte_count; ++i) {
    put(static_cast<std::byte>(ending.value >> (24 - 8 * i)));
  }
  // Bytes of the body may be zero as well, and a reader finds zeros behind the end.
  while (used_ > 0 && out_[used_ - 1] == std::byte{0}) --used_;
  return out_.first(used_);
}

RangeDecoder::RangeDecoder(std::span<const std::byte> bytes) : bytes_(bytes) {
  for (int i = 0; i < 4; ++i) code_ = (code_ << 8) | next();
}

bool RangeDecoder::is_finished() const {
  if (failed_) return false;
  // `position_` is four bytes past what has left the interval.
  const std::size_t settled = position_ - 4;
  if (settled > bytes_.size()) return bytes_.empty() || bytes_.back() != std::byte{0};
  const Ending ending = shortest_ending(low_, high_);
  std::size_t end = settled + ending.byte_count;
  if (ending.byte_count > 0) {
    for (unsigned i = 0; i < ending.byte_count; ++i) {
      const auto expected = static_cast<std::byte>(ending.value >> (24 - 8 * i));
      const std::byte found = settled + i < bytes_.size() ? bytes_[settled + i] : std::byte{0};
      if (found != expected) return false;
    }
  }
  return bytes_.size() <= end && (bytes_.empty() || bytes_.back() != std::byte{0});
}

}  // namespace muster
