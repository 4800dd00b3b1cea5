#include "net/transport/received_packets.h"

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

namespace muster {
namespace {

/// Classifies a packet, and marks the packet as received if the result is `fresh`.
Reception offer(ReceivedPackets& received, std::uint32_t sequence) {
  const Reception reception = received.classify(sequence);
  if (reception == Reception::fresh) static_cast<void>(received.mark(sequence));
  return reception;
}

// Packet 53 arrives after packet 50. Packets 35, 36 and 37 leave the window, and 37 has not
// arrived.
TEST_CASE("A packet that leaves the window without arriving is counted once",
          "[net][transport][sys-24]") {
  ReceivedPackets received(16);
  for (std::uint32_t sequence = 1; sequence <= 50; ++sequence) {
    if (sequence != 37) REQUIRE(offer(received, sequence) == Reception::fresh);
  }
  REQUIRE(received.lost() == 0);
  REQUIRE(offer(received, 53) == Reception::fresh);
  REQUIRE(received.lost() == 1);
  REQUIRE(offer(received, 37) == Reception::stale);
  REQUIRE(offer(received, 38) == Reception::duplicate);
  REQUIRE(received.highest() == 53);
}

TEST_CASE("The window accepts exactly the packets inside its limits", "[net][transport][sys-24]") {
  const std::uint32_t window = GENERATE(1U, 2U, 16U, 255U, 256U);
  CAPTURE(window);
  ReceivedPackets received(window);
  REQUIRE(offer(received, 1000) == Reception::fresh);
  REQUIRE(received.classify(1000 - window) == Reception::stale);
  REQUIRE(received.classify(1000) == Reception::duplicate);
  if (window > 1) {
    REQUIRE(offer(received, 1000 - window + 1) == Reception::fresh);
    REQUIRE(offer(received, 1000 - window + 1) == Reception::duplicate);
    REQUIRE(received.out_of_order() == 1);
  }
  REQUIRE(received.classify(1001) == Reception::fresh);
  // No lower packet has arrived, and all packets below the window are lost.
  REQUIRE(received.lost() == 1000 - window);
}

TEST_CASE("Packet numbers below 1 count as received", "[net][transport][sys-24]") {
  ReceivedPackets received;
  REQUIRE(received.highest() == 0);
  REQUIRE(received.mask(0) == AckMask{.words = {~0U}, .word_count = 1});
  REQUIRE(received.classify(0) != Reception::fresh);
  REQUIRE(offer(received, 3) == Reception::fresh);
  REQUIRE(received.mask(0).words[0] == ~0U - 0b110U);
  REQUIRE(offer(received, 1) == Reception::fresh);
  REQUIRE(offer(received, 2) == Reception::fresh);
  REQUIRE(received.mask(0).words[0] == ~0U);
  REQUIRE(received.lost() == 0);
  REQUIRE(received.out_of_order() == 2);
}

TEST_CASE("A mask has only the words with new information, at most eight",
          "[net][transport][sys-24]") {
  ReceivedPackets received;
  REQUIRE(offer(received, 1000) == Reception::fresh);
  REQUIRE(received.mask(1000).word_count == 1);
  REQUIRE(received.mask(2000).word_count == 1);
  REQUIRE(received.mask(1000 - 31).word_count == 1);
  REQUIRE(received.mask(1000 - 32).word_count == 2);
  REQUIRE(received.mask(1000 - 255).word_count == 8);
  REQUIRE(received.mask(0).word_count == 8);
}

TEST_CASE("The window agrees with a set of all received packets", "[net][transport][sys-24]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  const std::uint32_t window = GENERATE(16U, 256U);
  const std::uint64_t jump = GENERATE(4U, 40U, 600U);
  CAPTURE(seed, window, jump);
  Random random(seed);
  ReceivedPackets received(window);
  std::set<std::uint32_t> came;
  std::uint64_t out_of_order = 0;
  // Numbers beyond 65536, where the sent numbers wrap.
  std::uint32_t highest = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t base = highest > 300 ? highest - 300 : 0;
    const auto sequence = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, base + random.below(highest - base + jump)));
    const bool is_stale = sequence <= highest && highest - sequence >= window;
    const Reception expected = is_stale                  ? Reception::stale
                               : came.contains(sequence) ? Reception::duplicate
                                                         : Reception::fresh;
    REQUIRE(offer(received, sequence) == expected);
    if (expected != Reception::fresh) continue;
    came.insert(sequence);
    if (sequence < highest) ++out_of_order;
    highest = std::max(highest, sequence);
    REQUIRE(received.highest() == highest);
    REQUIRE(received.out_of_order() == out_of_order);
    const AckMask mask = received.mask(0);
    const std::uint32_t covered = std::min(mask.word_count * 32, window);
    for (std::uint32_t age = 0; age < covered; ++age) {
      const bool expected_bit = age >= highest || came.contains(highest - age);
      if (mask.contains(age) != expected_bit) FAIL("age " << age << " at " << highest);
    }
  }
  std::uint64_t lost = 0;
  for (std::uint32_t sequence = 1; sequence + window <= highest; ++sequence) {
    if (!came.contains(sequence)) ++lost;
  }
  REQUIRE(received.lost() == lost);
}

}  // namespace
}  // namespace muster
