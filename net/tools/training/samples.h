// Collects the data that a codec would have at every state of a trace.
#pragma once

#include <cstdint>
#include <vector>

#include "net/snapshot/known_states.h"
#include "net/tools/training/trace.h"

namespace muster {

/// The conditions under which snapshots are sent during training.
struct SampleSettings {
  std::uint32_t tick_step = 1;  ///< Ticks from one snapshot to the next.
  std::uint32_t ack_ticks = 6;  ///< Age of the newest acknowledged snapshot at sending.
  double loss = 0.02;           ///< Share of lost snapshots.
  std::uint64_t seed = 1;
};

/// A state, and the states that are known when it is coded. These are views into the trace.
struct StateSample {
  const TraceEntity* entity = nullptr;
  KnownStates known;             ///< Its `count` is 0 if the entity is new to the receiver.
  bool follows_changed = false;  ///< The entity before it in the snapshot changed.
  /// True if the state is coded separately; false if it is in an unchanged group.
  bool is_asked = true;
};

/// All samples of a trace, snapshot by snapshot.
std::vector<StateSample> samples_of(const Trace& trace, const SampleSettings& settings);

}  // namespace muster
