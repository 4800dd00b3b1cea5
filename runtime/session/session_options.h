// The options of servers and clients, and the reports about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "registry/base/clock.h"
#include "registry/base/player_id.h"
#include "registry/base/result.h"
#include "registry/base/tick.h"
#include "registry/base/type_id.h"
#include "runtime/bundle/bundle_layout.h"
#include "runtime/session/game.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// How a server listens, and for whom.
struct GameServerOptions {
  std::string listen = "[::]:7000";
  /// The server's secret key. The file is created if it is missing. If empty, each run has a
  /// new key.
  std::string key_file = "server.key";
  std::optional<LevelKey> level{};  ///< Loaded before the first tick.
  std::uint16_t players_max = 64;
  /// The maximum number of connected players of one address; for IPv6, of one /64 network. The same
  /// number of players without a connection may reconnect (`resume_time`).
  std::uint16_t players_per_address = 8;
  std::uint64_t seed = 1;            ///< For `SystemContext::random`.
  bool admit_other_content = false;  ///< Admits other builds; fields are matched by name.
  std::uint32_t messages_per_second_max = 100;  ///< Per player and message type; more are dropped.
  std::uint16_t workers = 1;  ///< Threads that encode snapshots; the bytes are the same for any.
  /// For the packets of all connections (`muster-net`); empty means none.
  std::string capture_file{};
  bool may_reload = false;  ///< For `GameServer::reload`; needs memory for each entity.
  /// How long a player whose connection was lost may reconnect and keeps its number and entities.
  /// With 0, the player leaves at once.
  Duration resume_time = std::chrono::seconds(30);
};

/// A connected player.
struct PlayerInfo {
  PlayerId player = PlayerId::none;
  std::string address{};  ///< The last connection began from this address.
  Duration round_trip{};
  EntityId view{};              ///< The entity that the player's view follows.
  bool is_interrupted = false;  ///< No packet for some seconds, or the connection was lost.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t packets_out = 0;
  double loss = 0;  ///< Share of the packets sent, 0 to 1.
  std::uint64_t snapshots = 0;
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t changes_deferred = 0;   ///< Changes that did not fit into a packet.
  std::uint64_t snapshots_skipped = 0;  ///< Snapshots that did not fit into a packet.
  std::uint64_t resyncs = 0;            ///< The client requested the whole world again.
  std::uint64_t divergences = 0;        ///< The client had other values than the server.
};

/// Measurements and counts of a server since it was made.
struct GameServerMetrics {
  Tick tick{};
  std::uint32_t players = 0;
  std::uint32_t entities = 0;
  std::uint64_t spawned = 0;  ///< Replicated entities.
  std::uint64_t despawned = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t skipped_ticks = 0;
  std::uint64_t problems = 0;
};

/// How a client connects to a server, and how it loads content.
struct GameClientOptions {
  std::string server{};  ///< "play.example.org:7000", "[::1]:7000". Resolved without blocking.
  std::string key{};     ///< The server's public key, 64 hex digits.
  Duration connect_timeout = std::chrono::seconds(10);
  /// How long a client whose connection was lost tries to reconnect as the same player. With
  /// 0, the client ends at once.
  Duration resume_timeout = std::chrono::seconds(30);
  /// The project path of a prefab, shown for presentations and effects that cannot be loaded.
  std::string placeholder{};
  std::uint16_t platforms = kPlatformClient;  ///< Bits that a presentation must have.
  /// Threads that load bundles. With 0, bundles are loaded within `frame`, in a repeatable order.
  std::uint32_t loading_threads = 1;
  /// For the packets of the connection (`muster-net`); empty means none.
  std::string capture_file{};
  bool may_reload = false;  ///< For `GameClient::reload`; needs memory for each entity.
};
/// The state of a client, from connecting to its end.
enum class GameClientState : std::uint8_t {
  resolving,  ///< The server's name is being looked up.
  connecting,
  loading,  ///< The level is being loaded, and the first state of the world is being received.
  playing,
  interrupted,  ///< No packet has arrived for some seconds, or another connection is being made.
  over,
};
/// An effect that begins now: `GameClient::on_effect`. Its text lives as long as the call.
struct PlayedEffect {
  EffectType effect;
  Vec3 position{};
  Quaternion rotation{};
  std::optional<Vec3> line_end{};
  EntityId cause{};           ///< Null if this client does not have the entity.
  bool is_predicted = false;  ///< Played ahead of the server, for a command of this player.
  /// The effect is some ticks old. It was first played in a replay, or not predicted at all.
  bool is_late = false;
};
/// An effect that plays: `GameClient::effects`.
struct PlayingEffect {
  EntityId root{};  ///< In `GameClient::view`.
  TypeId type{};
  Vec3 position{};  ///< The present position; for an effect along a line, that of its head.
  Quaternion rotation{};
  Vec3 line_start{};
  Vec3 line_end{};
  float seconds = 0;  ///< Since it began.
};
/// Why a client has ended.
struct ClientEnd {
  bool is_good = true;  ///< The game or the server ended it on purpose.
  ErrorCode code = ErrorCode::cancelled;
  std::string text{};
};
/// Measurements and counts of a client since it was made.
struct GameClientMetrics {
  Duration round_trip{};
  /// How far the view is behind the server's states on a path without jitter.
  Duration interpolation_delay{};
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  double loss = 0;  ///< Share of the packets sent, 0 to 1.
  std::uint64_t snapshots = 0;
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t snapshots_late = 0;     ///< Too late to be of use.
  std::uint64_t snapshots_unknown = 0;  ///< Based on a state that this client does not have.
  std::uint64_t snapshots_malformed = 0;
  std::uint64_t resyncs = 0;      ///< The whole world was requested again.
  std::uint64_t checksums = 0;    ///< Checksums of entities, compared with the server's.
  std::uint64_t divergences = 0;  ///< Checksums that differed.
  std::uint64_t spawned = 0;
  std::uint64_t despawned = 0;
  // A load lasts from an entity's spawn until its whole prefab is present.
  std::uint64_t loads = 0;
  std::uint64_t loads_failed = 0;  ///< Assets that could not be loaded.
  Duration load_time{};            ///< The sum of all loads.
  Duration load_time_max{};
  std::uint64_t presentations = 0;  ///< Shown so far.
  std::uint64_t effects_played = 0;
  std::uint64_t effects_too_late = 0;
  std::uint64_t corrections = 0;       ///< Predictions that were corrected beyond a tolerance.
  std::uint64_t predicted_ticks = 0;   ///< Each counts once, however often it was replayed.
  std::uint64_t replayed_ticks = 0;    ///< Runs of ticks again, after a state of the server.
  Tick predicted_tick{};               ///< The last tick whose command was sent.
  Tick confirmed_tick{};               ///< The tick of the server's newest state.
  Duration lead{};                     ///< From the confirmed tick to the predicted one.
  std::uint64_t clock_jumps = 0;       ///< Jumps of both clocks, after stalls and outages.
  std::uint64_t resumes = 0;           ///< Lost connections that were replaced by new ones.
  std::uint64_t spawns_confirmed = 0;  ///< Predicted entities that the server has, too.
  std::uint64_t spawns_undone = 0;     ///< Predicted entities that the server does not have.
  // Effects and messages of this player's commands.
  std::uint64_t effects_predicted = 0;   ///< Played ahead of the server.
  std::uint64_t effects_late = 0;        ///< Predicted effects that were first played in a replay.
  std::uint64_t effects_repeated = 0;    ///< Copies that were not played, because one had played.
  std::uint64_t effects_unforeseen = 0;  ///< Played only when the server's copy arrived.
  std::uint64_t effects_undone = 0;      ///< Played, although the server did not play them.
  // Reported by the server.
  std::uint64_t starved_ticks = 0;    ///< Ticks for which this client's command was not in time.
  float command_loss = 0;             ///< Lost share of the packets with commands, 0 to 1.
  float command_earliness_ticks = 0;  ///< From a command's arrival to its tick; negative if late.
  std::uint32_t commands_waiting = 0;
};

}  // namespace muster
