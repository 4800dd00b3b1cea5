// Plays each effect of a predicted tick exactly once, even if the tick runs again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "registry/base/tick.h"
#include "runtime/sync/predicted_key.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// Keeps the cues that a client's own commands have caused. A cue is an effect or a message. A
/// predicted cue plays when its command first runs. A cue that the client did not predict plays
/// when the server's copy arrives. A predicted cue is undone if a replay of its command does not
/// cause the cue, or if the server does not send the cue. The state depends only on the calls and
/// their arguments. Memory is bounded, and is allocated in the constructor. Only one thread at a
/// time may use this object.
class CueLedger {
 public:
  /// The maximum number of kept cues. The oldest confirmed cues are removed first.
  static constexpr std::size_t kKept = 512;

  struct Counters {
    std::uint64_t played = 0;    ///< Cues that played before the server's copy arrived.
    std::uint64_t late = 0;      ///< Cues in `played` that first occurred in a replay.
    std::uint64_t repeated = 0;  ///< Repetitions of a played cue, by replays and by the server.
    std::uint64_t foreign = 0;   ///< Cues that played only when the server's copy arrived.
    std::uint64_t undone = 0;
  };

  CueLedger() { entries_.reserve(kKept); }

  /// Call this function when a predicted tick causes a cue. Returns whether to play the cue now.
  /// `replay` is the number of the last replay. `is_replaying` is true while that replay runs.
  bool predict(const PredictedKey& key, EntityId cause, std::uint32_t replay, bool is_replaying);
  /// Call this function when the server's copy of a cue arrives. Returns whether to play the cue
  /// now. If the press arrived too late, the command number of the copy may be higher than the
  /// client's number by up to `kLateCommandsMax`.
  bool confirm(const PredictedKey& key);
  /// Call this function after the server's state of `tick`, which includes the commands up to
  /// `received`. If the later commands ran again, `replay` is the number of that replay. An
  /// unconfirmed cue is undone if that replay did not cause the cue. An unconfirmed cue is also
  /// undone if the server's copy has not arrived `patience_ticks` after the cue's command. Appends
  /// the causes of undone cues to `out`.
  void settle(CommandNumber received, std::optional<std::uint32_t> replay, Tick tick,
              std::uint32_t patience_ticks, std::vector<EntityId>& out);
  /// Removes confirmed and undone cues of commands before `oldest`.
  void forget_before(CommandNumber oldest);

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
  /// The oldest cue that can match `key` if the press arrived too late and ran with a later
  /// command.
  Entry* find_late(const PredictedKey& key);
  Entry& add(const PredictedKey& key);

  std::vector<Entry> entries_;  ///< Entries in the order in which they were added.
  Counters counters_;
};

}  // namespace muster
