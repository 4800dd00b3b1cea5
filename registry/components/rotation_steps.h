// Rotations as integers: which component is the greatest, and the steps of the three others.
#pragma once

#include <array>
#include <cstdint>

#include "registry/components/component.h"

namespace muster {

/// A rotation of which the greatest component is not said: as all four make one, it follows from
/// the others. The sign is such that it is not negative, for a rotation and its negative are one.
struct RotationSteps {
  std::uint32_t dropped = 3;              ///< Of x, y, z, w: the greatest, whatever its sign.
  std::array<std::uint32_t, 3> others{};  ///< In order, from -1/sqrt(2) to 1/sqrt(2).
  friend bool operator==(const RotationSteps&, const RotationSteps&) = default;
};

/// The steps from -1/sqrt(2) to 1/sqrt(2) of a rotation with this resolution: an even number, so
/// that 0 is a step and standing upright is exact. Requires: a resolution above 0.
std::uint32_t greatest_rotation_step(double resolution);

/// The nearest steps of a rotation, or nearly: of several descriptions of one rotation (its
/// greatest components are all but equal) it takes one that `rotation_of` and this lead back to.
/// Any length will do; a rotation that is none (all zero, no numbers) is upright. The same on every
/// machine. Requires: `greatest` from `greatest_rotation_step`.
RotationSteps rotation_steps(const Quaternion& rotation, std::uint32_t greatest);

/// The rotation of steps: of length one. Steps outside the range become its end, and what is no
/// rotation (the three alone are longer than one) the nearest that is: they come from the network.
Quaternion rotation_of(const RotationSteps& steps, std::uint32_t greatest);

}  // namespace muster
