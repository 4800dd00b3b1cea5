// A decoder reads zeros past the end of the stream. So the encoder ends the stream with the
// shortest byte string that is inside the interval when zeros follow it. This string often has one
// byte, and sometimes no byte. Zero bytes that were already written are not removed, because a
// decoder limits the bytes that it reads past the end.
#include "net/wire/range_coder.h"

namespace muster {
namespace {

constexpr unsigned kWindowBytes = 8;  ///< The size of the interval's ends, in bytes.

/// The shortest leading bytes of a number in the interval, if all further bytes are zero.
struct Ending {
  std::uint64_t value = 0;
  unsigned byte_count = 0;
};

Ending shortest_ending(std::uint64_t low, std::uint64_t high) {
  if (low == 0) return {};
  for (unsigned count = 1; count < kWindowBytes; ++count) {
    // The smallest number that is at least `low` and has only zeros after its first `count` bytes.
    const std::uint64_t below_unit = (std::uint64_t{1} << (64 - 8 * count)) - 1;
    const std::uint64_t value = (low + below_unit) & ~below_unit;
    if (value >= low && value <= high) return {.value = value, .byte_count = count};
  }
  return {.value = low, .byte_count = kWindowBytes};
}

}  // namespace

void RangeEncoder::put_half() {
  for (unsigned shift = 64; shift > 32; shift -= 8)
    put(static_cast<std::byte>(high_ >> (shift - 8)));
  low_ <<= 32;
  high_ = (high_ << 32) | 0xFFFF'FFFF;
}

std::span<const std::byte> RangeEncoder::finish() {
  const Ending ending = shortest_ending(low_, high_);
  for (unsigned i = 0; i < ending.byte_count; ++i) {
    put(static_cast<std::byte>(ending.value >> (56 - 8 * i)));
  }
  return out_.first(used_);
}

RangeDecoder::RangeDecoder(std::span<const std::byte> bytes) : bytes_(bytes) {
  read_half();
  read_half();
  low_ = 0;
  high_ = ~std::uint64_t{0};
}

void RangeDecoder::read_half() {
  low_ <<= 32;
  high_ = (high_ << 32) | 0xFFFF'FFFF;
  for (int i = 0; i < 4; ++i) {
    const bool is_there = position_ < bytes_.size();
    code_ = (code_ << 8) | (is_there ? std::to_integer<std::uint64_t>(bytes_[position_]) : 0);
    ++position_;
  }
  if (position_ > bytes_.size() + kWindowBytes) failed_ = true;
}

bool RangeDecoder::is_finished() const {
  if (failed_) return false;
  // The bytes before `settled` were shifted out of the interval, so they must be in the input.
  const std::size_t settled = position_ - kWindowBytes;
  const Ending ending = shortest_ending(low_, high_);
  if (bytes_.size() != settled + ending.byte_count) return false;
  for (unsigned i = 0; i < ending.byte_count; ++i) {
    if (bytes_[settled + i] != static_cast<std::byte>(ending.value >> (56 - 8 * i))) return false;
  }
  return true;
}

}  // namespace muster
