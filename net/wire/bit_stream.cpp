// The writer collects bits in a 64-bit word and moves each whole byte into the buffer at once. So
// the word contains at most 7 old and 32 new bits. The reader stores only its position. For each
// value, it reads the bytes that contain the value (at most five).
#include "net/wire/bit_stream.h"

#include <algorithm>
#include <cassert>

namespace muster {
namespace {

constexpr std::uint64_t low_bits(unsigned count) { return (1ULL << count) - 1; }

}  // namespace

void BitWriter::write(std::uint32_t value, unsigned bit_count) {
  assert(bit_count >= 1);
  assert(bit_count <= kMaxBitsPerCall);
  assert((value & ~low_bits(bit_count)) == 0);
  if (overflowed_) return;
  const std::size_t free_bits = (buffer_.size() - byte_count_) * 8 - staged_bits_;
  if (bit_count > free_bits) {
    overflowed_ = true;
    return;
  }
  staged_ |= std::uint64_t{value} << staged_bits_;
  staged_bits_ += bit_count;
  flush_whole_bytes();
}

void BitWriter::align() {
  if (staged_bits_ > 0) write(0, 8 - staged_bits_);
}

void BitWriter::write_bytes(std::span<const std::byte> bytes) {
  assert(staged_bits_ == 0);
  if (overflowed_) return;
  if (bytes.size() > buffer_.size() - byte_count_) {
    overflowed_ = true;
    return;
  }
  std::ranges::copy(bytes, buffer_.begin() + static_cast<std::ptrdiff_t>(byte_count_));
  byte_count_ += bytes.size();
}

std::span<const std::byte> BitWriter::finish() {
  assert(!overflowed_);
  align();
  return buffer_.first(byte_count_);
}

void BitWriter::flush_whole_bytes() {
  while (staged_bits_ >= 8) {
    buffer_[byte_count_++] = static_cast<std::byte>(staged_ & 0xFFU);
    staged_ >>= 8U;
    staged_bits_ -= 8;
  }
}

std::uint32_t BitReader::read(unsigned bit_count) {
  assert(bit_count >= 1);
  assert(bit_count <= kMaxBitsPerCall);
  if (bit_count > remaining_bits()) {
    failed_ = true;
    return 0;
  }
  const std::size_t first = position_ / 8;
  const auto skipped = static_cast<unsigned>(position_ % 8);
  const std::size_t touched = (skipped + bit_count + 7) / 8;
  std::uint64_t gathered = 0;
  for (std::size_t i = 0; i < touched; ++i) {
    gathered |= std::to_integer<std::uint64_t>(bytes_[first + i]) << (8 * i);
  }
  position_ += bit_count;
  return static_cast<std::uint32_t>((gathered >> skipped) & low_bits(bit_count));
}

void BitReader::align() {
  const auto used = static_cast<unsigned>(position_ % 8);
  if (!failed_ && used > 0 && read(8 - used) != 0) failed_ = true;
}

std::span<const std::byte> BitReader::read_bytes(std::size_t count) {
  assert(failed_ || position_ % 8 == 0);
  if (count > remaining_bits() / 8) failed_ = true;
  if (failed_) return {};
  const std::span<const std::byte> view = bytes_.subspan(position_ / 8, count);
  position_ += count * 8;
  return view;
}

bool BitReader::is_finished() const {
  BitReader rest = *this;
  rest.align();
  return !rest.failed_ && rest.remaining_bits() == 0;
}

}  // namespace muster
