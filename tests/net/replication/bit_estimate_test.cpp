// The estimated cost of updates and new entities.
#include "net/replication/bit_estimate.h"

#include <vector>

#include <catch2/catch.hpp>

namespace muster {

TEST_CASE("The estimate follows the measured bits of updates and new entities",
          "[net][replication]") {
  const std::vector<LaneSchema> lanes = {{.name = "x", .maximum = 65'535}, {.name = "y"}};
  BitEstimate estimate;
  const double update_before = estimate.update_bits(2);
  const double new_before = estimate.new_bits(lanes);
  CHECK(new_before > update_before);
  for (int i = 0; i < 200; ++i) {
    const double updates = 100 * estimate.update_bits(2);
    const double news = 100 * estimate.new_bits(lanes);
    estimate.learn(updates, news,
                   {.update_bits = 100 * update_before * 2, .new_bits = 100 * new_before / 2}, 0);
  }
  CHECK(estimate.update_bits(2) == Approx(2 * update_before).epsilon(0.01));
  CHECK(estimate.new_bits(lanes) == Approx(new_before / 2).epsilon(0.01));
}

TEST_CASE("The overhead of a tick is the sum over its snapshots", "[net][replication]") {
  BitEstimate estimate;
  for (int tick = 0; tick < 100; ++tick) {
    estimate.begin_tick();
    estimate.learn(0, 0, {.update_bits = 60}, 20);
    estimate.learn(0, 0, {.new_bits = 60}, 20);
    estimate.end_tick();
  }
  CHECK(estimate.overhead_bits() == Approx(2 * (160 - 60)).epsilon(0.01));
  const double before = estimate.overhead_bits();
  estimate.begin_tick();
  estimate.end_tick();  // A tick without snapshots measures nothing.
  CHECK(estimate.overhead_bits() == before);
}

}  // namespace muster
