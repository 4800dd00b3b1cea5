// Rotations as integers: the index of the largest component, and the steps of the other three.
#pragma once

#include <array>
#include <cstdint>

#include "registry/components/component.h"

namespace muster {

/// A rotation without its largest component, which follows from the others, because the squares of
/// all four add up to 1. The sign is chosen so that the dropped component is not negative: a
/// rotation and its negative are equal.
struct RotationSteps {
  std::uint32_t dropped = 3;              ///< Index in x, y, z, w of the largest absolute value.
  std::array<std::uint32_t, 3> others{};  ///< In order of x, y, z, w; step 0 is -1/sqrt(2).
  friend bool operator==(const RotationSteps&, const RotationSteps&) = default;
};

/// The number of steps from -1/sqrt(2) to 1/sqrt(2) for this resolution. It is even, so that 0 is a
/// step and the upright rotation is exact. Requires: a resolution above 0.
std::uint32_t greatest_rotation_step(double resolution);

/// The steps nearest to a rotation, or almost the nearest. If its largest components are almost
/// equal, several encodings are possible; the result is one that `rotation_of` and this function
/// convert back to itself. The length of the rotation is ignored. An invalid rotation (all zero, or
/// NaN) becomes upright. The result is the same on every machine. Requires: `greatest` from
/// `greatest_rotation_step`.
RotationSteps rotation_steps(const Quaternion& rotation, std::uint32_t greatest);

/// The rotation of steps, with length 1. Steps come from the network, so steps outside the range
/// are clamped, and an invalid rotation (the vector of the three components is longer than 1)
/// becomes the nearest valid rotation.
Quaternion rotation_of(const RotationSteps& steps, std::uint32_t greatest);

}  // namespace muster
