// What is shown once for each time that it happened, however often that tick is computed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "registry/base/tick.h"
#include "registry/components/component.h"

namespace muster {

/// Turns replicated ticks ("fired at 90") into occurrences ("play the shot now"). State on the wire
/// says when something happened last; prediction, rollback and late packets show the same state
/// many times, or take it back and bring it again. Each tick is reported once.
///
///     if (triggers.fires({id, kShotChannel}, state.fired_tick)) player.request(shot);
///
/// How old it may be, `EffectPlayer` decides by its expiry. One thread at a time; allocates only
/// for keys that are new.
class TickTriggers {
 public:
  /// Which of an entity's replicated ticks it is.
  struct Key {
    EntityReference entity;
    std::uint32_t channel = 0;
  };

  /// `same_within_ticks`: where more than 0, an occurrence that a correction moved by so little
  /// from where it was reported is still the same one, for what is often foretold a tick beside.
  /// Must be less than half of what lies between two real ones, or some of them are never reported:
  /// one that was foretold in vain between them passes for one of them only.
  explicit TickTriggers(std::uint32_t same_within_ticks = 0) : same_within_(same_within_ticks) {}

  /// Whether this is an occurrence that has not been reported. Tick 0 means that it never happened.
  /// What lies before the last `kRemembered` reports was reported, or is too late to be.
  bool fires(const Key& key, Tick tick);
  /// All that a rollback by so many ticks can bring up again, should each have been reported: no
  /// ring of snapshots is deeper by default. With fewer, a shot that a correction puts before
  /// others of a quick gun would be lost.
  static constexpr std::size_t kRemembered = 32;

  /// An entity has gone; its id may come again for another one.
  void forget(EntityReference entity);

 private:
  /// The latest reports, in the order of their ticks; 0 in front while there are fewer.
  using Reported = std::array<Tick, kRemembered>;

  std::uint32_t same_within_;
  std::map<std::pair<std::int32_t, std::uint32_t>, Reported> reported_;  ///< By entity, channel.
};

}  // namespace muster
