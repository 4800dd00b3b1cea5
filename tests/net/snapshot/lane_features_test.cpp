#include "net/snapshot/lane_features.h"

#include <cmath>
#include <type_traits>
#include <vector>

#include <catch2/catch.hpp>

#include "net/snapshot/slots.h"
#include "registry/base/seed.h"

namespace muster {
namespace {

// Both ends compute only with integers.
static_assert(std::is_integral_v<decltype(Prediction::steps)>);
static_assert(std::is_integral_v<decltype(LaneMotion::steps)::value_type>);
static_assert(std::is_integral_v<decltype(StateSpacing::scale)>);
static_assert(std::is_integral_v<decltype(Direction::sine)>);
static_assert(std::is_integral_v<FeatureWeights::value_type>);
static_assert(std::is_integral_v<SizeWeights::value_type>);

/// Known states at these ticks, newest first; their values do not matter.
KnownStates states_at(const std::vector<std::uint32_t>& ticks, std::uint32_t now) {
  KnownStates known;
  known.count = ticks.size();
  known.now = Tick(now);
  std::ranges::transform(ticks, known.ticks.begin(), [](std::uint32_t tick) { return Tick(tick); });
  return known;
}

/// The motion of a lane with the values `value_at(tick)` at these ticks.
template <typename F>
LaneMotion motion_at(const std::vector<std::uint32_t>& ticks, std::uint32_t now, F value_at,
                     std::uint32_t period = 0) {
  LanePast past{};
  for (std::size_t k = 0; k < ticks.size(); ++k) past[k] = value_at(std::int64_t{ticks[k]});
  return motion_of(past, spacing_of(states_at(ticks, now)), period);
}

TEST_CASE("A direction is the sine and cosine of a part of a turn", "[net][snapshot]") {
  const std::uint32_t period = GENERATE(1U, 4U, 360U, 1024U, 65536U, 0xFFFF'FFFFU);
  Random random(period);
  for (int i = 0; i < 500; ++i) {
    const auto value = static_cast<std::int64_t>(random.below(std::uint64_t{period} + 1));
    CAPTURE(period, value);
    const Direction direction = direction_of(value, period);
    const double angle = 2 * 3.14159265358979 * static_cast<double>(value) / period;
    CHECK(std::abs(direction.sine - std::sin(angle) * 32768) <= 32768 * 0.0031 + 1);
    CHECK(std::abs(direction.cosine - std::cos(angle) * 32768) <= 32768 * 0.0031 + 1);
    CHECK(direction_of(value + period, period).sine == direction.sine);
  }
}

TEST_CASE("Quarter turns are exact, and a value without a period has the angle 0",
          "[net][snapshot]") {
  CHECK(direction_of(0, 360).sine == 0);
  CHECK(direction_of(0, 360).cosine == 32768);
  CHECK(direction_of(90, 360).sine == 32768);
  CHECK(direction_of(90, 360).cosine == 0);
  CHECK(direction_of(180, 360).cosine == -32768);
  CHECK(direction_of(270, 360).sine == -32768);
  CHECK(direction_of(360, 360).cosine == 32768);
  CHECK(direction_of(77, 0).sine == 0);
  CHECK(direction_of(77, 0).cosine == 32768);
}

TEST_CASE("The difference of two angles is the shorter way around the circle", "[net][snapshot]") {
  CHECK(cyclic_difference(10, 3, 0) == -7);
  CHECK(cyclic_difference(0, 0xFFFF'FFFF, 0) == 0xFFFF'FFFFLL);
  CHECK(cyclic_difference(350, 10, 360) == 20);
  CHECK(cyclic_difference(10, 350, 360) == -20);
  CHECK(cyclic_difference(0, 360, 360) == 0);  // Both values are the same direction.
  CHECK(cyclic_difference(360, 0, 360) == 0);
  CHECK(cyclic_difference(360, 1, 360) == 1);
  CHECK(cyclic_difference(0, 359, 360) == -1);
  CHECK(cyclic_difference(-360, 720, 360) == 0);
  CHECK(cyclic_difference(0, 180, 360) == 180);  // Half a turn keeps its sign.
  CHECK(cyclic_difference(180, 0, 360) == -180);
  CHECK(cyclic_difference(0, 0x8000'0000LL, 0xFFFF'FFFFLL) == -0x7FFF'FFFFLL);
}

TEST_CASE("A difference ends at its target, and is never more than half a turn",
          "[net][snapshot]") {
  Random random(3);
  for (int i = 0; i < 5000; ++i) {
    const auto period = static_cast<std::int64_t>(1 + (random.next() >> (32 + random.below(32))));
    const auto from = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(period)));
    const auto to = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(period) + 1));
    CAPTURE(period, from, to);
    const std::int64_t found = cyclic_difference(from, to, period);
    REQUIRE((from + found - to) % period == 0);
    REQUIRE(2 * std::abs(found) <= period);
  }
}

TEST_CASE("States with equal intervals are even steps", "[net][snapshot]") {
  const std::uint32_t gap = GENERATE(1U, 2U, 3U, 20U);
  const std::uint32_t ahead = GENERATE(1U, 4U, 30U, 255U);
  std::vector<std::uint32_t> ticks;
  for (std::uint32_t k = 0; k < kMaxKnownStates; ++k) ticks.push_back(500 - k * gap);
  const StateSpacing spacing = spacing_of(states_at(ticks, 500 + ahead));
  CAPTURE(gap, ahead);
  CHECK(spacing.count == kMaxKnownStates);
  CHECK(spacing.horizon == ahead);
  CHECK(spacing.scale == ((std::int64_t{ahead} << kScaleBits) + gap / 2) / gap);
}

TEST_CASE("Lost snapshots leave gaps, which are interpolated", "[net][snapshot]") {
  // The states at ticks 96 and 94 are lost.
  const std::vector<std::uint32_t> ticks = {100, 98, 92, 90};
  const StateSpacing spacing = spacing_of(states_at(ticks, 102));
  REQUIRE(spacing.count == 4);
  CHECK(spacing.steps[2].newer == 1);
  CHECK(spacing.steps[2].older == 2);
  CHECK(spacing.steps[2].part == 2);
  CHECK(spacing.steps[2].whole == 6);
  CHECK(spacing.steps[3].part == 4);
  CHECK(spacing.steps[1].newer == 1);  // This step is a known state.
  CHECK(spacing.steps[1].part == 0);
  // The lane moves 5 units per tick, so 10 units per step.
  const LaneMotion motion = motion_at(ticks, 102, [](std::int64_t tick) { return 5 * tick; });
  for (std::size_t k = 0; k < 3; ++k) CHECK(motion.steps[k] == 10 << kFeatureBits);
  CHECK(motion.steps[3] == 0);
  CHECK(motion.direction == 1);
}

TEST_CASE("A lane that did not change is constant across gaps, and a lane that changed is not",
          "[net][snapshot]") {
  const std::vector<std::uint32_t> ticks = {50, 47, 46, 40, 39};
  const LaneMotion still = motion_at(ticks, 51, [](std::int64_t) { return 7; });
  CHECK(still.is_constant);
  CHECK(still.steadiness == 4);
  CHECK(still.direction == 0);
  const LaneMotion moved =
      motion_at(ticks, 51, [](std::int64_t tick) { return tick == 50 ? 6 : 7; });
  CHECK_FALSE(moved.is_constant);
  CHECK(moved.direction == -1);
}

TEST_CASE("An angle's motion continues across its wrap", "[net][snapshot]") {
  const LaneMotion motion = motion_at(
      {4, 3, 2, 1}, 5, [](std::int64_t tick) { return (350 + 5 * tick) % 360; }, 360);
  for (std::size_t k = 0; k < 3; ++k) CHECK(motion.steps[k] == 5 << kFeatureBits);
  CHECK(motion.steadiness == 2);
}

TEST_CASE("A lane's steps give the same motion as its values", "[net][snapshot]") {
  const std::uint32_t period = GENERATE(0U, 360U, 4000U);
  const std::uint32_t gap = GENERATE(1U, 3U, 7U);
  const std::uint32_t ahead = GENERATE(1U, 6U, 255U);
  const std::size_t count = GENERATE(2U, 3U, 4U, 6U, 8U);
  const std::int64_t reach = GENERATE(2, 40, 350, 100'000);
  CAPTURE(period, gap, ahead, count, reach);
  std::vector<std::uint32_t> ticks;
  for (std::uint32_t k = 0; k < count; ++k) ticks.push_back(500 - k * gap);
  const StateSpacing spacing = spacing_of(states_at(ticks, 500 + ahead));
  const std::int64_t maximum = period == 0 ? 3'000'000 : 2 * std::int64_t{period} - 1;
  Random random(count * gap * ahead);
  for (int i = 0; i < 200; ++i) {
    LanePast past{};
    past[0] = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(maximum)));
    const bool is_straight = random.below(3) == 0;
    std::int64_t step = 0;
    for (std::size_t k = 1; k < count; ++k) {
      if (k == 1 || !is_straight) {
        step =
            static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * reach))) - reach;
      }
      past[k] = std::clamp<std::int64_t>(past[k - 1] + step, 0, maximum);
    }
    LaneSteps steps{};
    for (std::size_t k = 0; k + 1 < count; ++k) {
      steps[k][2] = static_cast<LaneValue>(past[k] - past[k + 1]);
    }
    const LaneMotion motion = motion_of(past, spacing, period);
    if (motion.is_constant || maximum > spacing.plain_maximum) continue;
    LaneMotion same;
    motion_of_steps(steps, 2, spacing, period, same);
    REQUIRE(same.steps == motion.steps);
    REQUIRE(same.steadiness == motion.steadiness);
    REQUIRE(same.direction == motion.direction);
    REQUIRE(same.backtest == motion.backtest);
    REQUIRE_FALSE(same.is_constant);
  }
}

TEST_CASE("Gaps and large values exclude plain steps", "[net][snapshot]") {
  CHECK(spacing_of(states_at({100, 98, 92, 90}, 102)).plain_maximum == -1);
  // Predictions of one step, of 255 steps, and of 1/255 of a step. The last prediction is limited
  // only by the size of a value.
  CHECK(spacing_of(states_at({100, 98, 96}, 102)).plain_maximum == 1 << 25);
  CHECK(spacing_of(states_at({100, 99, 98}, 355)).plain_maximum == (1 << 25) / 255);
  CHECK(spacing_of(states_at({300, 45}, 301)).plain_maximum == INT32_MAX);
}

TEST_CASE("A lane with fewer than two known states has no motion", "[net][snapshot]") {
  CHECK(spacing_of(KnownStates{}).count == 0);
  const LaneMotion motion = motion_at({9}, 12, [](std::int64_t) { return 4; });
  CHECK(motion.is_constant);
  CHECK(motion.steadiness == 5);
}

TEST_CASE("An untrained model predicts straight lines exactly", "[net][snapshot][sys-44]") {
  const SnapshotModel model =
      untrained_model({{.name = "ball", .lanes = {{.name = "x", .maximum = 1'000'000}}}});
  const LaneModel& lane = model.types[0].lanes[0];
  const std::vector<std::uint32_t> ticks =
      GENERATE(values<std::vector<std::uint32_t>>({{99, 98, 97, 96, 95, 94, 93, 92},
                                                   {98, 96, 94, 92, 90, 88, 86, 84},
                                                   {99, 98, 94, 93, 92, 89, 88, 87},
                                                   {90, 84, 78, 72, 66, 60, 54, 48},
                                                   {90, 84, 78, 72},
                                                   {99, 97, 93, 91, 89}}));
  const std::uint32_t ahead = GENERATE(1U, 2U, 7U, 40U, 255U);
  const std::int64_t speed = GENERATE(1, 3, -17, 1000);
  CAPTURE(ticks, ahead, speed);
  const std::uint32_t now = ticks[0] + ahead;
  const LaneMotion motion =
      motion_at(ticks, now, [&](std::int64_t tick) { return 500'000 + speed * tick; });
  std::array<std::int64_t, kMaxFeatures> features{};
  const std::size_t count =
      fill_features(model.types[0], lane, motion, {}, nullptr, nullptr, features);
  const Prediction prediction = predict(lane.weights[motion.steadiness], features, count);
  CHECK(prediction.steps == speed * ahead);
}

TEST_CASE("A prediction is its weights times its features, rounded to the nearest",
          "[net][snapshot]") {
  FeatureWeights weights{};
  std::array<std::int64_t, kMaxFeatures> features{};
  weights[0] = (1 << kWeightBits) / 2;
  features[0] = 3 << kFeatureBits;
  const Prediction half = predict(weights, features, kMaxFeatures);
  CHECK(half.steps == 2);
  CHECK(half.remainder == -(1 << (kWeightBits + kFeatureBits - 1)));
  CHECK(half.sum() == std::int64_t{3} << (kWeightBits + kFeatureBits - 1));
  weights.fill(kWeightMax);
  features.fill(kFeatureMax);
  const Prediction maximum = predict(weights, features, kMaxFeatures);
  CHECK(maximum.sum() == std::int64_t{kMaxFeatures} * kWeightMax * kFeatureMax);
  features.fill(-kFeatureMax);
  CHECK(predict(weights, features, kMaxFeatures).sum() == -maximum.sum());
}

TEST_CASE("Sizes are logarithms in sixteenths, and levels are bounded", "[net][snapshot]") {
  CHECK(log_of(0) == 0);
  CHECK(log_of(1) == 16);
  CHECK(log_of(-1) == 16);
  CHECK(log_of(3) == 32);
  CHECK(log_of(0xFFFF'FFFF) == 512);
  CHECK(log_of_fine(128) == 8);
  constexpr std::int32_t kSumMax = std::int32_t{kSizeFeatures} * kSizeWeightMax * 960;
  CHECK(size_level(expected_size(kSumMax)) == slots::kLevels - 1);
  CHECK(size_level(expected_size(-kSumMax)) == 0);
}

}  // namespace
}  // namespace muster
