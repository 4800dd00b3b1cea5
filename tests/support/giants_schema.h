// Entity types that are too large for one datagram.
#pragma once

#include "net/replication/replication_schema.h"

namespace muster::samples {

/// A small type, and two types whose entities may need thousands of bytes. The first large type has
/// additional fields for its owner. The second also has rotations and large numbers.
inline ReplicationSchema giants_schema() {
  ReplicationSchema schema;
  schema.components.push_back(
      {.name = "Plain", .fields = {{.name = "value", .low = 0, .high = 1'000}}});
  schema.components.push_back(
      {.name = "Bag",
       .fields = {{.name = "items", .value_count = 400, .low = 0, .high = 0xFFFF'FFFF},
                  {.name = "secrets",
                   .value_count = 300,
                   .low = 0,
                   .high = 0xFFFF'FFFF,
                   .receivers = Receivers::owner,
                   .kind = LaneKind::opaque}}});
  schema.components.push_back({.name = "Skeleton",
                               .fields = {{.name = "turns",
                                           .value_count = 400,
                                           .low = 0,
                                           .high = 1'023,
                                           .kind = LaneKind::rotation},
                                          {.name = "wide",
                                           .value_count = 150,
                                           .low = std::int64_t{-1} << 40,
                                           .high = std::int64_t{1} << 40}}});
  schema.types.push_back({.id = TypeId(1), .components = {SchemaComponent{0}}});
  schema.types.push_back({.id = TypeId(77), .components = {SchemaComponent{1}}});
  schema.types.push_back(
      {.id = TypeId(78), .components = {SchemaComponent{2}, SchemaComponent{0}}});
  return schema;
}

}  // namespace muster::samples
