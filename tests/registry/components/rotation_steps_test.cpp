#include "registry/components/rotation_steps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include "registry/components/quantisation.h"
#include "tests/support/described_samples.h"

using namespace muster;
using samples::bytes_of;

namespace {

constexpr double kRootOfTwo = 1.4142135623730951;

double length_of(const Quaternion& q) {
  return std::sqrt(double{q.x} * q.x + double{q.y} * q.y + double{q.z} * q.z + double{q.w} * q.w);
}

// The largest difference between the components of two rotations. A rotation and its negative are
// equal.
double difference(const Quaternion& left, const Quaternion& right) {
  const double l[] = {left.x, left.y, left.z, left.w};
  const double r[] = {right.x, right.y, right.z, right.w};
  double same = 0;
  double turned = 0;
  for (int i = 0; i < 4; ++i) {
    same = std::max(same, std::abs(l[i] / length_of(left) - r[i] / length_of(right)));
    turned = std::max(turned, std::abs(l[i] / length_of(left) + r[i] / length_of(right)));
  }
  return std::min(same, turned);
}

// Checks that the steps of a rotation are unchanged after a second round trip.
void check_steps(const Quaternion& rotation, std::uint32_t step_max) {
  const RotationSteps steps = rotation_steps(rotation, step_max);
  CAPTURE(rotation.x, rotation.y, rotation.z, rotation.w, step_max, steps.dropped, steps.others);
  REQUIRE(steps.dropped <= 3);
  REQUIRE(std::ranges::max(steps.others) <= step_max);
  const Quaternion back = rotation_of(steps, step_max);
  REQUIRE(rotation_steps(back, step_max) == steps);
  REQUIRE(std::abs(length_of(back) - 1) < 1e-6);
}

}  // namespace

TEST_CASE("The maximum step of a rotation is even and within the codec's limit",
          "[registry][quantise]") {
  struct Row {
    const char* reason;
    double resolution;
    std::uint32_t expected;
  };
  const auto row = GENERATE(Row{"typical", 0.0005, 2828}, Row{"14 bits", 2.0 / 16383, 11584},
                            Row{"rounded to even", kRootOfTwo / 101, 102}, Row{"too coarse", 5, 4},
                            Row{"too fine", 1e-30, (1U << 20U) - 2});
  CAPTURE(row.reason);
  CHECK(rotation_step_max(row.resolution) == row.expected);
}

TEST_CASE("Common rotations have the expected steps", "[registry][quantise][sys-38]") {
  constexpr float kHalfRoot = 0.70710678F;
  struct Row {
    const char* reason;
    Quaternion rotation;
    RotationSteps expected;
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const RotationSteps upright{.dropped = 3, .others = {1000, 1000, 1000}};
  const auto row = GENERATE_COPY(
      Row{"upright", {}, upright}, Row{"its negative", {0, 0, 0, -1}, upright},
      Row{"negative zeros", {-0.0F, 0, -0.0F, 1}, upright},
      Row{"longer", {0, 0, 0, 1e30F}, upright}, Row{"shorter", {0, 0, 0, 1e-40F}, upright},
      Row{"all zero", {0, 0, 0, 0}, upright}, Row{"not a number", {kNan, 0, 0, 1}, upright},
      Row{"endless", {0, kInfinity, 0, 1}, upright},
      Row{"about x", {1, 0, 0, 0}, {.dropped = 0, .others = {1000, 1000, 1000}}},
      Row{"against y", {0, -1, 0, 0}, {.dropped = 1, .others = {1000, 1000, 1000}}},
      Row{"a quarter turn",
          {kHalfRoot, 0, 0, kHalfRoot},
          {.dropped = 0, .others = {1000, 1000, 2000}}},
      Row{"the opposite rotation",
          {-kHalfRoot, 0, 0, kHalfRoot},
          {.dropped = 0, .others = {1000, 1000, 0}}});
  CAPTURE(row.reason);
  CHECK(rotation_steps(row.rotation, 2000) == row.expected);
}

TEST_CASE("Every rotation is stable and close to the original", "[registry][quantise][property]") {
  const auto seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  for (const std::uint32_t step_max : {4U, 10U, 100U, 2828U, 11584U, (1U << 20U) - 2}) {
    double farthest = 0;
    for (int round = 0; round < 20000; ++round) {
      const Quaternion rotation{normal(random), normal(random), normal(random), normal(random)};
      check_steps(rotation, step_max);
      const Quaternion back = rotation_of(rotation_steps(rotation, step_max), step_max);
      farthest = std::max(farthest, difference(rotation, back));
    }
    // The limit for the error: half a step for each of three components, from which the fourth
    // component is computed.
    CHECK(farthest * step_max < 4 * kRootOfTwo);
  }
}

TEST_CASE("Rotations with two, three or four equal largest components are stable",
          "[registry][quantise][property]") {
  const auto seed = GENERATE(4U, 5U, 6U);
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const std::uint32_t step_max : {4U, 6U, 50U, 2828U, 11584U, (1U << 20U) - 2}) {
    std::uniform_real_distribution<float> near(-2.5F / static_cast<float>(step_max),
                                               2.5F / static_cast<float>(step_max));
    std::uniform_real_distribution<float> any(-1, 1);
    for (int round = 0; round < 20000; ++round) {
      std::array<float, 4> parts{};
      for (float& part : parts) {
        const bool is_great = random() % 3 != 0;
        const float sign = random() % 2 == 0 ? 1.0F : -1.0F;
        part = is_great ? sign * (1 + near(random)) : any(random);
      }
      check_steps({parts[0], parts[1], parts[2], parts[3]}, step_max);
    }
  }
}

TEST_CASE("Every four integers give a rotation of length one", "[registry][quantise]") {
  for (const std::uint32_t step_max : {4U, 10U, 24U}) {
    for (std::uint32_t code = 0; code < 4 * (step_max + 1) * (step_max + 1) * (step_max + 1);
         ++code) {
      const std::uint32_t side = step_max + 1;
      const RotationSteps steps{
          .dropped = code % 4,
          .others = {code / 4 % side, code / 4 / side % side, code / 4 / side / side}};
      check_steps(rotation_of(steps, step_max), step_max);
    }
  }
  for (const std::uint32_t wild : {0U, 5000U, 2829U, ~0U}) {
    const Quaternion rotation = rotation_of({.dropped = wild, .others = {wild, wild, ~wild}}, 2828);
    CHECK(std::abs(length_of(rotation) - 1) < 1e-6);
    check_steps(rotation, 2828);
  }
}

TEST_CASE("Rotations of a field are converted to four integers each",
          "[registry][quantise][sys-38]") {
  const ComponentDescription everything = description_of<samples::Everything>();
  const FieldDescription& field = *everything.find("rotation");
  REQUIRE(is_smallest_three(field));
  REQUIRE(wire_value_count(field) == 4);
  CHECK(wire_range(field) == WireRange{0, 11584});
  samples::Everything value;
  value.rotation = {0.5F, -0.5F, 0.5F, -0.6F};
  std::vector<std::int64_t> steps(4);
  quantise(field, bytes_of(value), steps);
  CHECK(steps[0] == 3);
  // The number of steps from -1/sqrt(2).
  CHECK(steps[1] == std::llround((-0.5 / 1.0535653752852738 * kRootOfTwo + 1) / 2 * 11584));
  samples::Everything back;
  dequantise(field, steps, samples::writable_bytes_of(back));
  CHECK(difference(value.rotation, back.rotation) < 0.0002);
  const std::vector<std::int64_t> hostile = {-1, std::numeric_limits<std::int64_t>::max(), 1 << 20,
                                             std::numeric_limits<std::int64_t>::min()};
  dequantise(field, hostile, samples::writable_bytes_of(back));
  CHECK(std::abs(length_of(back.rotation) - 1) < 1e-6);
}

TEST_CASE("A rotation without resolution is sent bit by bit", "[registry][quantise]") {
  FieldDescription field;
  field.type = FieldType::quaternion;
  CHECK_FALSE(is_smallest_three(field));
  const Quaternion rotation{0.1F, 2, -3, 0};
  std::vector<std::int64_t> values(4);
  quantise(field, bytes_of(rotation), values);
  Quaternion back;
  dequantise(field, values, samples::writable_bytes_of(back));
  CHECK(back == rotation);
}
