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
/// contains only the tick at which something last happened. Prediction, rollback and late packets
/// produce the same state several times, or undo and repeat it. This class reports each tick once.
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

  /// `same_within_ticks`: if a correction moves an occurrence by at most this many ticks from its
  /// report, it counts as the same one. For events whose predicted tick is often wrong by one. Must
  /// be less than half of the distance between two real occurrences. Otherwise some occurrences are
  /// never reported, because a wrong prediction between two of them can count as both.
  explicit TickTriggers(std::uint32_t same_within_ticks = 0) : same_within_(same_within_ticks) {}

  /// Whether this occurrence was not reported yet. Tick 0 means that it never happened. Returns
  /// false for ticks older than the last `kReports` reports.
  bool fires(const Key& key, Tick tick);
  /// The number of reports that are kept: one per tick of the deepest default ring of snapshots.
  /// With fewer, a shot would be lost if a correction moves it before many other shots of a fast
  /// gun.
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
