// Plays each effect of a predicted tick exactly once, however often the tick runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "registry/base/tick.h"
#include "runtime/sync/predicted_key.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// Remembers the cues, which are effects and messages, that a client has played for its own
/// commands. A predicted cue plays when its command first runs. A cue that the client did not
/// predict plays when the server's copy arrives. A predicted cue is undone if a replay of its
/// command does not cause it, or if the server does not send it. The state is a function of the
/// calls. Memory is bounded, and the steady state allocates nothing. One thread at a time.
class CueLedger {
 public:
  /// The maximum number of remembered cues. The oldest confirmed cues are forgotten first.
  static constexpr std::size_t kKept = 512;

  struct Counters {
    std::uint64_t played = 0;    ///< Played before the server's copy arrived.
    std::uint64_t late = 0;      ///< Of these, cues that first occurred in a replay.
    std::uint64_t repeated = 0;  ///< Replays and server's copies of a played cue.
    std::uint64_t foreign = 0;   ///< Not predicted: played when the server's copy arrived.
    std::uint64_t undone = 0;
  };

  CueLedger() { entries_.reserve(kKept); }

  /// A predicted tick causes a cue. Returns whether to play it now. `replay` is the number of the
  /// last replay; `is_replaying` is true while that replay runs.
  bool predict(const PredictedKey& key, EntityId cause, std::uint32_t replay, bool is_replaying);
  /// The server's copy has arrived. Returns whether to play it now. If the press arrived too late,
  /// the copy may have a command number that is higher than the client's by up to
  /// `kLateCommandsMax`.
  bool confirm(const PredictedKey& key);
  /// To be called after the server's state of `tick`, which includes the commands up to `received`.
  /// If the later commands ran again, `replay` is the number of that replay. A cue that is not
  /// confirmed is undone if that replay did not cause it, or if the server's copy is missing for
  /// `patience_ticks` after its command. Appends the causes of undone cues to `out`.
  void settle(std::uint32_t received, std::optional<std::uint32_t> replay, Tick tick,
              std::uint32_t patience_ticks, std::vector<EntityId>& out);
  /// Forgets confirmed and undone cues of commands before `oldest`.
  void forget_before(std::uint32_t oldest);

  const Counters& counters() const { return counters_; }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    PredictedKey key;
    EntityId cause;
    std::uint32_t replay = 0;
    bool is_confirmed = false;
    bool is_undone = false;
    std::optional<Tick> awaited_since;
  };
  Entry* find(const PredictedKey& key);
  /// The oldest cue that may be the same one, if its press arrived too late and ran with a later
  /// command.
  Entry* find_late(const PredictedKey& key);
  Entry& add(const PredictedKey& key);

  std::vector<Entry> entries_;  ///< In the order in which they were added.
  Counters counters_;
};

}  // namespace muster
