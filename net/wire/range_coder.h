// A binary arithmetic coder: yes-or-no decisions with known probabilities in close to the fewest
// bits that they contain.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

/// The probability that a bit is 1, in 1/65536. 0 and 65536 cannot be said: nothing is certain.
using BitProbability = std::uint16_t;

/// Encodes decisions into a buffer that somebody else owns. What does not fit sets `overflowed()`
/// for good and is dropped. The interval is kept as its two ends in 64 bits; when both agree on the
/// upper half, that leaves (Martin's range coder in the carry-free form of Mahoney's lpaq; half a
/// word at a time, because a rare branch costs less than a likely one).
class RangeEncoder {
 public:
  explicit RangeEncoder(std::span<std::byte> out) : out_(out) {}

  /// Requires: `probability >= 1`.
  void encode(bool bit, BitProbability probability) {
    const std::uint64_t middle = middle_of(low_, high_, probability);
    high_ = bit ? middle : high_;
    low_ = bit ? low_ : middle + 1;
    while (((low_ ^ high_) >> 32) == 0) [[unlikely]] put_half();
  }

  /// Ends the stream with as few bytes as name a point of the interval (behind the end a reader
  /// finds zeros), and returns everything written. Nothing may be encoded afterwards.
  /// Requires: `!overflowed()` for the result to mean anything.
  std::span<const std::byte> finish();

  /// The bytes that `finish` would return now, or a few more.
  std::size_t byte_count() const {
    return used_ + (static_cast<std::size_t>(std::countl_zero(high_ - low_)) + 8) / 8;
  }
  /// The information of all decisions so far, in bits, to about a tenth.
  double bit_count() const {
    const std::uint64_t range = (high_ - low_) | 1U;
    const auto zeros = static_cast<unsigned>(std::countl_zero(range));
    // Between two powers of two a straight line.
    const double part = static_cast<double>(range << zeros >> 11) / 4503599627370496.0 - 1;
    return 8 * static_cast<double>(used_) + zeros + 1 - part;
  }
  bool overflowed() const { return overflowed_; }

  /// `low` plus the share of the way to `high`, rounded down.
  static std::uint64_t middle_of(std::uint64_t low, std::uint64_t high, BitProbability share) {
    const std::uint64_t range = high - low;
#ifdef __SIZEOF_INT128__
    // The upper half of one long product, which processors have in one step.
    __extension__ using Product = unsigned __int128;
    return low + static_cast<std::uint64_t>(
                     (Product{range} * (static_cast<std::uint64_t>(share) << 48)) >> 64);
#else
    return low + (range >> 16) * share + (((range & 0xFFFF) * share) >> 16);
#endif
  }

 private:
  void put(std::byte byte) {
    if (used_ == out_.size()) {
      overflowed_ = true;
      return;
    }
    out_[used_++] = byte;
  }
  void put_half();

  std::span<std::byte> out_;
  std::size_t used_ = 0;
  std::uint64_t low_ = 0;
  std::uint64_t high_ = ~std::uint64_t{0};
  bool overflowed_ = false;
};

/// Decodes what a RangeEncoder wrote, from bytes that an enemy may have made: any bytes decode to
/// some decisions, in a time that the asker bounds. Far past the end `failed()` is set for good.
class RangeDecoder {
 public:
  explicit RangeDecoder(std::span<const std::byte> bytes);

  /// Requires: `probability >= 1`, the one that the encoder had.
  bool decode(BitProbability probability) {
    const std::uint64_t middle = RangeEncoder::middle_of(low_, high_, probability);
    const bool bit = code_ <= middle;
    high_ = bit ? middle : high_;
    low_ = bit ? low_ : middle + 1;
    while (((low_ ^ high_) >> 32) == 0) [[unlikely]] take_half();
    return bit;
  }

  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  /// True when nothing failed and the encoder would have stopped at this very byte.
  bool is_finished() const;

 private:
  void take_half();

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  std::uint64_t low_ = 0;
  std::uint64_t high_ = ~std::uint64_t{0};
  std::uint64_t code_ = 0;
  bool failed_ = false;
};

}  // namespace muster
