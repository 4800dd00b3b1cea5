#include "registry/components/quantisation.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/not_finite.h"
#include "registry/components/describe.h"
#include "registry/components/lanes.h"
#include "tests/support/described_samples.h"

using namespace muster;
using samples::bytes_of;
using samples::Everything;
using samples::writable_bytes_of;

namespace {

enum class Huge : std::uint64_t { no, yes };
constexpr std::array<std::string_view, 2> kHuge = {"no", "yes"};
struct Gauge {
  Huge huge = Huge::no;
  float level = 1;
  double depth = 1;
  Quaternion turn{};
};

consteval auto describe(Type<Gauge>) {
  return Describe<Gauge>("Gauge")
      .field<&Gauge::huge>("huge", {.names = kHuge})
      .field<&Gauge::level>("level", {.minimum = 0, .maximum = 100})
      .field<&Gauge::depth>("depth", {.minimum = -2.5, .maximum = 100})
      .field<&Gauge::turn>("turn", {.resolution = 0.001});
}

std::vector<std::int64_t> unbounded(const FieldDescription& field, Bytes component) {
  std::vector<std::int64_t> out(wire_value_count(field));
  quantise_unbounded(field, component, out);
  return out;
}

std::vector<std::int64_t> quantised(const FieldDescription& field, const Everything& value) {
  std::vector<std::int64_t> out(wire_value_count(field));
  quantise(field, bytes_of(value), out);
  return out;
}

const ComponentDescription& description() {
  static const ComponentDescription everything = description_of<Everything>();
  return everything;
}

}  // namespace

TEST_CASE("Values are converted to steps of their range, and clamped to it",
          "[registry][quantise][sys-38]") {
  struct Row {
    const char* reason;
    const char* field;
    void (*set)(Everything&);
    std::int64_t expected;
  };
  using E = Everything;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto row =
      GENERATE_COPY(Row{"least", "v3", [](E& e) { e.v3.x = -2048; }, 0},
                    Row{"zero", "v3", [](E& e) { e.v3.x = 0; }, 2048000},
                    Row{"largest", "v3", [](E& e) { e.v3.x = 2048; }, 4096000},
                    Row{"below", "v3", [](E& e) { e.v3.x = -1e30F; }, 0},
                    Row{"above", "v3", [](E& e) { e.v3.x = kInfinity; }, 4096000},
                    Row{"not a number", "v3", [](E& e) { e.v3.x = kNan; }, 2048000},
                    Row{"exactly half a step", "heading", [](E& e) { e.heading = 0.125F; }, 1},
                    Row{"less than half a step", "heading", [](E& e) { e.heading = 0.12F; }, 0},
                    Row{"without range", "coarse", [](E& e) { e.coarse = -10; }, -40},
                    Row{"far away", "coarse", [](E& e) { e.coarse = -kInfinity; }, -2147483392},
                    Row{"integer", "i32", [](E& e) { e.i32 = 15; }, 203},
                    Row{"integer between two steps", "i32", [](E& e) { e.i32 = 13; }, 203},
                    Row{"integer outside", "i32", [](E& e) { e.i32 = 1 << 30; }, 400},
                    Row{"exact integer", "u64", [](E& e) { e.u64 = ~std::uint64_t{0}; }, -1},
                    Row{"exact zero", "exact", [](E& e) { e.exact = 0; }, 0},
                    Row{"exact least", "exact",
                        [](E& e) { e.exact = std::numeric_limits<float>::denorm_min(); }, 1},
                    Row{"flag", "flag", [](E& e) { e.flag = false; }, 0});
  CAPTURE(row.reason);
  Everything value;
  row.set(value);
  CHECK(quantised(*description().find(row.field), value).front() == row.expected);
}

TEST_CASE("A number without a name becomes the nearest number with a name",
          "[registry][quantise]") {
  const FieldDescription& stance = *description().find("stance");
  CHECK(wire_range(stance) == WireRange{0, 2});
  Everything value;
  value.stance = static_cast<samples::Stance>(9);
  CHECK(quantised(stance, value).front() == 2);
  CHECK(unbounded(stance, bytes_of(value)).front() == 9);
  const ComponentDescription gauge = description_of<Gauge>();
  const FieldDescription& huge = *gauge.find("huge");
  for (const std::uint64_t number : {std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    Gauge far;
    far.huge = static_cast<Huge>(number);
    const Bytes bytes = std::as_bytes(std::span(&far, 1));
    std::vector<std::int64_t> out(1);
    quantise(huge, bytes, out);
    CHECK(out.front() == 1);
    CHECK(unbounded(huge, bytes).front() == std::int64_t{1} << 62);
  }
}

TEST_CASE("An exact float with a range is clamped to the range", "[registry][quantise]") {
  const ComponentDescription gauge = description_of<Gauge>();
  const auto sent = [&](const char* field, const Gauge& value) {
    const FieldDescription& described = *gauge.find(field);
    std::vector<std::int64_t> out(wire_value_count(described));
    const Bytes bytes = std::as_bytes(std::span(&value, 1));
    quantise(described, bytes, out);
    const WireRange range = wire_range(described);
    const std::int64_t exact = unbounded(described, bytes).front();
    CHECK((exact == out.front()) == (exact >= range.low && exact <= range.high));
    Gauge received;
    dequantise(described, out, std::as_writable_bytes(std::span(&received, 1)));
    return received;
  };
  const double value = GENERATE(-1e300, -500.0, -2.5, -0.0, 0.0, 0.1, 99.9, 100.0, 1e30);
  CAPTURE(value);
  const double near = std::clamp(value, -2.5, 100.0);
  CHECK(sent("level", {.level = static_cast<float>(value)}).level ==
        static_cast<float>(std::clamp(value, 0.0, 100.0)));
  CHECK(sent("depth", {.depth = value}).depth == near);
  CHECK(sent("level", {.level = std::numeric_limits<float>::quiet_NaN()}).level == 0);
  CHECK(sent("depth", {.depth = std::numeric_limits<double>::quiet_NaN()}).depth == 0);
}

TEST_CASE("Without bounds, values that no step is near to have their own integer",
          "[registry][quantise]") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Everything value;
  value.v3 = {kNan, kInfinity, 0};
  value.coarse = kNan;
  value.heading = -kInfinity;
  value.exact = kNan;
  const auto first = [&](const char* field) {
    return unbounded(*description().find(field), bytes_of(value)).front();
  };
  CHECK(first("v3") == kNotFinite);
  CHECK(unbounded(*description().find("v3"), bytes_of(value))[1] == std::int64_t{1} << 62);
  CHECK(first("coarse") == kNotFinite);
  CHECK(first("heading") == kNotFinite);
  CHECK(first("exact") != kNotFinite);  // NaN is sent exactly.
  const ComponentDescription gauge = description_of<Gauge>();
  Gauge nan;
  nan.level = kNan;
  nan.turn = {kNan, 0, 0, 1};
  const Bytes bytes = std::as_bytes(std::span(&nan, 1));
  CHECK(unbounded(*gauge.find("level"), bytes).front() == kNotFinite);
  CHECK(unbounded(*gauge.find("turn"), bytes)[1] == kNotFinite);
}

TEST_CASE("Steps without a range are limited by a lane of 32 bits, or by their type",
          "[registry][quantise]") {
  struct Row {
    const char* reason;
    FieldType type;
    std::uint32_t element_bytes;
    double resolution;
    WireRange expected;
  };
  using enum FieldType;
  constexpr std::int64_t kInt32Max = 2147483647;
  constexpr std::int64_t kFar = 2147483392;
  constexpr std::int64_t kExact = std::int64_t{1} << 53U;
  const auto row = GENERATE_COPY(Row{"a float", float32, 4, 0.25, {-kFar, kFar}},
                                 Row{"a vector", vec3, 12, 0.125, {-kFar, kFar}},
                                 Row{"a float's end", float32, 4, 1e38, {-3, 3}},
                                 Row{"a double", float64, 8, 0.25, {-kExact, kExact}},
                                 Row{"a double's end", float64, 8, 1e308, {-2, 2}},
                                 Row{"a byte of fives", int8, 1, 5, {-26, 25}},
                                 Row{"all of a type", uint32, 4, 1, {0, 4294967295}},
                                 Row{"with signs", int32, 4, 1, {-kInt32Max - 1, kInt32Max}},
                                 Row{"64 bits", int64, 8, 2, {-kExact, kExact}},
                                 Row{"no sign", uint64, 8, 1, {0, kExact}});
  CAPTURE(row.reason);
  FieldDescription field;
  field.type = row.type;
  field.element_bytes = row.element_bytes;
  field.resolution = row.resolution;
  CHECK(wire_range(field) == row.expected);
  std::array<std::byte, 16> value{};
  std::vector<std::int64_t> steps(wire_value_count(field));
  for (const std::int64_t end : {row.expected.low, row.expected.high}) {
    dequantise(field, std::vector<std::int64_t>(steps.size(), end), value);
    quantise(field, value, steps);
    CHECK(steps == std::vector<std::int64_t>(steps.size(), end));
  }
}

TEST_CASE("The extreme steps of floats are stable for any resolution",
          "[registry][quantise][property]") {
  FieldDescription field;
  field.type = FieldType::float32;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-40, 38);
  for (int round = 0; round < 20000; ++round) {
    field.resolution = std::pow(10.0, exponent(random));
    const WireRange range = wire_range(field);
    CAPTURE(field.resolution, range.high);
    REQUIRE(range.high < std::int64_t{1} << 31U);
    for (const std::int64_t end : {range.low, range.high}) {
      float value = 0;
      dequantise(field, std::vector{end}, writable_bytes_of(value));
      std::vector<std::int64_t> steps(1);
      quantise(field, bytes_of(value), steps);
      REQUIRE(steps.front() == end);
    }
  }
}

TEST_CASE("Bits of exact floats have the same order as the floats", "[registry][quantise]") {
  const FieldDescription& field = *description().find("exact");
  const float values[] = {
      -std::numeric_limits<float>::infinity(), -3e38F, -1, -1e-40F, 0, 1e-40F, 1, 1.0000001F, 3e38F,
      std::numeric_limits<float>::infinity()};
  Everything value;
  std::int64_t before = std::numeric_limits<std::int64_t>::min();
  for (const float exact : values) {
    value.exact = exact;
    CAPTURE(exact);
    CHECK(quantised(field, value).front() > before);
    before = quantised(field, value).front();
  }
}

TEST_CASE("Quantising is stable: a second round trip changes nothing",
          "[registry][quantise][property]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    Everything value;
    for (std::byte& byte : writable_bytes_of(value)) byte = static_cast<std::byte>(random());
    // Cooked values: a bool is 0 or 1, and the bytes after a text are zero.
    const std::byte flag = static_cast<std::byte>(random() & 1U);
    writable_bytes_of(value)[offsetof(Everything, flag)] = flag;
    std::fill(std::ranges::find(value.label.bytes, '\0'), value.label.bytes.end(), '\0');
    if (round % 2 == 0) {  // Realistic values in half of the rounds.
      std::uniform_real_distribution<float> near(-2100, 2100);
      value.v3 = {near(random), near(random), near(random)};
      value.coarse = near(random);
      value.heading = near(random);
      value.wide = static_cast<double>(near(random)) / 500;
    }
    for (const FieldDescription& field : description().fields) {
      const auto steps = quantised(field, value);
      const WireRange range = wire_range(field);
      for (const std::int64_t step : steps) REQUIRE((step >= range.low && step <= range.high));
      Everything back = value;
      dequantise(field, steps, writable_bytes_of(back));
      CAPTURE(field.name, round);
      REQUIRE(quantised(field, back) == steps);
      if (field.resolution == 0 && field.names.empty()) {
        REQUIRE(std::memcmp(bytes_of(back).data() + field.offset_bytes,
                            bytes_of(value).data() + field.offset_bytes,
                            field.count * field.element_bytes) == 0);
      }
    }
  }
}

TEST_CASE("Every step of a range is a distinct value", "[registry][quantise][property]") {
  for (const char* name : {"wide", "heading", "i32", "recoil.kicks", "v3"}) {
    const FieldDescription& field = *description().find(name);
    const WireRange range = wire_range(field);
    CAPTURE(name, range.high);
    std::vector<std::int64_t> steps(wire_value_count(field));
    Everything value;
    const std::int64_t stride = std::max<std::int64_t>(1, (range.high - range.low) / 100003);
    for (std::int64_t step = range.low; step <= range.high; step += stride) {
      std::ranges::fill(steps, step);
      dequantise(field, steps, writable_bytes_of(value));
      REQUIRE(quantised(field, value) == steps);
    }
  }
}

TEST_CASE("A quantised value differs from the original by at most half a step",
          "[registry][quantise][property]") {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> inside(-2048, 2048);
  const FieldDescription& field = *description().find("v3");
  for (int round = 0; round < 10000; ++round) {
    Everything value;
    value.v3 = {inside(random), inside(random), inside(random)};
    Everything back;
    dequantise(field, quantised(field, value), writable_bytes_of(back));
    const double float_step = 0.000123;  // Step of a float near 2048, rounded up.
    REQUIRE(std::abs(double{back.v3.x} - double{value.v3.x}) <= 0.0005 + float_step);
  }
}

TEST_CASE("A bool is sent as 0 or 1, for any byte", "[registry][quantise]") {
  const FieldDescription& field = *description().find("flag");
  Everything value;
  for (const unsigned byte : {0U, 1U, 2U, 255U}) {
    writable_bytes_of(value)[offsetof(Everything, flag)] = static_cast<std::byte>(byte);
    CAPTURE(byte);
    CHECK(quantised(field, value).front() == (byte == 0 ? 0 : 1));
  }
}

TEST_CASE("Bytes after the end of a text are not sent", "[registry][quantise]") {
  const FieldDescription& field = *description().find("label");
  Everything value;
  value.label = {{'h', 'i', '\0', 'x', 'y'}};
  Everything same;
  same.label = {{'h', 'i'}};
  CHECK(value.label == same.label);
  const std::vector<std::int64_t> steps = quantised(field, value);
  CHECK(steps == quantised(field, same));
  std::vector<std::int64_t> hostile = steps;
  hostile[5] = 'z';
  dequantise(field, hostile, writable_bytes_of(value));
  CHECK(value.label.bytes == same.label.bytes);
}

TEST_CASE("Integers from the network are clamped to their range", "[registry][quantise]") {
  Everything value;
  for (const FieldDescription& field : description().fields) {
    for (const std::int64_t hostile :
         {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
          std::int64_t{-1}, std::int64_t{1} << 40}) {
      const std::vector<std::int64_t> steps(wire_value_count(field), hostile);
      dequantise(field, steps, writable_bytes_of(value));
      if (is_smallest_three(field)) continue;  // See rotation_steps_test.cpp.
      const WireRange range = wire_range(field);
      CAPTURE(field.name, hostile);
      CHECK(quantised(field, value).front() == std::clamp(hostile, range.low, range.high));
    }
  }
  CHECK(bytes_of(value)[offsetof(Everything, flag)] <= std::byte{1});
}
