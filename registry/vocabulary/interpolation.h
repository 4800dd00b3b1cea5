// Fills the time between two states of a component.
#pragma once

#include "registry/vocabulary/component.h"

namespace muster {

/// Writes the state between `from` and `to` to `out`, field by field as described: `linear` between
/// the two (integers rounded), `angle` and `shortest_arc` the short way round, `step` holds `from`
/// until the fraction reaches 1. Padding is left alone. An angle stays within (-180, 180] or
/// [0, 360) degrees when both ends are. `out` may be `from` or `to`.
/// Requires: a fraction of 0 to 1; three components of this description.
void interpolate(const ComponentDescription& component, Bytes from, Bytes to, float fraction,
                 std::span<std::byte> out);

}  // namespace muster
