// A short recording that uses every record of its format, with names that could break an HTML page.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "net/replication/recording.h"

namespace muster::samples {

inline ReplicationSchema recorded_schema() {
  ReplicationSchema schema;
  schema.components.push_back(
      {.name = "Motion",
       .fields = {
           {.name = "position", .value_count = 2, .low = -1'000, .high = 1'000},
           {.name = "heading", .low = 0, .high = 359, .kind = LaneKind::angle, .period = 360}}});
  schema.components.push_back(
      {.name = "Health", .fields = {{.name = "points", .low = 0, .high = 200}}});
  schema.components.push_back(
      {.name = "Zone & <i>",
       .fields = {{.name = "</script><b title=\"x\">", .low = 0, .high = 9}}});
  schema.types.push_back({.id = TypeId(7), .components = {SchemaComponent{0}, SchemaComponent{1}}});
  schema.types.push_back({.id = TypeId(900), .components = {SchemaComponent{2}}});
  return schema;
}

/// Returns the bytes of tests/golden/net/sample.mrec: forty ticks of six entities. The entities are
/// coded with an untrained model, so that training does not change the bytes.
inline std::vector<std::byte> sample_recording() {
  const ReplicationSchema schema = recorded_schema();
  const TypeViews views(schema);
  ReplicatedWorld world(schema, views);
  RecordingWriter writer({.keyframe_ticks = 15, .coder = SnapshotCoder::raw}, schema);
  writer.begin_map(std::as_bytes(std::span(std::string_view("a map"))));
  for (std::uint32_t tick = 1; tick <= 40; ++tick) {
    world.begin(Tick(tick));
    for (std::uint32_t i = 1; i <= 6; ++i) {
      const NetworkId id{i};
      const std::int64_t now = tick;
      const bool is_zone = i == 6;
      std::vector<std::int64_t> values = {(now * now / 3 + i) % 900, -now * i, now * 5 % 360,
                                          200 - now / 4};
      if (is_zone) values = {now / 9};
      if (tick == 1) {
        world.spawn(id, {.type = SchemaType{static_cast<std::uint16_t>(is_zone ? 1 : 0)}}, values);
      } else if (world.find(id) != nullptr) {
        world.set(id, values);
      }
    }
    if (tick == 20) world.despawn(NetworkId{3});
    if (tick == 25)
      writer.add_event(Tick(tick), std::as_bytes(std::span(std::string_view("bang"))));
    writer.add(world);
  }
  writer.finish();
  return {writer.pending().begin(), writer.pending().end()};
}

}  // namespace muster::samples
