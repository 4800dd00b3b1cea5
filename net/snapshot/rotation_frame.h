// Converts rotations to a common frame. A rotation is sent as the three smallest of its four
// components. When another component becomes the largest during a turn, the sent numbers jump. So
// this class converts the known states to the frame of the new state.
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
  /// `dropped` is the lane with the index of the missing component. The lanes of the other three
  /// components follow it, in the order x, y, z, w. A component from -1/sqrt(2) to 1/sqrt(2) has
  /// `part.maximum` steps.
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
