// Thousands of worlds, each with its own seed.
#include <catch2/catch.hpp>

#include "tests/support/replication_course.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kWorlds = 200;
#else
constexpr std::uint64_t kWorlds = 2'000;
#endif

TEST_CASE("In thousands of worlds over bad links, every client ends with the server's world",
          "[soak][replication][sys-45][sys-46][sys-47]") {
  for (std::uint64_t seed = 1'000; seed < 1'000 + kWorlds; ++seed) {
    CAPTURE(seed);
    const std::string difference = muster::play_course(seed);
    CAPTURE(difference);
    REQUIRE(difference.empty());
  }
}
