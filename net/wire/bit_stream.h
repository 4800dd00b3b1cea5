// Bits in and out of bytes, least significant bit first: the base of every packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

/// The most bits that one call writes or reads.
inline constexpr unsigned kMaxBitsPerCall = 32;

/// Writes bits into a buffer that somebody else owns. The first bit written is the lowest bit of
/// the first byte; a value's low bits come first. Never writes beyond the buffer: what does not
/// fit sets `overflowed()` for good and is dropped, so that the caller checks once, at the end.
///
///     BitWriter writer(buffer);
///     writer.write(sequence, 16);
///     writer.align();
///     writer.write_bytes(payload);
///     if (!writer.overflowed()) send(writer.finish());
class BitWriter {
 public:
  explicit BitWriter(std::span<std::byte> buffer) : buffer_(buffer) {}

  /// Requires: `1 <= bit_count <= 32`, and a value that fits.
  void write(std::uint32_t value, unsigned bit_count);
  void write_flag(bool value) { write(value ? 1U : 0U, 1); }
  /// Zero bits up to the next whole byte; nothing when already there.
  void align();
  /// Requires: aligned.
  void write_bytes(std::span<const std::byte> bytes);

  /// Pads the last byte with zero bits and returns everything written, in the caller's buffer.
  /// Nothing may be written afterwards. Requires: `!overflowed()`.
  std::span<const std::byte> finish();

  std::size_t bit_count() const { return byte_count_ * 8 + staged_bits_; }
  bool overflowed() const { return overflowed_; }

 private:
  void flush_whole_bytes();

  std::span<std::byte> buffer_;
  std::size_t byte_count_ = 0;  ///< Bytes that stand in the buffer.
  std::uint64_t staged_ = 0;    ///< Bits that do not fill a byte yet.
  unsigned staged_bits_ = 0;    ///< Below 8 between calls.
  bool overflowed_ = false;
};

/// Reads what a BitWriter wrote, from bytes that somebody else owns and an enemy may have made.
/// Reading past the end, or padding that is not zero, sets `failed()` for good; from then on every
/// read gives zero or nothing. The caller checks once, before it believes anything.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Requires: `1 <= bit_count <= 32`.
  std::uint32_t read(unsigned bit_count);
  bool read_flag() { return read(1) != 0; }
  /// Skips to the next whole byte; a skipped bit that is set is a failure, so that there is one
  /// spelling of each packet.
  void align();
  /// A view into the input, which lives as long as the input. Requires: aligned.
  std::span<const std::byte> read_bytes(std::size_t count);

  /// True when nothing failed and nothing is left but zero bits that fill up the last byte.
  bool is_finished() const;

  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  std::size_t bit_position() const { return position_; }
  std::size_t remaining_bits() const { return failed_ ? 0 : bytes_.size() * 8 - position_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;  ///< In bits. A span's size in bits fits: no packet has 2^61 bytes.
  bool failed_ = false;
};

}  // namespace muster
