#include "registry/vocabulary/interpolation.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

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

TEST_CASE("Continuous fields move, the others hold until the end",
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
  CHECK(quarter.i16 == 13);  // 12.75
  CHECK(quarter.stance == samples::Stance::standing);
  CHECK(quarter.path[1] == Vec3{0, 1, 0});
  CHECK(quarter.slots[1].recoil.angle == 10);
  CHECK(between(from, to, 0).v3 == from.v3);
  const Everything end = between(from, to, 1);
  CHECK(end.v3 == to.v3);
  CHECK(end.stance == samples::Stance::prone);
}

TEST_CASE("Angles go the short way round", "[registry][interpolate]") {
  CHECK(heading_between(350, 10, 0.5F) == Approx(0).margin(1e-4));
  CHECK(heading_between(10, 350, 0.75F) == Approx(355));
  CHECK(heading_between(90, 100, 0.5F) == Approx(95));
  CHECK(heading_between(-170, 170, 0.5F) == Approx(-180));
  CHECK(heading_between(0, 359, 1) == Approx(359));
}

TEST_CASE("Rotations go the short way round and stay rotations", "[registry][interpolate]") {
  Everything from;
  Everything to;
  const float half = std::sqrt(0.5F);
  to.rotation = {0, -half, 0, -half};  // a quarter turn about y, spelt the other way
  const Quaternion q = between(from, to, 0.5F).rotation;
  CHECK(q.y == Approx(std::sin(0.3926991)));
  CHECK(q.w == Approx(std::cos(0.3926991)));
  CHECK(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w == Approx(1));
}

TEST_CASE("Integers of 64 bits never leave their ends", "[registry][interpolate]") {
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

TEST_CASE("The result may take the place of an end", "[registry][interpolate]") {
  const ComponentDescription everything = description_of<Everything>();
  Everything from;
  Everything to;
  from.v3 = {0, 0, 0};
  to.v3 = {2, 2, 2};
  interpolate(everything, bytes_of(from), bytes_of(to), 0.5F, writable_bytes_of(to));
  CHECK(to.v3 == Vec3{1, 1, 1});
}
