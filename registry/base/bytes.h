// Reads and writes little-endian bytes: the base of every binary format.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace muster {

/// A view of bytes that another object owns.
using Bytes = std::span<const std::byte>;
/// Owned bytes.
using ByteVector = std::vector<std::byte>;

/// Views text as bytes. The view lives as long as the text.
inline Bytes as_bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

/// Views bytes as text. The view lives as long as the bytes.
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Owns a buffer, and appends little-endian numbers and bytes to this buffer.
class ByteWriter {
 public:
  void u8(std::uint8_t value) { integer(value, 1); }
  void u16(std::uint16_t value) { integer(value, 2); }
  void u32(std::uint32_t value) { integer(value, 4); }
  void u64(std::uint64_t value) { integer(value, 8); }
  void i64(std::int64_t value) { integer(static_cast<std::uint64_t>(value), 8); }
  void f32(float value);
  void f64(double value);
  /// Writes LEB128: seven bits per byte, low bits first, in the shortest form.
  void varint(std::uint64_t value);
  /// Writes zig-zag LEB128, so that small negative numbers use few bytes.
  void signed_varint(std::int64_t value);
  void bytes(Bytes value) { buffer_.insert(buffer_.end(), value.begin(), value.end()); }
  /// Writes the length as a varint, then the bytes of the text.
  void text(std::string_view value);
  /// Writes zero bytes until the size is a multiple of `alignment`. Requires: `alignment` is a
  /// power of two.
  void align(std::size_t alignment);
  /// Overwrites four bytes at `offset`. Requires: `offset + 4 <= size()`.
  void patch_u32(std::size_t offset, std::uint32_t value);

  std::size_t size() const { return buffer_.size(); }
  Bytes view() const { return buffer_; }
  ByteVector release() { return std::exchange(buffer_, {}); }

 private:
  void integer(std::uint64_t value, std::size_t width);
  ByteVector buffer_;
};

/// Reads the output of a `ByteWriter`. The input is untrusted. A read fails if it goes past the
/// end, or if the value is not encoded in the shortest form. A read that fails returns zero or an
/// empty view, and sets `failed()` permanently. So one check of `failed()` after all reads is
/// enough.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : bytes_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(integer(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(integer(2)); }
  std::uint32_t u24() { return static_cast<std::uint32_t>(integer(3)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(integer(4)); }
  std::uint64_t u64() { return integer(8); }
  std::int64_t i64() { return static_cast<std::int64_t>(integer(8)); }
  float f32();
  double f64();
  std::uint64_t varint();
  std::int64_t signed_varint();
  /// Reads `count` bytes. The view lives as long as the input.
  Bytes bytes(std::size_t count) {
    if (!consume(count)) return {};
    return bytes_.subspan(position_ - count, count);
  }
  /// Reads `kCount` bytes into `into`. If fewer bytes are left, fails and leaves `into` unchanged.
  template <std::size_t kCount>
  void read_into(std::array<std::byte, kCount>& into) {
    const Bytes read = bytes(kCount);
    std::copy(read.begin(), read.end(), into.begin());
  }
  std::string_view text();
  /// Skips bytes until the position is a multiple of `alignment`. Fails if a skipped byte is not
  /// zero.
  void align(std::size_t alignment);
  /// Reads all remaining bytes. Returns false if one of them is not zero, or if an earlier read
  /// failed.
  bool consume_zeros();

  /// Whether all bytes were read and no read failed.
  bool is_finished() const { return !failed_ && position_ == bytes_.size(); }
  bool failed() const { return failed_; }
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return failed_ ? 0 : bytes_.size() - position_; }
  void fail() { failed_ = true; }

 private:
  bool consume(std::size_t count) {
    if (failed_ || count > bytes_.size() - position_) {
      failed_ = true;
      return false;
    }
    position_ += count;
    return true;
  }
  std::uint64_t integer(std::size_t width) {
    if (!consume(width)) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      value |= std::to_integer<std::uint64_t>(bytes_[position_ - width + i]) << (8 * i);
    }
    return value;
  }

  Bytes bytes_;
  std::size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace muster
