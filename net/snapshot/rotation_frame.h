// Converts rotations to a common frame. A rotation is sent as its three smallest components; when
// the dropped component changes during a turn, the numbers jump. This class converts the known
// states to the frame of the new one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "net/snapshot/known_states.h"
#include "net/snapshot/lane_features.h"

namespace muster {

/// The known rotations of an entity, converted so that they drop the same component as the new
/// state.
class RotationFrame {
 public:
  RotationFrame() = default;
  /// `dropped` is the lane with the index of the missing component; the other three lanes follow
  /// it, in the order x, y, z, w. They range from -1/sqrt(2) to 1/sqrt(2) over `part.maximum`
  /// steps.
  RotationFrame(const KnownStates& known, std::size_t dropped, LaneValue dropped_now,
                const LaneSchema& dropped_schema, const LaneSchema& part);

  /// The known values of one of the three lanes after `dropped`. Converted values may be slightly
  /// outside the lane's range.
  const LanePast& past(std::size_t lane) const { return parts_[lane - first_]; }

 private:
  std::size_t first_ = 0;
  std::array<LanePast, 3> parts_{};
};

}  // namespace muster
