#include "registry/base/bytes.h"

#include <bit>
#include <cassert>

namespace muster {

void ByteWriter::integer(std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    buffer_.push_back(static_cast<std::byte>(value & 0xFFU));
    value >>= 8U;
  }
}

void ByteWriter::f32(float value) { u32(std::bit_cast<std::uint32_t>(value)); }
void ByteWriter::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void ByteWriter::varint(std::uint64_t value) {
  while (value >= 0x80U) {
    buffer_.push_back(static_cast<std::byte>((value & 0x7FU) | 0x80U));
    value >>= 7U;
  }
  buffer_.push_back(static_cast<std::byte>(value));
}

void ByteWriter::signed_varint(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  varint((bits << 1U) ^ (value < 0 ? ~std::uint64_t{0} : 0U));
}

void ByteWriter::text(std::string_view value) {
  varint(value.size());
  bytes(as_bytes(value));
}

void ByteWriter::align(std::size_t alignment) {
  assert(std::has_single_bit(alignment));
  while ((buffer_.size() & (alignment - 1)) != 0) buffer_.push_back(std::byte{0});
}

void ByteWriter::patch_u32(std::size_t offset, std::uint32_t value) {
  assert(offset + 4 <= buffer_.size());
  for (std::size_t i = 0; i < 4; ++i) {
    buffer_[offset + i] = static_cast<std::byte>((value >> (8 * i)) & 0xFFU);
  }
}

float ByteReader::f32() { return std::bit_cast<float>(u32()); }
double ByteReader::f64() { return std::bit_cast<double>(u64()); }

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint64_t byte = integer(1);
    if (failed_) return 0;
    const std::uint64_t digit = byte & 0x7FU;
    // Accepts only the shortest encoding, and at most 64 bits.
    if ((shift == 63 && digit > 1) || (shift > 0 && byte == 0)) break;
    value |= digit << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  failed_ = true;
  return 0;
}

std::int64_t ByteReader::signed_varint() {
  const std::uint64_t bits = varint();
  return static_cast<std::int64_t>((bits >> 1U) ^ (~(bits & 1U) + 1U));
}

bool ByteReader::consume_zeros() {
  for (; position_ < bytes_.size(); ++position_) {
    if (bytes_[position_] != std::byte{0}) return false;
  }
  return !failed_;
}

std::string_view ByteReader::text() {
  const std::uint64_t length = varint();
  if (length > remaining()) {
    failed_ = true;
    return {};
  }
  return as_text(bytes(static_cast<std::size_t>(length)));
}

void ByteReader::align(std::size_t alignment) {
  assert(std::has_single_bit(alignment));
  while (!failed_ && (position_ & (alignment - 1)) != 0) {
    if (u8() != 0) failed_ = true;
  }
}

}  // namespace muster
