// Writes the whole bytes of a packet's sections, little-endian and with bounds checks.
#pragma once

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

}  // namespace muster
