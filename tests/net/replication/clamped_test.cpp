// Values that a game writes outside the ranges of its schema.
#include <algorithm>
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "registry/base/not_finite.h"
#include "tests/support/giants_schema.h"
#include "tests/support/replication_stage.h"

namespace muster {
namespace {

/// The value that clients receive: `kNotFinite` becomes the value nearest to zero, an angle is
/// changed by whole turns, and any other value is set to the nearest end of its range.
std::int64_t expected(const FieldSchema& field, std::uint32_t i, std::int64_t value) {
  const bool is_dropped = field.kind == LaneKind::rotation && i % 4 == 0;
  const std::int64_t high = is_dropped ? 3 : field.high;
  if (value >= field.low && value <= high) return value;
  if (value == kNotFinite) {
    const double zero = field.resolution > 0 ? std::round(-field.minimum / field.resolution) : 0;
    return std::clamp(static_cast<std::int64_t>(zero), field.low, high);
  }
  if (field.period != 0) {
    const auto period = static_cast<std::int64_t>(field.period);
    const std::int64_t turned = ((value % period - field.low % period) % period + period) % period;
    return std::min(field.low + turned, high);
  }
  return value < field.low ? field.low : high;
}

std::vector<std::int64_t> expected(const ReplicationSchema& schema, SchemaType type,
                                   std::vector<std::int64_t> values) {
  std::size_t at = 0;
  for (const SchemaComponent component : schema.type(type).components) {
    for (const FieldSchema& field : schema.component(component).fields) {
      for (std::uint32_t i = 0; i < field.value_count; ++i, ++at) {
        values[at] = expected(field, i, values[at]);
      }
    }
  }
  return values;
}

/// Returns a random value near the ends of the range, or any other value.
std::int64_t any_value(Random& random) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
  switch (random.below(6)) {
    case 0:
      return kLowest + static_cast<std::int64_t>(random.below(3));
    case 1:
      return kHighest - static_cast<std::int64_t>(random.below(3));
    case 2:
      return static_cast<std::int64_t>(random.below(5)) - 2;
    case 3:
      return static_cast<std::int64_t>(random.next());
    default:
      return (static_cast<std::int64_t>(random.below(2'000)) - 1'000)
             << static_cast<int>(random.below(34));
  }
}

}  // namespace

TEST_CASE("Clients receive the nearest valid value for any value that a game writes",
          "[net][replication]") {
  const auto coder = GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman,
                              SnapshotCoder::raw, SnapshotCoder::reference);
  const bool is_large = GENERATE(false, true);
  CAPTURE(coder, is_large);
  ReplicationStage stage(11, {.snapshot_ticks = 1, .coder = coder},
                         is_large ? samples::giants_schema() : replication_samples_schema());
  const ReplicationSchema& schema = stage.server.world().schema();
  ReplicationStage::Client& owner = stage.join({}, {}, {.player = PlayerId{2}});
  ReplicationStage::Client& other = stage.join({}, {}, {.player = PlayerId{3}});
  const SchemaType type{static_cast<std::uint16_t>(is_large ? 1 : 0)};
  stage.step([&] {
    for (std::uint32_t id = 1; id <= 4; ++id) {
      stage.spawn(NetworkId{id},
                  {.type = type, .owner = PlayerId{2}, .relevance = Relevance::always});
    }
  });
  stage.run(30);
  Random random(12);
  std::vector<std::int64_t> written;
  for (int tick = 0; tick < 60; ++tick) {
    stage.step([&] {
      written = stage.values[NetworkId{2}];
      const std::uint64_t changes = 1 + random.below(4);
      for (std::uint64_t i = 0; i < changes; ++i) {
        written[random.below(written.size())] = any_value(random);
      }
      stage.server.world().set(NetworkId{2}, written);
      stage.values[NetworkId{2}] = expected(schema, type, written);
      stage.stir(NetworkId{3});
    });
  }
  // A new entity may also have values outside their ranges.
  stage.step([&] {
    for (std::int64_t& value : written) value = any_value(random);
    stage.server.world().spawn(NetworkId{9}, {.type = type, .relevance = Relevance::always},
                               written);
    stage.values[NetworkId{9}] = expected(schema, type, written);
  });
  stage.run(60);
  CHECK(stage.difference(owner, PlayerId{2}) == "");
  CHECK(stage.difference(other, PlayerId{3}) == "");
  for (const auto& client : stage.clients) {
    CHECK(client->replication->counters().malformed == 0);
    CHECK(client->replication->counters().divergences == 0);
    CHECK(client->replication->counters().resyncs == 0);
  }
  CHECK(stage.server.world().clamped().count() > 60);
}

TEST_CASE("A value outside its range is counted, and each field of a type is reported once",
          "[net][replication]") {
  ReplicationStage stage(3);
  stage.step([&] {
    stage.spawn(NetworkId{5}, {.type = SchemaType{0}});
    stage.spawn(NetworkId{6}, {.type = SchemaType{1}});
    stage.spawn(NetworkId{7}, {.type = SchemaType{0}});
  });
  CHECK(stage.server_log.clamped_values.empty());
  const auto write = [&](std::uint32_t id, std::size_t at, std::int64_t value) {
    stage.values[NetworkId{id}][at] = value;
    stage.server.world().set(NetworkId{id}, stage.values[NetworkId{id}]);
  };
  stage.step([&] { write(5, 8, 201); });
  stage.step([&] { write(7, 8, -1); });
  stage.step([&] { write(5, 2, 100'001); });
  stage.step([&] { write(6, 2, 100'001); });
  stage.step([&] { write(6, 4, 4); });
  const DivergenceList& log = stage.server_log;
  CHECK(log.clamped_fields == std::vector<std::string>{"Health.points", "Motion.position",
                                                       "Motion.position", "Motion.turn"});
  REQUIRE(log.clamped_values.size() == 4);
  CHECK(log.clamped_values[0].id == NetworkId{5});
  CHECK(log.clamped_values[0].type == TypeId(7));
  CHECK(log.clamped_values[0].value == 201);
  CHECK(log.clamped_values[0].high == 200);
  CHECK(log.clamped_values[2].id == NetworkId{6});
  CHECK(log.clamped_values[2].type == TypeId(900));
  CHECK(stage.server.world().clamped().count() == 1 + 1 + 2 + 1 + 2);
  CHECK(stage.server.world().clamped().fields()[0].count == 3);
}

}  // namespace muster
