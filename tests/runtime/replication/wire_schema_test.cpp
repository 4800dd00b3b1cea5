#include "runtime/replication/wire_schema.h"

#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/components/comparison.h"
#include "tests/support/described_samples.h"

using namespace muster;
using samples::bytes_of;
using samples::Everything;

TEST_CASE("A wire schema is derived from the description", "[runtime][schema][sys-39][sys-40]") {
  const ComponentSchema schema = wire_schema(description_of<Everything>());
  CHECK(schema.name == "Everything");
  const auto field = [&](const char* name) {
    const auto found = std::ranges::find(schema.fields, name, &FieldSchema::name);
    REQUIRE(found != schema.fields.end());
    return *found;
  };
  CHECK(field("v3").value_count == 3);
  CHECK(field("v3").high == 4096000);
  CHECK(field("v3").kind == LaneKind::number);
  CHECK(field("label").receivers == Receivers::owner);
  CHECK(field("recoil.angle").receivers == Receivers::all_but_owner);
  CHECK(field("heading").period == 1440);
  CHECK(field("flag").high == 1);
  CHECK(field("flag").kind == LaneKind::symbol);
  CHECK(field("v2").kind == LaneKind::number);  // exact floats have no even steps
  CHECK(field("model").value_count == 2);
  CHECK(field("blob").value_count == 4);
  CHECK(field("path").value_count == 6);
}

TEST_CASE("The kind of a value is derived from the description", "[runtime][schema][sys-39]") {
  struct Row {
    const char* reason;
    const char* field;
    LaneKind kind;
    std::int64_t low;
    std::int64_t high;
  };
  using enum LaneKind;
  constexpr std::int64_t kInt32 = 2147483647;
  const auto row = GENERATE_COPY(
      Row{"a flag", "flag", symbol, 0, 1}, Row{"an enumeration", "stance", symbol, 0, 2},
      Row{"an entity", "target", symbol, -kInt32 - 1, kInt32},
      Row{"a text", "label", opaque, 0, 255},
      Row{"an asset", "model", opaque, std::numeric_limits<std::int64_t>::min(),
          std::numeric_limits<std::int64_t>::max()},
      Row{"a tick", "u32", tick, 0, 4294967295}, Row{"an integer", "i16", number, -32768, 32767},
      Row{"an angle in steps", "heading", angle, 0, 1440},
      Row{"a rotation in steps", "rotation", rotation, 0, 11584},
      Row{"steps without range", "coarse", number, -2147483392, 2147483392},
      Row{"exact numbers", "exact", number, -kInt32 - 1, kInt32},
      Row{"numbers in an array", "path", number, -kInt32 - 1, kInt32});
  CAPTURE(row.reason);
  const ComponentSchema schema = wire_schema(description_of<Everything>());
  const auto field = std::ranges::find(schema.fields, row.field, &FieldSchema::name);
  REQUIRE(field != schema.fields.end());
  CHECK(field->kind == row.kind);
  CHECK(field->low == row.low);
  CHECK(field->high == row.high);
  CHECK((field->period != 0) == (row.kind == angle));
}

TEST_CASE("Angles and ticks that are not whole are numbers", "[runtime][schema]") {
  ComponentDescription component{.name = "Moods", .fields = {}, .default_value = {}};
  FieldDescription& field = component.fields.emplace_back();
  field.type = FieldType::float32;
  field.unit = "tick";
  CHECK(wire_schema(component).fields[0].kind == LaneKind::number);
  field.unit = "deg";
  field.interpolation = Interpolation::angle;
  CHECK(wire_schema(component).fields[0].kind == LaneKind::number);
  field.resolution = 0.5;
  CHECK(wire_schema(component).fields[0].kind == LaneKind::angle);
  field.type = FieldType::quaternion;
  field.interpolation = Interpolation::shortest_arc;
  field.resolution = 0;
  CHECK(wire_schema(component).fields[0].kind == LaneKind::number);
}

TEST_CASE("A rotation's schema contains the meaning of its steps", "[runtime][schema]") {
  const ComponentSchema schema = wire_schema(description_of<Everything>());
  const auto field = std::ranges::find(schema.fields, "rotation", &FieldSchema::name);
  REQUIRE(field != schema.fields.end());
  const double last = field->minimum + static_cast<double>(field->high) * field->resolution;
  CHECK(field->minimum == Approx(-0.70710678));
  CHECK(last == Approx(0.70710678));
}

TEST_CASE("A component arrives within its resolutions", "[runtime][schema][sys-38]") {
  const ComponentDescription everything = description_of<Everything>();
  Everything sent;
  sent.v3 = {1.2345F, -99.9F, 0};
  sent.u64 = ~std::uint64_t{0};
  sent.label = {{'h', 'i'}};
  sent.slots[1].recoil.kicks = -7;
  std::vector<std::int64_t> values(wire_schema(everything).value_count());
  to_wire(everything, bytes_of(sent), values);
  Everything received;
  from_wire(everything, values, samples::writable_bytes_of(received));
  CHECK(received.u64 == sent.u64);
  CHECK(received.label == sent.label);
  CHECK(received.slots[1].recoil.kicks == -7);
  CHECK(received.i32 == -30);  // steps of five
  sent.i32 = received.i32;
  sent.wide = received.wide;
  const auto difference = first_difference(everything, bytes_of(sent), bytes_of(received));
  CHECK_FALSE(difference.has_value());
}
