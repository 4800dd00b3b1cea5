// Writes and reads bits, least significant bit first. All packets are built with these classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

/// The maximum number of bits that one call writes or reads.
inline constexpr unsigned kMaxBitsPerCall = 32;

/// Writes bits into the caller's buffer. The first bit written is the lowest bit of the first byte;
/// a value's low bits come first. A write that does not fit writes nothing and makes `overflowed()`
/// permanently true, so one check at the end is enough.
///
///     BitWriter writer(buffer);
///     writer.write(sequence, 16);
///     writer.align();
///     writer.write_bytes(payload);
///     if (!writer.overflowed()) send(writer.finish());
class BitWriter {
 public:
  explicit BitWriter(std::span<std::byte> buffer) : buffer_(buffer) {}

  /// Requires: `1 <= bit_count <= 32`, and `value` fits in `bit_count` bits.
  void write(std::uint32_t value, unsigned bit_count);
  void write_flag(bool value) { write(value ? 1U : 0U, 1); }
  /// Writes zero bits up to the next whole byte. Does nothing at a whole byte.
  void align();
  /// Requires: the position is a whole byte.
  void write_bytes(std::span<const std::byte> bytes);

  /// Pads the last byte with zero bits and returns all bytes written, as a view of the caller's
  /// buffer. Write nothing after this call. Requires: `!overflowed()`.
  std::span<const std::byte> finish();

  std::size_t bit_count() const { return byte_count_ * 8 + staged_bits_; }
  bool overflowed() const { return overflowed_; }

 private:
  void flush_whole_bytes();

  std::span<std::byte> buffer_;
  std::size_t byte_count_ = 0;  ///< The number of bytes in the buffer.
  std::uint64_t staged_ = 0;    ///< The bits that do not fill a byte yet.
  unsigned staged_bits_ = 0;    ///< The number of bits in `staged_`; below 8 between calls.
  bool overflowed_ = false;
};

/// Reads the output of a `BitWriter` from untrusted bytes. The caller owns the bytes. A read past
/// the end, or padding that is not zero, makes `failed()` permanently true. Every later read
/// returns zero or an empty span. Check `failed()` once, before you use the values.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Requires: `1 <= bit_count <= 32`.
  std::uint32_t read(unsigned bit_count);
  bool read_flag() { return read(1) != 0; }
  /// Skips to the next whole byte. Fails if a skipped bit is not zero, so that every value has
  /// exactly one encoding.
  void align();
  /// Returns a view of the input. The view is valid as long as the input is. Requires: the position
  /// is a whole byte.
  std::span<const std::byte> read_bytes(std::size_t count);

  /// True when no read failed and nothing is left except zero bits of the last byte.
  bool is_finished() const;

  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  std::size_t bit_position() const { return position_; }
  std::size_t remaining_bits() const { return failed_ ? 0 : bytes_.size() * 8 - position_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;  ///< The position in bits.
  bool failed_ = false;
};

}  // namespace muster
