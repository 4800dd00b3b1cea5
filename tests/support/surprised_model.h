// Entities that do not fit into a datagram, because their values differ completely from the model's
// training data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "net/replication/type_views.h"
#include "net/snapshot/model_file.h"
#include "net/snapshot/probability_scale.h"

namespace muster::samples {

/// Returns a schema of two types: a small type, and a type with `count` bytes. 150 bytes fit into
/// one slice, and 300 bytes into two.
inline ReplicationSchema surprise_schema(std::uint32_t count = 150) {
  ReplicationSchema schema;
  schema.components.push_back(
      {.name = "Plain", .fields = {{.name = "value", .low = 0, .high = 1'000}}});
  schema.components.push_back(
      {.name = "Surprise",
       .fields = {{.name = "numbers", .value_count = count, .low = 0, .high = 0xFF}}});
  schema.types.push_back({.id = TypeId(1), .components = {SchemaComponent{0}}});
  schema.types.push_back({.id = TypeId(77), .components = {SchemaComponent{1}}});
  return schema;
}

/// Returns a model file for this schema, as if all values of the second type were zero in the
/// training data. So the value 0xFF needs about twenty bytes.
inline std::vector<std::byte> surprised_model(std::uint32_t count = 150) {
  SnapshotModel model = untrained_model(TypeViews(surprise_schema(count)).schemas());
  for (const TypeModel& type : std::span(model.types).subspan(1)) {
    for (std::size_t lane = 0; lane < type.lanes.size(); ++lane) {
      const auto first =
          model.probabilities.begin() + static_cast<std::ptrdiff_t>(type.lanes[lane].first_slot);
      std::fill_n(first, slot_count(type.schema.lanes[lane]), kProbabilityOfStep[0]);
    }
  }
  return encode_model(model);
}

}  // namespace muster::samples
