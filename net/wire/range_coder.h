// A binary arithmetic coder: yes-or-no decisions with known probabilities in close to the fewest
// bits that they contain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

/// The probability that a bit is 1, in 1/65536. 0 and 65536 cannot be said: nothing is certain.
using BitProbability = std::uint16_t;

/// Encodes decisions into a buffer that somebody else owns. What does not fit sets `overflowed()`
/// for good and is dropped. The interval is kept as its two ends in 32 bits; bytes on which both
/// agree leave it (Martin's range coder in the carry-free form of Mahoney's lpaq).
class RangeEncoder {
 public:
  explicit RangeEncoder(std::span<std::byte> out) : out_(out) {}

  /// Requires: `probability >= 1`.
  void encode(bool bit, BitProbability probability) {
    const std::uint32_t middle = middle_of(low_, high_, probability);
    if (bit) {
      high_ = middle;
    } else {
      low_ = middle + 1;
    }
    while (((low_ ^ high_) >> 24) == 0) {
      put(static_cast<std::byte>(high_ >> 24));
      low_ <<= 8;
      high_ = (high_ << 8) | 0xFF;
    }
  }

  /// Ends the stream with as few bytes as name a point of the interval (behind the end a reader
  /// finds zeros), and returns everything written. Nothing may be encoded afterwards.
  /// Requires: `!overflowed()` for the result to mean anything.
  std::span<const std::byte> finish();

  std::size_t byte_count() const { return used_; }
  bool overflowed() const { return overflowed_; }

  static std::uint32_t middle_of(std::uint32_t low, std::uint32_t high, BitProbability p) {
    return low + static_cast<std::uint32_t>((std::uint64_t{high - low} * p) >> 16);
  }

 private:
  void put(std::byte byte) {
    if (used_ == out_.size()) {
      overflowed_ = true;
      return;
    }
    out_[used_++] = byte;
  }

  std::span<std::byte> out_;
  std::size_t used_ = 0;
  std::uint32_t low_ = 0;
  std::uint32_t high_ = 0xFFFF'FFFF;
  bool overflowed_ = false;
};

/// Decodes what a RangeEncoder wrote, from bytes that an enemy may have made: any bytes decode to
/// some decisions, in a time that the asker bounds. Far past the end `failed()` is set for good.
class RangeDecoder {
 public:
  explicit RangeDecoder(std::span<const std::byte> bytes);

  /// Requires: `probability >= 1`, the one that the encoder had.
  bool decode(BitProbability probability) {
    const std::uint32_t middle = RangeEncoder::middle_of(low_, high_, probability);
    const bool bit = code_ <= middle;
    if (bit) {
      high_ = middle;
    } else {
      low_ = middle + 1;
    }
    while (((low_ ^ high_) >> 24) == 0) {
      low_ <<= 8;
      high_ = (high_ << 8) | 0xFF;
      code_ = (code_ << 8) | next();
    }
    return bit;
  }

  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  /// True when nothing failed and the encoder would have stopped at this very byte.
  bool is_finished() const;

 private:
  std::uint32_t next() {
    if (position_ < bytes_.size()) return std::to_integer<std::uint32_t>(bytes_[position_++]);
    ++position_;
    if (position_ > bytes_.size() + 4) failed_ = true;
    return 0;
  }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  std::uint32_t low_ = 0;
  std::uint32_t high_ = 0xFFFF'FFFF;
  std::uint32_t code_ = 0;
  bool failed_ = false;
};

}  // namespace muster
