// Tests that the work for a server's world grows about as fast as the number of its entities. The
// world and the grid are compiled so that each executed basic block calls a function, which this
// file defines. Moves of memory are not counted; `growth_bench` measures them.
#include <array>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/crowd.h"

namespace {

std::uint64_t executed_blocks = 0;

}  // namespace

extern "C" void __sanitizer_cov_trace_pc() { ++executed_blocks; }

namespace muster {
namespace {

/// The number of basic blocks that the world and the grid execute.
struct Work {
  std::uint64_t spawn = 0;
  std::uint64_t move = 0;
  std::uint64_t despawn = 0;
};

Work work_of(const CrowdOptions& options, IdOrder order, std::uint32_t count) {
  const std::vector<NetworkId> ids = ids_in(order, count);
  Crowd crowd(options);
  const auto blocks_of = [&](void (Crowd::*step)(const std::vector<NetworkId>&)) {
    executed_blocks = 0;
    (crowd.*step)(ids);
    return executed_blocks;
  };
  Work work;
  work.spawn = blocks_of(&Crowd::spawn);
  work.move = blocks_of(&Crowd::move);
  work.despawn = blocks_of(&Crowd::despawn);
  return work;
}

}  // namespace

TEST_CASE("The work for twice the entities of a tick is about twice as much",
          "[net][replication]") {
  const auto relevance = GENERATE(Relevance::near, Relevance::always, Relevance::owner,
                                  Relevance::team, Relevance::custom);
  const auto order = GENERATE(IdOrder::rising, IdOrder::falling, IdOrder::shuffled);
  const bool is_spread = GENERATE(false, true);
  constexpr std::uint32_t kCount = 5'000;
  // With a linear search for each entity, the ratio would be almost 4.
  constexpr double kRatioMax = 2.3;
  CAPTURE(relevance, order, is_spread);
  const CrowdOptions options{.relevance = relevance, .is_spread = is_spread};
  const Work once = work_of(options, order, kCount);
  const Work twice = work_of(options, order, 2 * kCount);
  const auto ratio = [&](std::uint64_t more, std::uint64_t less) {
    REQUIRE(less > kCount);
    return static_cast<double>(more) / static_cast<double>(less);
  };
  CHECK(ratio(twice.spawn, once.spawn) <= kRatioMax);
  CHECK(ratio(twice.move, once.move) <= kRatioMax);
  CHECK(ratio(twice.despawn, once.despawn) <= kRatioMax);
}

}  // namespace muster
