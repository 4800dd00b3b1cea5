// A binary arithmetic coder. The coder encodes decisions (bits of known probability). It needs
// nearly the minimum number of bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

/// The probability that a bit is 1, in units of 1/65536. The value 0 is not allowed.
using BitProbability = std::uint16_t;

/// Encodes decisions into the caller's buffer. Output that does not fit is dropped and makes
/// `overflowed()` permanently true. The encoder stores the two ends of an interval in 64 bits each.
/// When both ends have the same upper 32 bits, the encoder writes these bits. This is Martin's
/// range coder in the carry-free form of Mahoney's lpaq.
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

  /// Ends the stream with as few bytes as possible. A decoder reads zeros past the end. The bytes
  /// and these zeros together are a number inside the interval. Returns all bytes written. Encode
  /// nothing after this call. Requires: `!overflowed()`.
  std::span<const std::byte> finish();

  /// The number of bytes that `finish` would return now, or a few bytes more.
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
    // The upper half of a product of two 64-bit numbers, which is one instruction on most
    // processors.
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

/// Decodes the output of a `RangeEncoder` from untrusted bytes. Any bytes decode to some decisions,
/// so the caller must limit the number of decisions. A read far past the end makes `failed()`
/// permanently true.
class RangeDecoder {
 public:
  explicit RangeDecoder(std::span<const std::byte> bytes);

  /// Requires: `probability >= 1`, and the encoder used the same value.
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
  /// True when no read failed and the bytes are exactly the output of an encoder for these
  /// decisions.
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
