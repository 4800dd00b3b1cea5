#include "net/transport/packet_header.h"

#include <optional>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "tests/support/damage.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

NetBytes written(const PacketHeader& header) {
  NetBytes memory(kPacketHeaderBytesMax);
  BitWriter writer(memory);
  write_packet_header(writer, header);
  REQUIRE_FALSE(writer.overflowed());
  return copy_of(writer.finish());
}

/// Returns the header; nothing if the bytes are not exactly one header.
std::optional<PacketHeader> read(std::span<const std::byte> bytes) {
  BitReader reader(bytes);
  const PacketHeader header = read_packet_header(reader);
  if (reader.failed() || !reader.is_finished()) return std::nullopt;
  return header;
}

PacketHeader random_header(Random& random) {
  PacketHeader header;
  header.ack = Sequence(static_cast<std::uint16_t>(random.next()));
  header.mask.word_count = static_cast<unsigned>(1 + random.below(kAckWordsMax));
  for (unsigned i = 0; i < header.mask.word_count; ++i) {
    const bool all_set = random.below(3) == 0;
    header.mask.words[i] = all_set ? ~0U : static_cast<std::uint32_t>(random.next());
  }
  header.mask.words[0] |= 1U;
  header.sent = static_cast<std::uint16_t>(random.next());
  header.hold = static_cast<std::uint16_t>(random.next());
  header.delay = static_cast<std::uint16_t>(random.below(kDelayMax + 1U));
  header.sections = static_cast<std::uint8_t>(random.below(16));
  return header;
}

/// Writes fields with their sizes in bits, to make bytes that the writer cannot make.
NetBytes spelled(std::initializer_list<std::pair<std::uint32_t, unsigned>> fields) {
  NetBytes memory(64);
  BitWriter writer(memory);
  for (const auto& [value, bits] : fields) writer.write(value, bits);
  return copy_of(writer.finish());
}

// The bytes were computed by hand from net/WIRE_FORMAT.md, "Body".
TEST_CASE("A packet's header has the bytes that the document defines", "[net][transport][sys-23]") {
  SECTION("no packet was received: 16 + 3 + 1 + 16 + 16 + 12 + 8 bits") {
    REQUIRE(written({}) == bytes_of({0x00, 0x00, 0x08, 0x00, 0xF0, 0xFF, 0x0F, 0x00, 0x00}));
    REQUIRE(written({}).size() == kPacketHeaderBytesMin);
  }
  SECTION("a mask of one word with gaps is written in full") {
    const PacketHeader header{.ack = Sequence(0x1234),
                              .mask = {.words = {0x80000001U}, .word_count = 1},
                              .sent = 0xABCD,
                              .hold = 0x0102,
                              .delay = 0x345,
                              .sections = kControlSection | kMessageSection};
    REQUIRE(written(header) == bytes_of({0x34, 0x12, 0x10, 0x00, 0x00, 0x00, 0xD8, 0xBC, 0x2A, 0x10,
                                         0x50, 0x34, 0x05}));
  }
  SECTION("each full word of a mask needs one bit, and seven bits of padding fill the last byte") {
    const PacketHeader header{.ack = Sequence(100),
                              .mask = {.words = {~0U, ~0U}, .word_count = 2},
                              .sent = 1,
                              .hold = 2,
                              .delay = 3,
                              .sections = kBlockSection};
    REQUIRE(written(header) ==
            bytes_of({0x64, 0x00, 0x39, 0x00, 0x40, 0x00, 0x60, 0x00, 0x10, 0x00}));
  }
}

TEST_CASE("A packet header is unchanged after a round trip", "[net][transport][sys-23][sys-24]") {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const PacketHeader header = random_header(random);
    const NetBytes bytes = written(header);
    REQUIRE(bytes.size() <= kPacketHeaderBytesMax);
    REQUIRE(read(bytes) == header);
  }
}

TEST_CASE("A truncated header is refused", "[net][transport][sys-23]") {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    damage::each_truncation(written(random_header(random)),
                            [](const ByteVector& cut) { REQUIRE_FALSE(read(cut).has_value()); });
  }
}

TEST_CASE("A header has one encoding", "[net][transport][sys-23]") {
  const std::initializer_list<std::pair<std::uint32_t, unsigned>> good = {
      {7, 16}, {0, 3}, {0, 1}, {5, 32}, {1, 16}, {2, 16}, {3, 12}, {0, 8}};
  REQUIRE(read(spelled(good)).has_value());
  SECTION("the only word is full, but is not written as one bit") {
    REQUIRE_FALSE(
        read(spelled({{7, 16}, {0, 3}, {0, 1}, {~0U, 32}, {1, 16}, {2, 16}, {3, 12}, {0, 8}}))
            .has_value());
  }
  SECTION("the last word is full, but is not written as one bit") {
    REQUIRE_FALSE(
        read(spelled(
                 {{7, 16}, {1, 3}, {1, 1}, {0, 1}, {~0U, 32}, {1, 16}, {2, 16}, {3, 12}, {0, 8}}))
            .has_value());
  }
  SECTION("the mask lacks the bit of the acknowledged packet") {
    REQUIRE_FALSE(
        read(spelled({{7, 16}, {0, 3}, {0, 1}, {4, 32}, {1, 16}, {2, 16}, {3, 12}, {0, 8}}))
            .has_value());
  }
  SECTION("a bit of an unknown section is set") {
    for (unsigned bit = 4; bit < 8; ++bit) {
      REQUIRE_FALSE(
          read(spelled({{7, 16}, {0, 3}, {1, 1}, {1, 16}, {2, 16}, {3, 12}, {1U << bit, 8}}))
              .has_value());
    }
  }
  SECTION("a bit of the padding is set") {
    for (unsigned bit = 0; bit < 7; ++bit) {
      REQUIRE_FALSE(read(spelled({{7, 16},
                                  {1, 3},
                                  {1, 1},
                                  {1, 1},
                                  {1, 16},
                                  {2, 16},
                                  {3, 12},
                                  {0, 8},
                                  {1U << bit, 7}}))
                        .has_value());
    }
  }
}

TEST_CASE("Bytes that parse as a header have one meaning", "[net][transport][sys-23]") {
  Random random(3);
  int parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    NetBytes bytes = written(random_header(random));
    for (int flips = 0; flips < 2; ++flips) {
      const std::uint64_t bit = random.below(bytes.size() * 8);
      bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    }
    const std::optional<PacketHeader> header = read(bytes);
    if (!header.has_value()) continue;
    ++parsed;
    REQUIRE(written(*header) == bytes);
  }
  REQUIRE(parsed > 1000);
}

}  // namespace
}  // namespace muster
