// A binary arithmetic coder: encodes yes-or-no decisions of known probability in close to the
// minimum number of bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

/// The probability that a bit is 1, in 1/65536. Certainty (0 or 65536) cannot be expressed.
using BitProbability = std::uint16_t;

/// Encodes decisions into the caller's buffer. Output that does not fit is dropped and sets
/// `overflowed()` permanently. The interval is kept as its two ends in 64 bits; when both ends have
/// the same upper half, that half is written out. This is Martin's range coder in the carry-free
/// form of Mahoney's lpaq. It writes 32 bits at a time: then the branch that writes is rarely
/// taken, and cheaper.
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

  /// Ends the stream with the fewest bytes that identify a point of the interval if zeros follow
  /// them, as they do for a reader. Returns all bytes written. Encode nothing after this call.
  /// Requires: `!overflowed()`; otherwise the result is meaningless.
  std::span<const std::byte> finish();

  /// The number of bytes that `finish` would return now, or a few more.
  std::size_t byte_count() const {
    return used_ + (static_cast<std::size_t>(std::countl_zero(high_ - low_)) + 8) / 8;
  }
  /// The information content of all decisions so far, in bits, with an error of about 0.1 bit.
  double bit_count() const {
    const std::uint64_t range = (high_ - low_) | 1U;
    const auto zeros = static_cast<unsigned>(std::countl_zero(range));
    // Interpolates linearly between two powers of two.
    const double part = static_cast<double>(range << zeros >> 11) / 4503599627370496.0 - 1;
    return 8 * static_cast<double>(used_) + zeros + 1 - part;
  }
  bool overflowed() const { return overflowed_; }

  /// Returns `low` plus `share` / 65536 of the way to `high`, rounded down.
  static std::uint64_t middle_of(std::uint64_t low, std::uint64_t high, BitProbability share) {
    const std::uint64_t range = high - low;
#ifdef __SIZEOF_INT128__
    // The upper half of a 64 x 64 bit product: one instruction on most processors.
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

/// Decodes what a `RangeEncoder` wrote, from bytes that are not trusted. Any bytes decode to some
/// decisions, so the caller must limit their number. Reading far past the end sets `failed()`
/// permanently.
class RangeDecoder {
 public:
  explicit RangeDecoder(std::span<const std::byte> bytes);

  /// Requires: `probability >= 1`, the same value that the encoder used.
  bool decode(BitProbability probability) {
    const std::uint64_t middle = RangeEncoder::middle_of(low_, high_, probability);
    const bool bit = code_ <= middle;
    high_ = bit ? middle : high_;
    low_ = bit ? low_ : middle + 1;
    while (((low_ ^ high_) >> 32) == 0) [[unlikely]] read_half();
    return bit;
  }

  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  /// True when no read failed and the encoder would have ended the stream at exactly this byte.
  bool is_finished() const;

 private:
  void read_half();

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  std::uint64_t low_ = 0;
  std::uint64_t high_ = ~std::uint64_t{0};
  std::uint64_t code_ = 0;
  bool failed_ = false;
};

}  // namespace muster
