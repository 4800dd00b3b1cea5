// Plays each effect of a predicted tick exactly once, however often the tick runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "registry/base/tick.h"
#include "runtime/sync/predicted_key.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// Remembers the effects and messages that a client has played for its own commands. A cue plays
/// when its command runs first, or when the server's copy arrives if the client did not foresee it.
/// One that a replay no longer does, or that the server never sends, is undone. A function of its
/// calls; memory is bounded, and steady state allocates nothing. One thread at a time.
class CueLedger {
 public:
  /// Cues that are remembered; the oldest confirmed ones are forgotten first.
  static constexpr std::size_t kKept = 512;

  struct Counters {
    std::uint64_t played = 0;    ///< Ahead of the server.
    std::uint64_t late = 0;      ///< Predicted ones that a replay did first.
    std::uint64_t repeated = 0;  ///< Not played: by a replay, or the server's copy.
    std::uint64_t foreign = 0;   ///< Played when the server's copy came: not foreseen.
    std::uint64_t undone = 0;
  };

  CueLedger() { entries_.reserve(kKept); }

  /// A tick does a cue: whether to play it now. `replay` is the number of the last replay, and
  /// `is_replaying` whether that one runs now.
  bool predict(const PredictedKey& key, EntityId cause, std::uint32_t replay, bool is_replaying);
  /// The server's copy has arrived: whether to play it now. It may be of a later command than the
  /// client's, by up to `kLateCommandsMax`, when the press came too late.
  bool confirm(const PredictedKey& key);
  /// After the server's state of `tick`, which includes the commands up to `received`. When the
  /// later ones ran again, `replay` is the number of that replay. Appends the causes of cues that
  /// are undone to `out`.
  void settle(std::uint32_t received, std::optional<std::uint32_t> replay, Tick tick,
              std::uint32_t patience_ticks, std::vector<EntityId>& out);
  /// Forgets what no command from `oldest` on can do.
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
  /// The oldest cue that may be this one, done by a press whose command came too late.
  Entry* find_late(const PredictedKey& key);
  Entry& add(const PredictedKey& key);

  std::vector<Entry> entries_;  ///< In the order in which they came.
  Counters counters_;
};

}  // namespace muster
