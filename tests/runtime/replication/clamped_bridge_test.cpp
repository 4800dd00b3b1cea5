// Components whose values are outside the ranges in their descriptions.
#include <array>
#include <limits>

#include <catch2/catch.hpp>

#include "registry/components/describe.h"
#include "tests/support/bridge_stage.h"
#include "tests/support/described_samples.h"

namespace muster {
namespace {

using samples::BridgeBuild;
using samples::BridgeStage;
using samples::kCrateType;

struct Gauge {
  float level = 5;
  std::int32_t count = 3;
};

consteval auto describe(Type<Gauge>) {
  return Describe<Gauge>("Gauge")
      .field<&Gauge::level>("level", {.minimum = 0, .maximum = 100, .resolution = 0.5})
      .field<&Gauge::count>("count", {.minimum = -7, .maximum = 7});
}

}  // namespace

TEST_CASE("A component's value outside its range is clamped, counted and reported",
          "[runtime][replication]") {
  BridgeBuild build;
  const ComponentDescription description = description_of<Gauge>();
  const Gauge value{};
  const Bytes bytes = samples::bytes_of(value);
  build.components.push_back(description);
  build.crate.push_back(
      {.type = description.name,
       .document = {},
       .cooked = CookedComponent{description.hash(), {bytes.begin(), bytes.end()}}});
  BridgeStage stage({.server = build, .client = build, .checksum_interval = 1});
  const auto gauge = stage.world.component<Gauge>("Gauge");
  const auto seen = stage.client_world.component<Gauge>("Gauge");
  const EntityId crate = stage.spawn(20, kCrateType);
  stage.run(30);
  CHECK(stage.server_log.clamped_fields.empty());
  for (const float level : {101.0F, -0.75F, 1e30F, std::numeric_limits<float>::infinity()}) {
    stage.world.get(gauge, crate)->level = level;
    stage.run(30);
    REQUIRE(stage.received(seen, 20) != nullptr);
    CHECK(stage.received(seen, 20)->level == (level > 0 ? 100 : 0));
  }
  stage.world.get(gauge, crate)->count = 8;
  stage.run(30);
  CHECK(stage.received(seen, 20)->count == 7);
  CHECK(stage.server_log.clamped_fields == std::vector<std::string>{"Gauge.level", "Gauge.count"});
  CHECK(stage.server_log.all.empty());
  CHECK(stage.client.counters().malformed == 0);
  CHECK(stage.client.counters().divergences == 0);
  // The values that the sender reports equal the client's values.
  std::vector<std::int64_t> values(
      stage.types.schema.value_count(*stage.types.schema.find_type(kCrateType)));
  REQUIRE(stage.sender.values({20}, values));
  CHECK(stage.server.world().clamped().count() >= 5);
}

}  // namespace muster
