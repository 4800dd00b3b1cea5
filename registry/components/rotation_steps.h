// Converts rotations to integers: the index of the largest component, and the steps of the three
// other components.
#pragma once

#include <array>
#include <cstdint>

#include "registry/components/component.h"

namespace muster {

/// A rotation without its largest component. The receiver computes this component from the other
/// three, because the sum of all four squares is 1. If the component is negative, the rotation is
/// negated first, because a rotation and its negative are equal.
struct RotationSteps {
  /// The index (x, y, z, w) of the component with the largest absolute value.
  std::uint32_t dropped = 3;
  /// The steps of the other components, in the order x, y, z, w. Step 0 is -1/sqrt(2).
  std::array<std::uint32_t, 3> others{};
  friend bool operator==(const RotationSteps&, const RotationSteps&) = default;
};

/// The number of steps from -1/sqrt(2) to 1/sqrt(2) for a resolution. The number is even, so that
/// the value 0 is a step and the identity is exact. Requires: `resolution` is above 0.
std::uint32_t rotation_step_max(double resolution);

/// The steps that are nearest to a rotation. If the two largest components are almost equal,
/// several encodings are possible. In this case, the result may be slightly worse than the nearest
/// steps, but converting the result with `rotation_of` and then with this function gives the same
/// steps again. Ignores the length of the rotation. An invalid rotation (all zero, or NaN) becomes
/// the identity. The result is the same on every machine. Requires: `step_max` is a result of
/// `rotation_step_max`.
RotationSteps rotation_steps(const Quaternion& rotation, std::uint32_t step_max);

/// The rotation for steps, with length 1. The steps may come from the network, so steps outside the
/// range are clamped. If the vector of the three components is longer than 1, its length is reduced
/// to 1.
Quaternion rotation_of(const RotationSteps& steps, std::uint32_t step_max);

}  // namespace muster
