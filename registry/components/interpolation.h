// Fills the time between two states of a component.
#pragma once

#include "registry/components/component.h"

namespace muster {

/// Writes the state between `from` and `to` to `out`, field by field as described: `linear` between
/// the two (integers rounded), `angle` and `shortest_arc` the short way round, `step` holds `from`
/// until the fraction reaches 1, and so does what is no number or endless. At fractions 0 and 1 the
/// result is `from` and `to`, bit by bit. Between them an angle lies within [0, 360) degrees when
/// both ends lie within [0, 360], else within (-180, 180] when both lie within [-180, 180]; in
/// radians the same, with the whole turn of the field's type. Padding is left alone. `out` may be
/// `from` or `to`. Requires: a fraction of 0 to 1; three components of this description.
void interpolate(const ComponentDescription& component, Bytes from, Bytes to, float fraction,
                 std::span<std::byte> out);

/// The rotation at a fraction of the shorter arc, with length 1: what `interpolate` writes for a
/// field of `shortest_arc` between the ends. Requires: a fraction of 0 to 1.
Quaternion shortest_arc(const Quaternion& from, const Quaternion& to, double fraction);

}  // namespace muster
