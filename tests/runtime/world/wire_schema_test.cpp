#include "runtime/world/wire_schema.h"

#include <vector>

#include <catch2/catch.hpp>

#include "registry/vocabulary/comparison.h"
#include "tests/support/described_samples.h"

using namespace muster;
using samples::bytes_of;
using samples::Everything;

TEST_CASE("A wire schema follows from the description", "[runtime][schema][sys-39][sys-40]") {
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
  CHECK(field("label").receivers == SchemaReceivers::owner);
  CHECK(field("recoil.angle").receivers == SchemaReceivers::all_but_owner);
  CHECK(field("heading").period == 1440);
  CHECK(field("flag").high == 1);
  CHECK(field("flag").kind == LaneKind::symbol);
  CHECK(field("v2").kind == LaneKind::number);  // exact floats have no even steps
  CHECK(field("model").value_count == 2);
  CHECK(field("blob").value_count == 4);
}

TEST_CASE("A component travels and arrives within its resolutions", "[runtime][schema][sys-38]") {
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
