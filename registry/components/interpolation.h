// Interpolates between two states of a component.
#pragma once

#include "registry/components/component.h"

namespace muster {

/// Writes the state between `from` and `to` to `out`, each field by its interpolation. `linear`
/// rounds integers. `angle` and `shortest_arc` use the shorter way. `step` keeps `from` until the
/// fraction reaches 1. A number that is NaN or infinite in `from` or `to` is treated like `step`.
/// At fraction 0 the result equals `from` bit by bit, and at fraction 1 it equals `to`. Between
/// them an angle is in [0, 360) degrees if both ends are in [0, 360]. Otherwise it is in (-180,
/// 180] if both ends are in [-180, 180]. The same applies to radians, with a whole turn rounded to
/// the field's type. Padding is not written. `out` may be `from` or `to`. Requires: a fraction from
/// 0 to 1; three components of this description.
void interpolate(const ComponentDescription& component, Bytes from, Bytes to, float fraction,
                 std::span<std::byte> out);

/// The rotation at a fraction of the shorter arc, with length 1. `interpolate` uses it for
/// `shortest_arc` fields. Requires: a fraction from 0 to 1.
Quaternion shortest_arc(const Quaternion& from, const Quaternion& to, double fraction);

}  // namespace muster
