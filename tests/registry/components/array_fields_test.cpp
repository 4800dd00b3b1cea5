// Tests that each function that uses descriptions handles all elements of an array, for each type.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/components/comparison.h"
#include "registry/components/interpolation.h"
#include "registry/components/quantisation.h"
#include "tests/support/array_samples.h"

using namespace muster;
using samples::Arrays;
using samples::bytes_of;
using samples::other_arrays;
using samples::writable_bytes_of;

namespace {

const ComponentDescription& description() {
  static const ComponentDescription arrays = description_of<Arrays>();
  return arrays;
}

}  // namespace

TEST_CASE("Arrays of every type are unchanged after a round trip through JSON",
          "[registry][component]") {
  const std::vector<ComponentDescription> all = {description()};
  const auto back = components_from_json(components_to_json(all));
  REQUIRE(back);
  CHECK(back.value().at(0).hash() == description().hash());
  CHECK(back.value().at(0).default_value == description().default_value);
}

TEST_CASE("Arrays of every type are sent element by element", "[registry][quantise]") {
  const Arrays value = other_arrays();
  Arrays arrived;
  for (const FieldDescription& field : description().fields) {
    std::vector<std::int64_t> steps(wire_value_count(field));
    quantise(field, bytes_of(value), steps);
    dequantise(field, steps, writable_bytes_of(arrived));
  }
  const auto difference = first_difference(description(), bytes_of(arrived), bytes_of(value));
  CHECK((difference ? difference->to_string() : "") == "");
  CHECK(hash_fields(description(), bytes_of(arrived)) ==
        hash_fields(description(), bytes_of(value)));
}

TEST_CASE("A difference in any element of an array is found and changes the hash",
          "[registry][compare]") {
  const Arrays value;
  const Arrays other = other_arrays();
  for (const FieldDescription& field : description().fields) {
    const std::size_t element_bytes = field.element_bytes;
    for (std::size_t i = 0; i < field.count; ++i) {
      CAPTURE(field.name, i);
      Arrays changed = value;
      const std::size_t at = field.offset_bytes + i * element_bytes;
      std::memcpy(&writable_bytes_of(changed)[at], &bytes_of(other)[at], element_bytes);
      const auto difference = first_difference(description(), bytes_of(changed), bytes_of(value));
      REQUIRE(difference);
      CHECK(difference->to_string().find(field.name + "[" + std::to_string(i) + "]") !=
            std::string::npos);
      CHECK(hash_fields(description(), bytes_of(changed)) !=
            hash_fields(description(), bytes_of(value)));
    }
  }
}

TEST_CASE("Elements of arrays are interpolated by the rule of the field",
          "[registry][interpolate]") {
  const Arrays from;
  const Arrays to = other_arrays();
  Arrays half = to;
  interpolate(description(), bytes_of(from), bytes_of(to), 0.5F, writable_bytes_of(half));
  CHECK(half.longs == std::array<std::int64_t, 2>{-51, 51});
  CHECK(half.doubles[0] == Approx(5.1));
  CHECK(half.doubles[1] == Approx(4.8));
  CHECK(half.points[0] == Vec2{6, 7});
  CHECK(half.points[1] == Vec2{0, 0});
  for (const Quaternion& turn : half.turns) {
    CHECK(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z + turn.w * turn.w == Approx(1));
    CHECK(turn.w == Approx(std::sqrt(0.5)));
  }
  CHECK(half.turns[0].x == Approx(std::sqrt(0.5)));
  CHECK(half.turns[1].y == Approx(std::sqrt(0.5)));
  for (const float heading : half.headings) CHECK(std::remainder(heading, 360) == Approx(0));
  CHECK(half.flags == from.flags);
  CHECK(std::ranges::equal(half.labels, from.labels));
  CHECK(std::ranges::equal(half.targets, from.targets));
  CHECK(std::ranges::equal(half.models, from.models));
  CHECK(half.stances == from.stances);
}
