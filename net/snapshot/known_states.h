// The states of an entity that both ends know when its new state is coded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "net/snapshot/lane.h"
#include "registry/base/tick.h"

namespace muster {

/// The maximum number of states for predicting the next one. With eight states instead of two,
/// smooth motion costs a fifth fewer bits. More than eight save nothing more.
inline constexpr std::size_t kMaxKnownStates = 8;

/// Acknowledged states of one entity, newest first. This is a view: the owner of the history owns
/// the values. States with the same values as the newest one point to the newest one's row, so that
/// they need not be compared again.
struct KnownStates {
  std::size_t count = 0;
  std::array<const LaneValue*, kMaxKnownStates> values{};
  /// The ticks of the states, newest first.
  std::array<Tick, kMaxKnownStates> ticks{};
  /// The tick of the state to be coded, after all of them.
  Tick now;
};

}  // namespace muster
