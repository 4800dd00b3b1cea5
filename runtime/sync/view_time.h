// The moment of the world that a player has seen.
#pragma once

#include <compare>
#include <cstdint>

#include "registry/base/tick.h"

namespace muster {

/// A tick as a number, for arithmetic with fractions.
constexpr double in_ticks(Tick tick) { return tick.value(); }

/// A moment between the two states of the world that a client blends when it draws. A server that
/// rewinds to the moment blends the same two states. With two other states, the result would differ
/// for each entity that does not move on a straight line.
struct ViewTime {
  Tick from;
  Tick to;  ///< At least `from`.
  /// The share of the time from `from` to `to` that has passed at the moment, 0 to 1.
  float fraction = 0;

  /// Returns the moment at `fraction` between `tick` and the next tick. Requires: a fraction of 0
  /// to 1.
  static constexpr ViewTime at(Tick tick, float fraction = 0) {
    return {tick, fraction > 0 ? tick.next() : tick, fraction};
  }
  /// The moment as a number of ticks.
  constexpr double ticks() const {
    return in_ticks(from) + (in_ticks(to) - in_ticks(from)) * static_cast<double>(fraction);
  }
  friend constexpr auto operator<=>(const ViewTime&, const ViewTime&) = default;
};

}  // namespace muster
