// Interpolates between two states of a component.
#pragma once

#include "registry/components/component.h"

namespace muster {

/// Writes the state between `from` and `to` to `out`, and uses the interpolation of each field.
/// `linear` rounds integers. `angle` and `shortest_arc` use the shorter arc. `step` uses the value
/// of `from` until the fraction is 1. A number that is NaN or infinite in `from` or `to` is handled
/// like `step`. With the fraction 0, the fields are bitwise equal to `from`. With the fraction 1,
/// they are bitwise equal to `to`. For fractions between 0 and 1, an angle is in [0, 360) degrees
/// if its values in `from` and `to` are in [0, 360]. Otherwise the angle is in (-180, 180] if both
/// values are in [-180, 180]. The same applies to radians, with a whole turn rounded to the field's
/// type. Does not write padding. `out` may be `from` or `to`. Requires: `fraction` is from 0 to 1,
/// and the three states are components of this description.
void interpolate(const ComponentDescription& component, Bytes from, Bytes to, float fraction,
                 std::span<std::byte> out);

/// Returns the rotation at a fraction of the shorter arc from `from` to `to`. The length of the
/// result is 1. Use the function for `shortest_arc` fields. Requires: `fraction` is from 0 to 1.
Quaternion shortest_arc(const Quaternion& from, const Quaternion& to, double fraction);

}  // namespace muster
