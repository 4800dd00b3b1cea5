// Reports each occurrence once, however often its tick is computed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "registry/base/tick.h"
#include "registry/components/component.h"

namespace muster {

/// Turns replicated ticks ("fired at 90") into occurrences ("play the shot now"). Replicated state
/// contains when something happened last. Prediction, rollback and late packets show the same state
/// many times, or undo it and repeat it. Each tick is reported once.
///
///     if (triggers.fires({id, kShotChannel}, state.fired_tick)) player.request(shot);
///
/// There is no limit of age; `EffectPlayer` has one. One thread at a time; allocates only for new
/// keys.
class TickTriggers {
 public:
  /// One of the replicated ticks of an entity.
  struct Key {
    EntityReference entity;
    std::uint32_t channel = 0;
  };

  /// `same_within_ticks`: an occurrence that a correction has moved by at most this many ticks from
  /// its report is the same one. For events that are often predicted a tick beside. Must be less
  /// than half of the distance between two real occurrences. Otherwise some are never reported,
  /// because a wrong prediction between them may count as both.
  explicit TickTriggers(std::uint32_t same_within_ticks = 0) : same_within_(same_within_ticks) {}

  /// Whether this occurrence was not reported yet. Tick 0 means that it never happened. Returns
  /// false for ticks older than the last `kReports` reports.
  bool fires(const Key& key, Tick tick);
  /// As many reports as a rollback can repeat with one per tick: by default no ring of snapshots is
  /// deeper. With fewer, a shot that a correction puts before others of a fast gun would be lost.
  static constexpr std::size_t kReports = 32;

  /// Call it when an entity is gone; its id may be used for another one.
  void forget(EntityReference entity);

 private:
  /// The latest reports by ascending tick; 0 in front while there are fewer.
  using Reported = std::array<Tick, kReports>;

  std::uint32_t same_within_;
  std::map<std::pair<std::int32_t, std::uint32_t>, Reported> reported_;  ///< By entity, channel.
};

}  // namespace muster
