// Rotations sent as their three smallest components: which one is dropped changes while something
// turns, and then the numbers jump. Here the known states are brought into the frame of the new
// one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "net/snapshot/known_states.h"
#include "net/snapshot/lane_features.h"

namespace muster {

/// The known rotations of an entity, seen with the component dropped that the new state drops.
class RotationFrame {
 public:
  RotationFrame() = default;
  /// `dropped` is the lane that says which component is missing; the other three follow it, in the
  /// order x, y, z, w. They run from -1/sqrt(2) to 1/sqrt(2) over `part.greatest` steps.
  RotationFrame(const KnownStates& known, std::size_t dropped, LaneValue dropped_now,
                const LaneSchema& dropped_schema, const LaneSchema& part);

  /// The past of one of the three lanes behind `dropped`. What another frame had may lie a little
  /// outside the lane's range.
  const LanePast& past(std::size_t lane) const { return parts_[lane - first_]; }

 private:
  std::size_t first_ = 0;
  std::array<LanePast, 3> parts_{};
};

}  // namespace muster
