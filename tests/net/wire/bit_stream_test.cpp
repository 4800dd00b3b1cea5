#include "net/wire/bit_stream.h"

#include <array>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

namespace muster {
namespace {

std::vector<std::uint8_t> bytes_of(std::span<const std::byte> bytes) {
  std::vector<std::uint8_t> numbers;
  for (const std::byte b : bytes) numbers.push_back(std::to_integer<std::uint8_t>(b));
  return numbers;
}

std::uint32_t low_bits(unsigned count) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
}

TEST_CASE("A bit writer fills each byte from its lowest bit", "[net][wire][sys-37]") {
  std::array<std::byte, 16> buffer{};
  BitWriter writer(buffer);
  writer.write(1, 1);
  writer.write(0b10, 2);
  writer.write(0xFF, 8);
  writer.align();
  writer.write(0x12345678, 32);
  CHECK(writer.bit_count() == 48);
  CHECK(bytes_of(writer.finish()) == std::vector<std::uint8_t>{0xFD, 0x07, 0x78, 0x56, 0x34, 0x12});
}

TEST_CASE("Bytes are written and read at whole-byte positions", "[net][wire][sys-37]") {
  std::array<std::byte, 4> buffer{};
  const std::array<std::byte, 2> payload = {std::byte{0xAB}, std::byte{0xCD}};
  BitWriter writer(buffer);
  writer.write_flag(true);
  writer.align();
  writer.align();
  writer.write_bytes(payload);
  const std::span<const std::byte> written = writer.finish();
  CHECK(bytes_of(written) == std::vector<std::uint8_t>{0x01, 0xAB, 0xCD});

  BitReader reader(written);
  CHECK(reader.read_flag());
  reader.align();
  CHECK(bytes_of(reader.read_bytes(2)) == std::vector<std::uint8_t>{0xAB, 0xCD});
  CHECK(reader.is_finished());
}

TEST_CASE("A bit reader returns what a bit writer wrote", "[net][wire][sys-37]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  CAPTURE(seed);
  Random random(seed);
  std::vector<std::pair<std::uint32_t, unsigned>> values;
  for (int i = 0; i < 2000; ++i) {
    const auto bits = static_cast<unsigned>(1 + random.below(32));
    values.emplace_back(static_cast<std::uint32_t>(random.next()) & low_bits(bits), bits);
  }
  std::vector<std::byte> buffer(2000 * 4);
  BitWriter writer(buffer);
  for (const auto& [value, bits] : values) writer.write(value, bits);
  REQUIRE_FALSE(writer.overflowed());
  BitReader reader(writer.finish());
  for (const auto& [value, bits] : values) CHECK(reader.read(bits) == value);
  CHECK(reader.is_finished());
}

TEST_CASE("A writer stops at the end of its buffer", "[net][wire][sys-37]") {
  std::array<std::byte, 3> buffer{};
  BitWriter writer(std::span<std::byte>(buffer).first(2));
  writer.write(0x7FFF, 15);
  writer.write(3, 2);
  CHECK(writer.overflowed());
  writer.write(1, 1);  // This bit would fit, but an earlier write was lost.
  CHECK(writer.overflowed());
  CHECK(buffer[2] == std::byte{0});

  BitWriter exact(std::span<std::byte>(buffer).first(2));
  exact.write(0xFFFF, 16);
  CHECK_FALSE(exact.overflowed());
  exact.write_bytes({});
  CHECK_FALSE(exact.overflowed());
  const std::array<std::byte, 1> one{};
  exact.write_bytes(one);
  CHECK(exact.overflowed());
}

TEST_CASE("After a bit reader has failed at the end, every later read fails",
          "[net][wire][sys-37]") {
  const std::array<std::byte, 2> bytes = {std::byte{0xFF}, std::byte{0xFF}};
  for (unsigned bits = 17; bits <= 32; ++bits) {
    BitReader reader(bytes);
    CHECK(reader.read(bits) == 0);
    CHECK(reader.failed());
    CHECK(reader.read(1) == 0);
    CHECK(reader.remaining_bits() == 0);
    CHECK(reader.read_bytes(1).empty());
    CHECK_FALSE(reader.is_finished());
  }
  BitReader reader(bytes);
  CHECK(reader.read_bytes(3).empty());
  CHECK(reader.failed());
  BitReader empty{std::span<const std::byte>()};
  CHECK(empty.is_finished());
  CHECK(empty.read_bytes(0).empty());
  CHECK_FALSE(empty.failed());
}

TEST_CASE("A bit reader accepts only zero padding", "[net][wire][sys-37]") {
  const std::array<std::byte, 1> dirty = {std::byte{0b1000'0001}};
  BitReader reader(dirty);
  CHECK(reader.read_flag());
  CHECK_FALSE(reader.is_finished());
  reader.align();
  CHECK(reader.failed());
  const std::array<std::byte, 2> longer = {std::byte{1}, std::byte{0}};
  BitReader early(longer);
  CHECK(early.read_flag());
  CHECK_FALSE(early.is_finished());  // One whole byte is unread.
}

}  // namespace
}  // namespace muster
