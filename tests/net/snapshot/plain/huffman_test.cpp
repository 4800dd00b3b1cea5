#include "net/snapshot/plain/huffman.h"

#include <numeric>

#include <catch2/catch.hpp>

#include "net/snapshot/plain/plain_code.h"
#include "net/snapshot/snapshot_coder.h"
#include "registry/base/seed.h"
#include "tests/support/damage.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

TEST_CASE("The default codes equal the pinned codes", "[net][snapshot][sys-42]") {
  const HuffmanTables tables;
  constexpr std::array<std::uint8_t, kHuffmanSymbols> kBits = {0,  2, 6,  1,  5,  13, 3,  11,
                                                               27, 7, 23, 55, 15, 47, 31, 63};
  for (std::uint32_t symbol = 0; symbol < kHuffmanSymbols; ++symbol) {
    CAPTURE(symbol);
    const HuffmanCode code = tables.code(7, symbol);
    CHECK(code.bits == kBits[symbol]);
    CHECK(code.length == kDefaultLengths[symbol]);
    CHECK(tables.symbol(7, code.bits, code.length) == symbol);
  }
}

struct Packed {
  std::uint32_t number;
  std::uint32_t bucket;
  std::size_t bits;
  std::vector<unsigned> bytes;
};

TEST_CASE("Numbers are packed to the pinned bits", "[net][snapshot][sys-42]") {
  const auto packed =
      GENERATE(values<Packed>({{0, 0, 2, {0x00}},
                               {1, 1, 3, {0x02}},
                               {2, 2, 4, {0x06}},
                               {3, 2, 4, {0x0e}},
                               {4, 3, 5, {0x01}},
                               {7, 3, 5, {0x19}},
                               {8, 4, 7, {0x05}},
                               {31, 5, 8, {0xfd}},
                               {32, 6, 10, {0x03, 0x00}},
                               {95, 6, 10, {0xf3, 0x03}},
                               {96, 7, 13, {0x0b, 0x00}},
                               {100, 7, 13, {0x8b, 0x00}},
                               {1000, 8, 15, {0x1b, 0x51}},
                               {70000, 11, 24, {0x37, 0x04, 0x1f}},
                               {0xFFFFFFFF, 15, 38, {0xff, 0xa7, 0xda, 0xb6, 0x3d}}}));
  CAPTURE(packed.number);
  CHECK(bucket_of(packed.number) == packed.bucket);
  const SnapshotModel model;
  const SnapshotOptions options{.coder = SnapshotCoder::huffman};
  std::array<std::byte, 16> memory{};
  PlainWriter writer(model, options, memory, memory.size());
  CHECK(code_number(writer, 0, packed.number) == packed.number);
  const std::span<const std::byte> bytes = writer.finish();
  REQUIRE(bytes.size() == packed.bytes.size());
  CHECK(bytes.size() == (packed.bits + 7) / 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CHECK(std::to_integer<unsigned>(bytes[i]) == packed.bytes[i]);
  }
  PlainReader reader(model, options, bytes);
  CHECK(code_number(reader, 0, 0) == packed.number);
  CHECK(reader.is_finished());
}

TEST_CASE("Changes are folded to the pinned numbers", "[net][snapshot][sys-41]") {
  CHECK(folded(5, 5) == 0);
  CHECK(folded(5, 6) == 1);
  CHECK(folded(5, 4) == 2);
  CHECK(folded(100, 105) == 9);
  CHECK(folded(105, 100) == 10);
  CHECK(folded(0xFFFFFFFF, 0) == 1);
  CHECK(folded(2, 0xFFFFFFFD) == 10);
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const auto before = static_cast<std::uint32_t>(random.next());
    const auto now = static_cast<std::uint32_t>(random.next() >> random.below(64));
    CAPTURE(before, now);
    REQUIRE(unfolded(before, folded(before, now)) == now);
  }
}

struct Extrapolated {
  std::array<std::int64_t, 3> values;
  std::array<Tick, 3> ticks;
  Tick now;
  std::int64_t expected;
  bool is_likely_wrong;
};

TEST_CASE("Three states are extrapolated to the pinned values", "[net][snapshot][sys-44]") {
  const auto vector = GENERATE(values<Extrapolated>({
      {{120, 110, 100}, {Tick(9), Tick(6), Tick(3)}, Tick(12), 130, false},
      {{120, 110, 100}, {Tick(9), Tick(6), Tick(3)}, Tick(15), 140, false},
      {{123, 110, 100}, {Tick(9), Tick(6), Tick(3)}, Tick(12), 136, true},
      {{100, 100, 90}, {Tick(9), Tick(6), Tick(3)}, Tick(12), 100, false},
      {{100, 110, 100}, {Tick(9), Tick(6), Tick(3)}, Tick(12), 100, true},
      {{100, 50, 50}, {Tick(9), Tick(6), Tick(3)}, Tick(12), 100, false},
      {{120, 110, 100}, {Tick(10), Tick(6), Tick(3)}, Tick(13), 127, true},
      // Values below zero continue like values above zero.
      {{-10, 0, 10}, {Tick(9), Tick(6), Tick(3)}, Tick(12), -20, false},
  }));
  CAPTURE(vector.values, vector.ticks, vector.now);
  const PlainPrediction found = predict_from_three(vector.values, vector.ticks, vector.now);
  CHECK(found.value == vector.expected);
  CHECK(found.is_likely_wrong == vector.is_likely_wrong);
}

TEST_CASE("Ticks far apart do not cause an overflow", "[net][snapshot][sys-44]") {
  const std::array<std::int64_t, 3> values = {0xFFFF'FFFF, 0, 0xFFFF'FFFF};
  const PlainPrediction found =
      predict_from_three(values, {Tick(0xF000'0002), Tick(0xF000'0001), Tick(0)}, Tick(~0U));
  CHECK(found.value == 0xFFFF'FFFF);
}

TEST_CASE("The default model has the pinned bytes", "[net][snapshot][sys-42]") {
  const std::vector<unsigned> wanted = {0x10, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6, 6, 0, 0};
  const std::vector<std::byte> bytes = encode_huffman(HuffmanTables());
  REQUIRE(bytes.size() == wanted.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CHECK(std::to_integer<unsigned>(bytes[i]) == wanted[i]);
  }
}

std::uint64_t cost_of(const HuffmanCounts& counts, const HuffmanLengths& lengths) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kHuffmanSymbols; ++i) bits += counts[i] * lengths[i];
  return bits;
}

TEST_CASE("Code lengths are valid and nearly optimal", "[net][snapshot][sys-42]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    HuffmanCounts counts{};
    for (std::uint64_t& count : counts) {
      count = 1 + random.below(std::uint64_t{1} << random.below(30));
    }
    const HuffmanLengths lengths = best_lengths(counts);
    HuffmanTables tables;
    REQUIRE(tables.set(3, lengths));
    CHECK(cost_of(counts, lengths) <= cost_of(counts, kDefaultLengths));
    // A rarer symbol never has a shorter code, and exchanging two lengths never saves bits.
    for (std::size_t a = 0; a < kHuffmanSymbols; ++a) {
      for (std::size_t b = 0; b < kHuffmanSymbols; ++b) {
        if (counts[a] > counts[b]) CHECK(lengths[a] <= lengths[b]);
      }
    }
  }
  HuffmanCounts even{};
  even.fill(9);
  CHECK(best_lengths(even) == HuffmanLengths{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4});
  HuffmanCounts steep{};
  for (std::size_t i = 0; i < kHuffmanSymbols; ++i) steep[i] = std::uint64_t{1} << (2 * (15 - i));
  const HuffmanLengths limited = best_lengths(steep);
  CHECK(limited[0] == 1);
  CHECK(*std::max_element(limited.begin(), limited.end()) == kHuffmanLengthMax);
}

TEST_CASE("Invalid code lengths are refused", "[net][snapshot][sys-42]") {
  HuffmanTables tables;
  HuffmanLengths lengths = kDefaultLengths;
  lengths[0] = static_cast<std::uint8_t>(GENERATE(0, 1, 3, 7, 255));
  CHECK_FALSE(tables.set(1, lengths));
  CHECK_FALSE(tables.set_default(lengths));
  CHECK(tables.lengths(1) == kDefaultLengths);
}

TEST_CASE("Decoded tables equal the encoded tables, and damage is detected or harmless",
          "[net][snapshot][sys-42]") {
  Random random(11);
  HuffmanTables tables;
  for (int i = 0; i < 5; ++i) {
    HuffmanCounts counts{};
    for (std::uint64_t& count : counts) count = random.below(1000);
    REQUIRE(tables.set(static_cast<std::uint16_t>(random.below(300)), best_lengths(counts)));
  }
  const std::vector<std::byte> bytes = encode_huffman(tables);
  HuffmanTables read;
  REQUIRE(decode_huffman(bytes, read));
  CHECK(encode_huffman(read) == bytes);
  for (std::uint32_t context = 0; context < 400; ++context) {
    REQUIRE(read.lengths(context) == tables.lengths(context));
  }
  damage::each_truncation(bytes, [&](const ByteVector& cut) {
    HuffmanTables none;
    CHECK_FALSE(decode_huffman(cut, none));
  });
  damage::each_flip(bytes, [&](std::size_t, ByteVector& flipped) {
    HuffmanTables other;
    if (decode_huffman(flipped, other)) CHECK(encode_huffman(other) == flipped);
  });
}

}  // namespace
}  // namespace muster
