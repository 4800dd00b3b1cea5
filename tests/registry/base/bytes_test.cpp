#include "registry/base/bytes.h"

#include <cmath>
#include <limits>
#include <string>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

using namespace muster;

namespace {

ByteVector bytes_of(std::initializer_list<unsigned> values) {
  ByteVector bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

ByteVector varint_of(std::uint64_t value) {
  ByteWriter writer;
  writer.varint(value);
  return writer.release();
}

}  // namespace

TEST_CASE("Bytes are written in little-endian order", "[registry][bytes]") {
  ByteWriter writer;
  writer.u8(0x01);
  writer.u16(0x0302);
  writer.u32(0x07060504);
  writer.u64(0x0F0E0D0C0B0A0908);
  writer.i64(-2);
  writer.f32(1.0F);
  writer.f64(-2.0);
  writer.text("ab");
  const ByteVector expected = bytes_of(
      {1,    2,    3,    4,    5, 6, 7,    8,    9, 10, 11, 12, 13, 14, 15, 0xFE, 0xFF, 0xFF, 0xFF,
       0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0x80, 0x3F, 0, 0,  0,  0,  0,  0,  0,  0xC0, 2,    'a',  'b'});
  CHECK(ByteVector(writer.view().begin(), writer.view().end()) == expected);

  ByteReader reader(writer.view());
  CHECK(reader.u8() == 0x01);
  CHECK(reader.u16() == 0x0302);
  CHECK(reader.u32() == 0x07060504);
  CHECK(reader.u64() == 0x0F0E0D0C0B0A0908);
  CHECK(reader.i64() == -2);
  CHECK(reader.f32() == 1.0F);
  CHECK(reader.f64() == -2.0);
  CHECK(reader.text() == "ab");
  CHECK(reader.remaining() == 0);
  CHECK_FALSE(reader.failed());
}

TEST_CASE("A varint has exactly one spelling", "[registry][bytes]") {
  const auto [value, spelling] = GENERATE(table<std::uint64_t, ByteVector>(
      {{0, bytes_of({0})},
       {1, bytes_of({1})},
       {127, bytes_of({0x7F})},
       {128, bytes_of({0x80, 1})},
       {300, bytes_of({0xAC, 2})},
       {std::numeric_limits<std::uint64_t>::max(),
        bytes_of({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1})}}));
  CAPTURE(value);
  CHECK(varint_of(value) == spelling);
  ByteReader reader(spelling);
  CHECK(reader.varint() == value);
  CHECK_FALSE(reader.failed());
  CHECK(reader.remaining() == 0);
}

TEST_CASE("A varint with another spelling is refused", "[registry][bytes]") {
  const auto [reason, spelling] = GENERATE(table<const char*, ByteVector>(
      {{"zero in two bytes", bytes_of({0x80, 0})},
       {"one in two bytes", bytes_of({0x81, 0})},
       {"65 bits", bytes_of({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2})},
       {"eleven bytes", bytes_of({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0})},
       {"without an end", bytes_of({0x80})},
       {"nothing", bytes_of({})}}));
  CAPTURE(reason);
  ByteReader reader(spelling);
  CHECK(reader.varint() == 0);
  CHECK(reader.failed());
}

TEST_CASE("Writing any varint that was read gives the same bytes", "[registry][bytes]") {
  Random random(3);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t value = random.next() >> random.below(64);
    const auto signed_value = static_cast<std::int64_t>(random.next()) >> random.below(64);
    CAPTURE(value, signed_value);
    ByteWriter writer;
    writer.varint(value);
    writer.signed_varint(signed_value);
    ByteReader reader(writer.view());
    REQUIRE(reader.varint() == value);
    REQUIRE(reader.signed_varint() == signed_value);
    REQUIRE_FALSE(reader.failed());
    REQUIRE(reader.remaining() == 0);
  }
}

TEST_CASE("Signed varints of small numbers are short", "[registry][bytes]") {
  const auto [value, byte] =
      GENERATE(table<std::int64_t, unsigned>({{0, 0}, {-1, 1}, {1, 2}, {-64, 127}}));
  ByteWriter writer;
  writer.signed_varint(value);
  CHECK(writer.release() == bytes_of({byte}));
}

TEST_CASE("After a failure, a reader returns only zeros and empty views", "[registry][bytes]") {
  const ByteVector bytes = bytes_of({1, 2, 3});
  ByteReader reader(bytes);
  CHECK(reader.u32() == 0);
  CHECK(reader.failed());
  CHECK(reader.remaining() == 0);
  CHECK(reader.u8() == 0);
  CHECK(reader.bytes(1).empty());
  CHECK(reader.text().empty());
  CHECK(reader.varint() == 0);
}

TEST_CASE("A text that is longer than the input is refused without reading it",
          "[registry][bytes]") {
  ByteWriter writer;
  writer.varint(std::numeric_limits<std::uint64_t>::max());
  ByteReader reader(writer.view());
  CHECK(reader.text().empty());
  CHECK(reader.failed());
}

TEST_CASE("Padding is written as zeros, and other padding is refused", "[registry][bytes]") {
  ByteWriter writer;
  writer.u8(9);
  writer.align(8);
  CHECK(writer.size() == 8);
  writer.align(8);
  CHECK(writer.size() == 8);
  ByteVector bytes = writer.release();
  ByteReader good(bytes);
  CHECK(good.u8() == 9);
  good.align(8);
  CHECK_FALSE(good.failed());
  bytes[5] = std::byte{1};
  ByteReader bad(bytes);
  CHECK(bad.u8() == 9);
  bad.align(8);
  CHECK(bad.failed());
}

TEST_CASE("Four bytes can be overwritten later", "[registry][bytes]") {
  ByteWriter writer;
  writer.u32(0);
  writer.u8(7);
  writer.patch_u32(0, 0x04030201);
  CHECK(writer.release() == bytes_of({1, 2, 3, 4, 7}));
}
