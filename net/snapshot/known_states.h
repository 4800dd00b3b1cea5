// What both sides know of an entity when a new state of it is coded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "net/snapshot/lane.h"

namespace muster {

/// The most states of an entity from which its next one is predicted. Eight instead of two save a
/// fifth where things move smoothly; more gain nothing.
inline constexpr std::size_t kMaxKnownStates = 8;

/// States of one entity that the receiver has acknowledged, the newest first. A view: the values
/// belong to whoever keeps the history. States equal to the newest are given by its very row, so
/// that nobody has to compare them again.
struct KnownStates {
  std::size_t count = 0;
  std::array<const LaneValue*, kMaxKnownStates> values{};
  /// The tick of each; falling.
  std::array<std::uint32_t, kMaxKnownStates> ticks{};
  /// The tick of the state to be coded, after all of them.
  std::uint32_t now = 0;
};

}  // namespace muster
