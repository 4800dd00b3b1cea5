// Writes and reads the whole bytes of a packet's sections, little-endian and with bounds checks.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace muster {

/// Writes whole bytes into the caller's memory. A write that does not fit makes `overflowed()`
/// permanently true. Requires: each value fits in the bytes that its function writes.
class SectionWriter {
 public:
  explicit SectionWriter(std::span<std::byte> memory) : memory_(memory) {}

  void write_u8(std::uint32_t value) { write_little(value, 1); }
  void write_u16(std::uint32_t value) { write_little(value, 2); }
  void write_u24(std::uint32_t value) { write_little(value, 3); }
  void write_u32(std::uint32_t value) { write_little(value, 4); }
  void write_u64(std::uint64_t value) { write_little(value, 8); }
  void write_bytes(std::span<const std::byte> bytes) {
    if (bytes.empty() || !reserve(bytes.size())) return;
    std::memcpy(memory_.data() + used_ - bytes.size(), bytes.data(), bytes.size());
  }
  void write_zeros(std::size_t count) {
    if (count != 0 && reserve(count)) std::memset(memory_.data() + used_ - count, 0, count);
  }

  std::size_t used() const { return used_; }
  std::size_t free() const { return memory_.size() - used_; }
  bool overflowed() const { return overflowed_; }
  std::span<std::byte> written() const { return memory_.first(used_); }

 private:
  bool reserve(std::size_t count) {
    if (overflowed_ || count > free()) {
      overflowed_ = true;
      return false;
    }
    used_ += count;
    return true;
  }
  void write_little(std::uint64_t value, std::size_t count) {
    assert(count == 8 || value >> (8 * count) == 0);
    if (!reserve(count)) return;
    for (std::size_t i = 0; i < count; ++i) {
      memory_[used_ - count + i] = static_cast<std::byte>(value >> (8 * i));
    }
  }

  std::span<std::byte> memory_;
  std::size_t used_ = 0;
  bool overflowed_ = false;
};

/// Reads the output of a `SectionWriter` from untrusted bytes. A read past the end returns zero or
/// an empty span, and makes `failed()` permanently true.
class SectionReader {
 public:
  explicit SectionReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint8_t read_u8() { return static_cast<std::uint8_t>(read_little(1)); }
  std::uint16_t read_u16() { return static_cast<std::uint16_t>(read_little(2)); }
  std::uint32_t read_u24() { return static_cast<std::uint32_t>(read_little(3)); }
  std::uint32_t read_u32() { return static_cast<std::uint32_t>(read_little(4)); }
  std::uint64_t read_u64() { return read_little(8); }
  /// Returns a view of the input. If fewer bytes are left, fails and returns an empty view.
  std::span<const std::byte> read_bytes(std::size_t count) {
    if (!consume(count)) return {};
    return bytes_.subspan(position_ - count, count);
  }
  /// Reads `kCount` bytes into `into`. If fewer bytes are left, fails and leaves `into` unchanged.
  template <std::size_t kCount>
  void read_into(std::array<std::byte, kCount>& into) {
    const std::span<const std::byte> bytes = read_bytes(kCount);
    std::copy(bytes.begin(), bytes.end(), into.begin());
  }
  /// Consumes all remaining bytes if they are zero. Returns false if a remaining byte is not zero,
  /// or if an earlier read failed.
  bool consume_zeros() {
    for (; position_ < bytes_.size(); ++position_) {
      if (bytes_[position_] != std::byte{0}) return false;
    }
    return !failed_;
  }

  bool is_finished() const { return !failed_ && position_ == bytes_.size(); }
  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return failed_ ? 0 : bytes_.size() - position_; }

 private:
  bool consume(std::size_t count) {
    if (failed_ || count > bytes_.size() - position_) {
      failed_ = true;
      return false;
    }
    position_ += count;
    return true;
  }
  std::uint64_t read_little(std::size_t count) {
    if (!consume(count)) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      value |= std::to_integer<std::uint64_t>(bytes_[position_ - count + i]) << (8 * i);
    }
    return value;
  }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace muster
