#include "net/wire/sequence.h"

#include <catch2/catch.hpp>

namespace muster {
namespace {

TEST_CASE("Widening finds the nearest number", "[net][wire][sys-27]") {
  using Wide = std::optional<std::uint32_t>;
  const auto [low, baseline, wide, reason] =
      GENERATE(table<std::uint16_t, std::uint32_t, Wide, const char*>({
          {5, 65530, 65541, "over the wrap"},
          {65530, 65541, 65530, "back over the wrap"},
          {16382, 0, 16382, "the farthest that is accepted"},
          {16384, 1, std::nullopt, "a quarter of the range away"},
          {100, 100, 100, "the baseline itself"},
          {65535, 0, std::nullopt, "below zero"},
          {1, 16383, 1, "the farthest that is accepted, backwards"},
          {0, 16383, std::nullopt, "a quarter of the range back"},
          {0x8000, 0, std::nullopt, "half the range away"},
          {0, 0xFFFFFFFF, std::nullopt, "beyond 32 bits"},
          {0xFFFE, 0xFFFFFFFF, 0xFFFFFFFE, "near the end of 32 bits"},
      }));
  CAPTURE(low, baseline, reason);
  CHECK(widen(Sequence(low), baseline) == wide);
}

TEST_CASE("A narrowed number is widened to the original number with any nearby baseline",
          "[net][wire][sys-27]") {
  for (std::uint32_t wide = 0; wide < 200'000; wide += 97) {
    for (const std::int64_t offset : {-16382, -1, 0, 1, 16382}) {
      const std::int64_t baseline = std::int64_t{wide} + offset;
      if (baseline < 0) continue;
      CHECK(widen(Sequence::of(wide), static_cast<std::uint32_t>(baseline)) == wide);
    }
  }
}

TEST_CASE("A number is more recent if it is ahead on the shorter way around the range",
          "[net][wire][sys-27]") {
  const auto [a, b, newer, reason] =
      GENERATE(table<std::uint16_t, std::uint16_t, bool, const char*>({
          {1, 0, true, "the next"},
          {0, 1, false, "the one before"},
          {7, 7, false, "the same"},
          {0, 65535, true, "over the wrap"},
          {65535, 0, false, "back over the wrap"},
          {32767, 0, true, "the farthest that is newer"},
          {32768, 0, false, "exactly half"},
          {0, 32768, false, "exactly half, the other way"},
      }));
  CAPTURE(a, b, reason);
  CHECK(more_recent(Sequence(a), Sequence(b)) == newer);
}

TEST_CASE("Zero follows the last sequence number", "[net][wire][sys-27]") {
  CHECK(Sequence(65535).next() == Sequence(0));
  CHECK(Sequence::of(65541) == Sequence(5));
  CHECK(distance(Sequence(65535), Sequence(1)) == 2);
  CHECK(distance(Sequence(1), Sequence(65535)) == -2);
}

}  // namespace
}  // namespace muster
