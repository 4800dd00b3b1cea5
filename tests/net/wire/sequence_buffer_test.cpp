#include "net/wire/sequence_buffer.h"

#include <map>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

namespace muster {
namespace {

TEST_CASE("A sequence buffer keeps the last number of each slot", "[net][wire][sys-26]") {
  SequenceBuffer<int> buffer(8);
  CHECK(buffer.is_available(3));
  CHECK(buffer.find(3) == nullptr);
  buffer.acquire(3) = 30;
  REQUIRE(buffer.find(3) != nullptr);
  CHECK(*buffer.find(3) == 30);
  CHECK_FALSE(buffer.is_available(11));  // The same slot.
  CHECK_FALSE(buffer.contains(11));
  buffer.acquire(11) = 110;
  CHECK_FALSE(buffer.contains(3));
  buffer.remove(3);  // The slot contains 11, which is not removed.
  CHECK(*buffer.find(11) == 110);
  buffer.remove(11);
  CHECK(buffer.is_available(3));
  buffer.acquire(5) = 50;
  buffer.clear();
  CHECK_FALSE(buffer.contains(5));
}

TEST_CASE("A sequence buffer stores every 32-bit number", "[net][wire][sys-26]") {
  SequenceBuffer<int> buffer(4);
  for (const std::uint32_t sequence : {0U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
    CHECK_FALSE(buffer.contains(sequence));
    buffer.acquire(sequence) = 1;
    CHECK(buffer.contains(sequence));
    buffer.remove(sequence);
    CHECK_FALSE(buffer.contains(sequence));
  }
  // Numbers on both sides of the wrap have neighbouring slots.
  buffer.acquire(0xFFFFFFFF) = 1;
  buffer.acquire(0) = 2;
  CHECK(*buffer.find(0xFFFFFFFF) == 1);
}

TEST_CASE("A sequence buffer agrees with a map of the newest number per slot",
          "[net][wire][sys-26]") {
  constexpr std::uint32_t kCapacity = 16;
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  Random random(seed);
  SequenceBuffer<std::uint64_t> buffer(kCapacity);
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint64_t>> oracle;
  for (int i = 0; i < 5000; ++i) {
    const auto sequence = static_cast<std::uint32_t>(0xFFFFFFE0 + random.below(64));
    const std::uint32_t slot = sequence % kCapacity;
    switch (random.below(3)) {
      case 0: {
        const std::uint64_t value = random.next();
        buffer.acquire(sequence) = value;
        oracle[slot] = {sequence, value};
        break;
      }
      case 1:
        buffer.remove(sequence);
        if (oracle.contains(slot) && oracle[slot].first == sequence) oracle.erase(slot);
        break;
      default: {
        const bool expected = oracle.contains(slot) && oracle[slot].first == sequence;
        REQUIRE(buffer.contains(sequence) == expected);
        if (expected) REQUIRE(*buffer.find(sequence) == oracle[slot].second);
        REQUIRE(buffer.is_available(sequence) == !oracle.contains(slot));
      }
    }
  }
}

}  // namespace
}  // namespace muster
