// What a codec would have had before it at every state of a trace.
#pragma once

#include <cstdint>
#include <vector>

#include "net/snapshot/known_states.h"
#include "net/tools/training/trace.h"

namespace muster {

/// The conditions under which snapshots are sent while a model is trained.
struct SampleSettings {
  std::uint32_t tick_step = 1;  ///< Ticks from one snapshot to the next.
  std::uint32_t ack_ticks = 6;  ///< Age of the newest acknowledged snapshot when one is sent.
  double loss = 0.02;           ///< Share of the snapshots that never arrive.
  std::uint64_t seed = 1;
};

/// A state and what is known when it is coded. Views into the trace.
struct StateSample {
  const TraceEntity* entity = nullptr;
  KnownStates known;             ///< `count` 0 for an entity that is new to the receiver.
  bool follows_changed = false;  ///< The entity before it in the snapshot changed.
  /// Whether it is asked after by itself: in a group of resting entities that does not wake none
  /// is.
  bool is_asked = true;
};

/// All samples of a trace, snapshot by snapshot.
std::vector<StateSample> samples_of(const Trace& trace, const SampleSettings& settings);

}  // namespace muster
