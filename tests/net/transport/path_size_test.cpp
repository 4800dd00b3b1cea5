#include "net/transport/path_size.h"

#include <vector>

#include <catch2/catch.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

/// A path that drops datagrams larger than `carries`. A step is 100 ms, and answers arrive after
/// 100 ms.
struct Path {
  PathSize size{kDatagramBytesMax};
  std::size_t carries = 1472;
  Time now{1s};
  std::vector<std::size_t> probes{};
  std::vector<Time> times{};

  void step() {
    if (const std::size_t probe = size.wanted_probe(now); probe != 0) {
      probes.push_back(probe);
      times.push_back(now);
      size.probe_sent(now);
      REQUIRE(size.wanted_probe(now) == 0);
      now += 100ms;
      probe <= carries ? size.probe_delivered(probe) : size.probe_lost();
    }
    now += 100ms;
  }
  void run(Duration duration) {
    for (const Time end = now + duration; now < end;) step();
  }
};

TEST_CASE("The largest size that arrives is found with three probes per size, one per second",
          "[net][transport][sys-22]") {
  const auto [carries, found, probes] = GENERATE(table<std::size_t, std::size_t, std::size_t>({
      {1472, 1472, 1},
      {1471, 1452, 4},
      {1452, 1452, 4},
      {1400, 1400, 7},
      {1399, 1320, 10},
      {1260, 1260, 13},
      {1259, 1200, 15},
      {1200, 1200, 15},
  }));
  CAPTURE(carries);
  Path path{.carries = carries};
  REQUIRE(path.size.bytes() == 1200);
  path.run(60s);
  REQUIRE(path.size.bytes() == found);
  REQUIRE(path.probes.size() == probes);
  for (std::size_t i = 1; i < path.times.size(); ++i) {
    REQUIRE(path.times[i] - path.times[i - 1] >= 1s);
  }
}

TEST_CASE("No probe is larger than both ends accept", "[net][transport][sys-22]") {
  const std::size_t limit = GENERATE(1200U, 1259U, 1260U, 1400U, 1451U);
  CAPTURE(limit);
  Path path{.size = PathSize(limit)};
  path.run(60s);
  for (const std::size_t probe : path.probes) REQUIRE(probe <= limit);
  REQUIRE(path.size.bytes() <= limit);
  REQUIRE((path.probes.empty() == (limit < 1260)));
}

TEST_CASE("Every ten minutes larger sizes are probed again", "[net][transport][sys-22]") {
  const std::size_t carries = GENERATE(1452U, 1400U, 1200U);
  CAPTURE(carries);
  Path path{.carries = carries};
  path.run(60s);
  for (int round = 0; round < 3; ++round) {
    path.probes.clear();
    path.run(11min);
    CAPTURE(round);
    REQUIRE(path.probes.size() >= 3);
    REQUIRE(path.size.bytes() == carries);
  }
  path.carries = 1472;
  path.run(11min);
  REQUIRE(path.size.bytes() == 1472);
}

TEST_CASE("Six large packets that are lost in a row count as a black hole, and five do not",
          "[net][transport][sys-22]") {
  Path path{.carries = 1400};
  path.run(60s);
  const auto lose = [&path](int count) {
    for (int i = 0; i < count; ++i) path.size.settled(path.now, 1400, false);
  };
  lose(5);
  path.size.settled(path.now, 1400, true);
  lose(5);
  path.size.settled(path.now, 1200, true);   // A small packet has no effect.
  path.size.settled(path.now, 1200, false);  // A lost small packet has no effect.
  REQUIRE(path.size.bytes() == 1400);
  lose(1);
  REQUIRE(path.size.bytes() == 1200);
  // Probing then begins again, but not at once.
  REQUIRE(path.size.wanted_probe(path.now) == 0);
  path.run(60s);
  REQUIRE(path.size.bytes() == 1400);
}

}  // namespace
}  // namespace muster
