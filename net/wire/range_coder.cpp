// The end of a stream is where range coders waste bytes: here it is the shortest string of bytes
// that, followed by zeros for ever, lies inside the interval; often one byte, sometimes none. Zeros
// that have left the interval stay: a decoder counts what it reads past the end.
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
  return out_.first(used_);
}

RangeDecoder::RangeDecoder(std::span<const std::byte> bytes) : bytes_(bytes) {
  for (int i = 0; i < 4; ++i) code_ = (code_ << 8) | next();
}

bool RangeDecoder::is_finished() const {
  if (failed_) return false;
  // `position_` is four bytes past what has left the interval, of which all stands in the bytes.
  const std::size_t settled = position_ - 4;
  const Ending ending = shortest_ending(low_, high_);
  if (bytes_.size() != settled + ending.byte_count) return false;
  for (unsigned i = 0; i < ending.byte_count; ++i) {
    if (bytes_[settled + i] != static_cast<std::byte>(ending.value >> (24 - 8 * i))) return false;
  }
  return true;
}

}  // namespace muster
