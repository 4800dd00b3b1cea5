#include "registry/components/interpolation.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include "registry/components/comparison.h"
#include "tests/support/described_samples.h"

using namespace muster;
using samples::bytes_of;
using samples::Everything;
using samples::writable_bytes_of;

namespace {

Everything between(const Everything& from, const Everything& to, float fraction) {
  static const ComponentDescription everything = description_of<Everything>();
  Everything out;
  interpolate(everything, bytes_of(from), bytes_of(to), fraction, writable_bytes_of(out));
  return out;
}

float heading_between(float from, float to, float fraction) {
  Everything a;
  Everything b;
  a.heading = from;
  b.heading = to;
  return between(a, b, fraction).heading;
}

}  // namespace

TEST_CASE("Continuous fields are interpolated; other fields change at the end",
          "[registry][interpolate][sys-54]") {
  Everything from;
  Everything to;
  from.v3 = {0, 10, -4};
  to.v3 = {8, 20, 4};
  from.i16 = 10;
  to.i16 = 21;
  from.stance = samples::Stance::standing;
  to.stance = samples::Stance::prone;
  from.path[1] = {0, 0, 0};
  to.path[1] = {0, 4, 0};
  from.slots[1].recoil.angle = 0;
  to.slots[1].recoil.angle = 40;
  const Everything quarter = between(from, to, 0.25F);
  CHECK(quarter.v3 == Vec3{2, 12.5F, -2});
  CHECK(quarter.i16 == 13);
  CHECK(quarter.stance == samples::Stance::standing);
  CHECK(quarter.path[1] == Vec3{0, 1, 0});
  CHECK(quarter.slots[1].recoil.angle == 10);
  CHECK(between(from, to, 0).v3 == from.v3);
  const Everything end = between(from, to, 1);
  CHECK(end.v3 == to.v3);
  CHECK(end.stance == samples::Stance::prone);
}

TEST_CASE("Angles are interpolated along the shorter arc", "[registry][interpolate]") {
  CHECK(heading_between(350, 10, 0.5F) == Approx(0).margin(1e-4));
  CHECK(heading_between(10, 350, 0.75F) == Approx(355));
  CHECK(heading_between(90, 100, 0.5F) == Approx(95));
  CHECK(heading_between(-170, 170, 0.5F) == 180);
  CHECK(heading_between(-179, 179, 0.5F) == 180);
  CHECK(heading_between(0, 359, 1) == Approx(359));
}

struct Circle {
  float degrees = 0;
  float radians = 0;
  double wide = 0;
};
consteval auto describe(Type<Circle>) {
  using enum Interpolation;
  return Describe<Circle>("Circle")
      .field<&Circle::degrees>("degrees", {.unit = "deg", .interpolation = angle})
      .field<&Circle::radians>("radians", {.unit = "rad", .interpolation = angle})
      .field<&Circle::wide>("wide", {.unit = "rad", .interpolation = angle});
}

Circle circle_between(const Circle& from, const Circle& to, float fraction) {
  static const ComponentDescription circle = description_of<Circle>();
  Circle out;
  interpolate(circle, bytes_of(from), bytes_of(to), fraction, writable_bytes_of(out));
  return out;
}

TEST_CASE("An interpolated angle stays in the range of its two values",
          "[registry][interpolate][property]") {
  const auto seed = GENERATE(range(1U, 11U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const float turn = 360;
  const auto half = static_cast<float>(3.141592653589793);
  // Often returns exactly `low` or `high`, for which rounding matters.
  const auto any = [&](float low, float high) {
    const std::array<float, 6> edges = {low,
                                        high,
                                        std::nextafter(low, high),
                                        std::nextafter(high, low),
                                        low + 1e-6F,
                                        (low + high) / 2};
    if (random() % 2 == 0) return edges[random() % edges.size()];
    return std::uniform_real_distribution<float>(low, high)(random);
  };
  for (int round = 0; round < 20000; ++round) {
    const Circle from{any(0, turn), any(-half, half), 0};
    const Circle to{any(0, turn), any(-half, half), 0};
    const float fraction = std::uniform_real_distribution<float>(0.0001F, 0.9999F)(random);
    const Circle between = circle_between(from, to, fraction);
    CAPTURE(from.degrees, to.degrees, from.radians, to.radians, fraction);
    REQUIRE(between.degrees >= 0);
    REQUIRE(between.degrees < turn);
    const bool is_positive = from.radians >= 0 && to.radians >= 0;
    REQUIRE(between.radians >= (is_positive ? 0 : -half));
    REQUIRE((is_positive || between.radians > -half));
    REQUIRE(between.radians <= half);
  }
}

TEST_CASE("Pi and minus pi as floats are the same direction", "[registry][interpolate]") {
  const auto pi = static_cast<float>(3.141592653589793);
  CHECK(circle_between({0, pi, 0}, {0, -3.1F, 0}, 0.5F).radians == Approx(-3.1208).margin(1e-4));
  CHECK(circle_between({0, pi, 0}, {0, -3.1F, 0}, 1).radians == -3.1F);
  const Circle left{0, pi, 0};
  const Circle right{0, -pi, 0};
  CHECK_FALSE(first_difference(description_of<Circle>(), bytes_of(left), bytes_of(right)));
}

struct Numbers {
  float narrow = 0;
  double wide = 0;
};
consteval auto describe(Type<Numbers>) {
  using enum Interpolation;
  return Describe<Numbers>("Numbers")
      .field<&Numbers::narrow>("narrow", {.interpolation = linear})
      .field<&Numbers::wide>("wide", {.interpolation = linear});
}

TEST_CASE("The results at fractions 0 and 1 are exact for all numbers", "[registry][interpolate]") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr double kLargest = std::numeric_limits<double>::max();
  const ComponentDescription numbers = description_of<Numbers>();
  const auto between_numbers = [&](const Numbers& from, const Numbers& to, float fraction) {
    Numbers out;
    interpolate(numbers, bytes_of(from), bytes_of(to), fraction, writable_bytes_of(out));
    return out;
  };
  CHECK(between_numbers({kInfinity, 0}, {kInfinity, 0}, 0.5F).narrow == kInfinity);
  CHECK(between_numbers({1, 0}, {kInfinity, 0}, 0).narrow == 1);
  CHECK(between_numbers({kInfinity, 0}, {1, 0}, 1).narrow == 1);
  // Infinity is not interpolated.
  CHECK(between_numbers({kInfinity, 0}, {1, 0}, 0.5F).narrow == kInfinity);
  CHECK(between_numbers({0, 1e17}, {0, 0.1}, 1).wide == 0.1);
  CHECK(between_numbers({0, -kLargest}, {0, kLargest}, 0.5F).wide == 0);
  CHECK(between_numbers({0, -kLargest}, {0, kLargest}, 1).wide == kLargest);
}

TEST_CASE("Rotations are interpolated along the shorter arc and keep length one",
          "[registry][interpolate]") {
  Everything from;
  Everything to;
  const float half = std::sqrt(0.5F);
  to.rotation = {0, -half, 0, -half};  // A quarter turn about y, negated.
  const Quaternion q = between(from, to, 0.5F).rotation;
  CHECK(q.y == Approx(std::sin(0.3926991)));
  CHECK(q.w == Approx(std::cos(0.3926991)));
  CHECK(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w == Approx(1));
}

TEST_CASE("Interpolated 64-bit integers stay between the two values", "[registry][interpolate]") {
  Everything from;
  Everything to;
  from.i64 = std::numeric_limits<std::int64_t>::min();
  to.i64 = std::numeric_limits<std::int64_t>::max();
  from.u64 = 0;
  to.u64 = std::numeric_limits<std::uint64_t>::max();
  CHECK(between(from, to, 1).u64 == to.u64);
  CHECK(between(from, to, 0).i64 == from.i64);
  CHECK(between(from, to, 0.5F).u64 > to.u64 / 2 - 2);
  CHECK(between(from, to, 0.9999999F).u64 <= to.u64);
}

TEST_CASE("The result of an interpolation may overwrite an input", "[registry][interpolate]") {
  const ComponentDescription everything = description_of<Everything>();
  Everything from;
  Everything to;
  from.v3 = {0, 0, 0};
  to.v3 = {2, 2, 2};
  interpolate(everything, bytes_of(from), bytes_of(to), 0.5F, writable_bytes_of(to));
  CHECK(to.v3 == Vec3{1, 1, 1});
}
