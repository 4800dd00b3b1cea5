// Visits the numbers of a field.
#pragma once

#include <cstddef>
#include <cstdint>

#include "registry/components/component.h"
#include "registry/components/lanes.h"

namespace muster {

/// The size of a field in its struct, in bytes.
inline std::size_t field_bytes(const FieldDescription& field) {
  return std::size_t{field.count} * field.element_bytes;
}

/// Calls `visit(T{}, offset)` for each number of a field. `T` is the number's type. `offset` is the
/// number's offset in the struct, in bytes.
template <typename Visit>
void each_lane(const FieldDescription& field, Visit visit) {
  with_lane_type(lane_type(field.type), [&]<typename T>(T) {
    const std::size_t end = field.offset_bytes + field_bytes(field);
    for (std::size_t at = field.offset_bytes; at < end; at += sizeof(T)) visit(T{}, at);
  });
}

}  // namespace muster
