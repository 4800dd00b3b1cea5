// Reports each occurrence once, even if its tick is computed several times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "registry/base/tick.h"
#include "registry/components/component.h"

namespace muster {

/// Turns replicated ticks ("fired at tick 90") into occurrences ("play the shot now"). Replicated
/// state contains only the tick of the last occurrence. Prediction, rollback and late packets can
/// produce the same state several times, or undo and repeat a state. This class reports each tick
/// once.
///
///     if (triggers.fires({id, kShotChannel}, state.fired_tick)) player.request(shot);
///
/// An occurrence is reported even if its tick is long ago. `EffectPlayer` limits the age of
/// effects. Only one thread at a time may use this object. Allocates only for new keys.
class TickTriggers {
 public:
  /// Identifies one replicated tick of an entity.
  struct Key {
    EntityReference entity;
    std::uint32_t channel = 0;
  };

  /// If a correction moves a reported occurrence by at most `same_within_ticks`, the occurrence is
  /// not reported again. Use this option for events whose predicted tick is often wrong by one. The
  /// value must be less than half of the distance between two real occurrences. With a larger
  /// value, a wrong prediction between two occurrences can count as both occurrences, and one of
  /// the two is never reported.
  explicit TickTriggers(std::uint32_t same_within_ticks = 0) : same_within_(same_within_ticks) {}

  /// Returns true if this occurrence was not reported yet. Returns false for tick 0, which means
  /// that nothing happened, and for ticks older than the last `kReports` reports.
  bool fires(const Key& key, Tick tick);
  /// The number of reports that are kept for each key. The number is equal to the default depth of
  /// a snapshot ring. With fewer reports, a correction could move a shot of a fast gun before all
  /// kept reports, and that shot would be lost.
  static constexpr std::size_t kReports = 32;

  /// Call this function when an entity no longer exists, because another entity may get its id.
  void forget(EntityReference entity);

 private:
  /// The latest reports by ascending tick. Unused elements are 0 and come first.
  using Reported = std::array<Tick, kReports>;

  std::uint32_t same_within_;
  /// The reports by entity and channel.
  std::map<std::pair<std::int32_t, std::uint32_t>, Reported> reported_;
};

}  // namespace muster
