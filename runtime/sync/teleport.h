// Detects that an entity was teleported.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include "registry/components/component.h"
#include "runtime/world/math.h"

namespace muster {

/// Returns the offset of the position field in a component named "Transform", in bytes. Returns
/// nothing for other components.
inline std::optional<std::uint32_t> position_offset_bytes(const ComponentDescription& component) {
  const FieldDescription* const field =
      component.name == "Transform" ? component.find("position") : nullptr;
  if (field == nullptr || field->type != FieldType::vec3 || field->count != 1) return std::nullopt;
  return field->offset_bytes;
}

/// Returns whether a component's position differs by more than `metres_max` between two states.
/// Prediction, interpolation and the history of hit tests use the same limit
/// (`Game::teleport_metres_per_second`), so all three detect a teleport in the same tick. Requires:
/// `offset_bytes` is a result of `position_offset_bytes`.
inline bool is_teleported(Bytes from, Bytes to, std::uint32_t offset_bytes, double metres_max) {
  Vec3 before;
  Vec3 after;
  std::memcpy(&before, from.data() + offset_bytes, sizeof before);
  std::memcpy(&after, to.data() + offset_bytes, sizeof after);
  return double{length(after - before)} > metres_max;
}

}  // namespace muster
