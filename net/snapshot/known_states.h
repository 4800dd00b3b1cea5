// The states of an entity that both ends know when its new state is coded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "net/snapshot/lane.h"
#include "registry/base/tick.h"

namespace muster {

/// The maximum number of known states from which the next state is predicted. For smooth motion,
/// eight states instead of two save a fifth of the bits. More than eight states save no further
/// bits.
inline constexpr std::size_t kMaxKnownStates = 8;

/// Acknowledged states of one entity, newest first. This struct does not own the values: the owner
/// of the history owns them. A state with the same values as the newest state points to the newest
/// state's row, so that the values need not be compared again.
struct KnownStates {
  std::size_t count = 0;
  std::array<const LaneValue*, kMaxKnownStates> values{};
  /// The ticks of the states, newest first.
  std::array<Tick, kMaxKnownStates> ticks{};
  /// The tick of the state to be coded. This tick is later than all `ticks`.
  Tick now;
};

}  // namespace muster
