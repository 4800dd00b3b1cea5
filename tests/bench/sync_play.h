// A match of sync_lab: a server and clients in one process, over recorded delays, with recorded
// inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/delay_file.h"
#include "tests/bench/input_recording.h"

namespace muster {

enum class SyncRules : std::uint8_t { muster, fpssample };

struct SyncPlayOptions {
  SyncRules rules = SyncRules::muster;
  std::vector<DelayFile> delays{};       ///< Client `i` uses index `i % delays.size()`.
  std::vector<InputRecording> inputs{};  ///< Client `i` uses index `i % inputs.size()`.
  /// The fraction of datagrams that are lost in each direction, in addition to the recordings'
  /// losses.
  double loss = 0;
  std::uint32_t clients = 2;
  double seconds = 60;
  double skip_seconds = 5;  ///< The time at the start that is played but not measured.
  double frames_per_second = 60;
  std::uint64_t seed = 1;
};

/// A frame of the first client, for plots.
struct SyncFrame {
  double seconds = 0;
  double delay_ms = 0;         ///< The delay of its packets.
  double lead_ticks = 0;       ///< Predicted time minus the server's time.
  double shown_behind_ms = 0;  ///< The server's time minus the shown time of others.
  double shown_error_mm = 0;   ///< The largest position error of the other characters.
  std::uint64_t corrections = 0;
};

struct SyncResult {
  bool is_verified = true;  ///< True if all states are equal and at least one was compared.
  std::string difference;   ///< The first difference.
  std::uint64_t states_compared = 0;
  /// States that were compared with the server's state of an earlier tick.
  std::uint64_t states_deferred = 0;
  std::uint64_t states_unknown = 0;  ///< States that are older than the server's record.
  double client_minutes = 0;
  std::uint64_t frames = 0;
  std::uint64_t corrections = 0;
  std::uint64_t predicted_ticks = 0;
  std::uint64_t replayed_ticks = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t late_snapshots = 0;
  double interpolation_delay_ms_mean = 0;
  double stopped_share = 0;  ///< Fraction of frames in which the playback clock stopped.
  double lead_ticks_p50 = 0;
  double lead_ticks_p99 = 0;
  std::uint64_t ticks = 0;  ///< The sum over all players.
  std::uint64_t starved_ticks = 0;
  std::uint64_t presses = 0;
  std::uint64_t presses_lost = 0;
  std::uint64_t presses_doubled = 0;
  std::uint64_t presses_disconnected = 0;  ///< Presses in flight when a connection timed out.
  std::uint64_t commands = 0;
  double command_bits = 0;
  double claim_bits = 0;  ///< The bits of the view claims at the start of command packets.
  double shown_error_mm_p50 = 0;
  double shown_error_mm_p99 = 0;
  double others_error_mm_p50 = 0;
  double others_error_mm_p99 = 0;
  std::uint64_t shots = 0;  ///< Shots that both sides fired in the same tick.
  std::uint64_t shots_agreed = 0;
  /// Shots of `shots` whose ray differed, because the prediction of the shooter was wrong.
  std::uint64_t shots_displaced = 0;
  std::uint64_t displaced_disagreed = 0;  ///< Displaced shots with different verdicts.
  std::uint64_t shots_moved = 0;  ///< Shots that one side fired in another tick, or did not fire.
  std::uint64_t hits = 0;         ///< Hits of `shots`, counted by the server.
  std::uint64_t effects = 0;      ///< Effects of shots that each client should play once.
  std::uint64_t effects_doubled = 0;
  std::uint64_t effects_lost = 0;
  /// Effects that were predicted, but not confirmed by the server.
  std::uint64_t effects_undone = 0;
  std::uint64_t clock_jumps = 0;
  std::uint64_t reconnects = 0;
  std::uint64_t datagrams_lost = 0;
  std::uint64_t world_hash = 0;
  std::vector<SyncFrame> course;
};

/// Equal options give equal results. Throws if the game cannot be built or opened. Requires: a
/// recording of each kind; at least one client.
SyncResult play_sync(const SyncPlayOptions& options);

}  // namespace muster
