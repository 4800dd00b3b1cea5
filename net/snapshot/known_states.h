// The states of an entity that both ends know when its new state is coded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "net/snapshot/lane.h"

namespace muster {

/// The maximum number of states for predicting the next one. Eight instead of two save a fifth for
/// smooth motion; more gain nothing.
inline constexpr std::size_t kMaxKnownStates = 8;

/// Acknowledged states of one entity, newest first. A view: the owner of the history owns the
/// values. States equal to the newest one use its row, so that they need not be compared again.
struct KnownStates {
  std::size_t count = 0;
  std::array<const LaneValue*, kMaxKnownStates> values{};
  /// Falling.
  std::array<std::uint32_t, kMaxKnownStates> ticks{};
  /// The tick of the state to be coded, after all of them.
  std::uint32_t now = 0;
};

}  // namespace muster
