// Thousands of worlds, each from one seed.
#include <catch2/catch.hpp>

#include "tests/support/replication_course.h"

TEST_CASE("Two thousand worlds over bad links: every client sees the server's in the end",
          "[soak][replication][sys-45][sys-46][sys-47]") {
  for (std::uint64_t seed = 1'000; seed < 3'000; ++seed) {
    CAPTURE(seed);
    const std::string difference = muster::play_course(seed);
    CAPTURE(difference);
    REQUIRE(difference.empty());
  }
}
