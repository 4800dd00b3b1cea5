// Collects, for every state of a trace, the data that a codec would have.
#pragma once

#include <cstdint>
#include <vector>

#include "net/snapshot/known_states.h"
#include "net/tools/training/trace.h"

namespace muster {

/// The conditions under which snapshots are sent during training.
struct SampleSettings {
  std::uint32_t tick_step = 1;  ///< The number of ticks from one snapshot to the next.
  /// The age of the newest acknowledged snapshot when a snapshot is sent, in ticks.
  std::uint32_t ack_ticks = 6;
  double loss = 0.02;  ///< The probability that a snapshot is lost.
  std::uint64_t seed = 1;
};

/// A state of an entity, and the states that both ends know when the state is coded. All members
/// are views into the trace.
struct StateSample {
  const TraceEntity* entity = nullptr;
  KnownStates known;  ///< The known states; `count` is 0 if the entity is new to the receiver.
  bool follows_changed = false;  ///< True if the preceding entity in the snapshot changed.
  /// True if the state is coded separately; false if it is in an unchanged group.
  bool is_separate = true;
};

/// Returns all samples of a trace, in the order of the snapshots.
std::vector<StateSample> samples_of(const Trace& trace, const SampleSettings& settings);

}  // namespace muster
