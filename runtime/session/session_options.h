// The options and metrics of servers and clients.
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

/// The options of a server.
struct GameServerOptions {
  std::string listen = "[::]:7000";  ///< The address and port of the server's socket.
  /// The file with the server's secret key. The server creates the file if it does not exist. If
  /// the path is empty, the server makes a new key in each run.
  std::string key_file = "server.key";
  std::optional<LevelKey> level{};  ///< The level that is loaded before the first tick.
  std::uint16_t players_max = 64;
  /// The maximum number of connected players with the same address, or with the same /64 network
  /// for IPv6. Besides these, the same number of players with lost connections may reconnect
  /// (`resume_time`).
  std::uint16_t players_per_address = 8;
  std::uint64_t seed = 1;            ///< The seed of `SystemContext::random`.
  bool admit_other_content = false;  ///< Admits clients with other builds; fields match by name.
  /// The maximum number of messages per second, per player and message type. Messages above this
  /// limit are dropped.
  std::uint32_t messages_per_second_max = 100;
  /// The number of threads that encode snapshots. The encoded bytes do not depend on this number.
  std::uint16_t workers = 1;
  /// The file to which the packets of all connections are written, for `muster-net`. If empty, no
  /// file is written.
  std::string capture_file{};
  bool may_reload = false;  ///< Allows `GameServer::reload`, which needs memory for each entity.
  /// The time for which a player with a lost connection may reconnect and keeps its id and
  /// entities. If 0, the player leaves immediately.
  Duration resume_time = std::chrono::seconds(30);
};

/// A connected player.
struct PlayerInfo {
  PlayerId player = PlayerId::none;
  std::string address{};  ///< The address of the player's last connection.
  Duration round_trip{};
  EntityId view{};  ///< The entity that the player's view follows.
  /// True if no packet has arrived for 3 s, or if the connection is lost.
  bool is_interrupted = false;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t packets_out = 0;
  double loss = 0;  ///< The share of lost packets, 0 to 1.
  std::uint64_t snapshots = 0;
  std::uint64_t snapshot_bytes = 0;
  /// Changes that did not fit into a packet and were sent later.
  std::uint64_t changes_deferred = 0;
  std::uint64_t snapshots_skipped = 0;  ///< Snapshots that did not fit into a packet.
  std::uint64_t resyncs = 0;            ///< The requests of the client for the whole world.
  std::uint64_t divergences = 0;        ///< The entities whose values on the client differed.
};

/// Measurements and counts of a server since it was opened.
struct GameServerMetrics {
  Tick tick{};
  std::uint32_t players = 0;
  std::uint32_t entities = 0;
  std::uint64_t spawned = 0;  ///< The number of spawned replicated entities.
  std::uint64_t despawned = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t skipped_ticks = 0;
  /// The number of component values outside their ranges, counted in each tick in which the entity
  /// changes, plus the number of sent messages with such a value. Only the first value of each
  /// field and type of entity is also reported as a problem.
  std::uint64_t clamped_values = 0;
  std::uint64_t problems = 0;
};

/// The options of a client.
struct GameClientOptions {
  std::string server{};  ///< For example "play.example.org:7000" or "[::1]:7000".
  std::string key{};     ///< The server's public key, 64 hex digits.
  Duration connect_timeout = std::chrono::seconds(10);
  /// The time for which a client with a lost connection tries to reconnect as the same player. If
  /// 0, the client ends immediately.
  Duration resume_timeout = std::chrono::seconds(30);
  /// The project path of a prefab that replaces presentations and effects that cannot be loaded.
  std::string placeholder{};
  std::uint16_t platforms = kPlatformClient;  ///< The platform bits that a presentation must have.
  /// The number of threads that load bundles. If 0, `frame` loads the bundles itself, in a
  /// deterministic order.
  std::uint32_t loading_threads = 1;
  /// The file to which the packets of the connection are written, for `muster-net`. If empty, no
  /// file is written.
  std::string capture_file{};
  bool may_reload = false;  ///< Allows `GameClient::reload`, which needs memory for each entity.
};
/// The state of a client.
enum class GameClientState : std::uint8_t {
  resolving,  ///< The server's name is being looked up.
  connecting,
  loading,  ///< The level is being loaded, and the first state of the world is being received.
  playing,
  interrupted,  ///< No packet has arrived for 3 s, or a new connection is being made.
  over,
};
/// The argument of `GameClient::on_effect`: an effect that begins now. The text in `effect` lives
/// as long as the call.
struct PlayedEffect {
  EffectType effect;
  Vec3 position{};
  Quaternion rotation{};
  std::optional<Vec3> line_end{};
  EntityId cause{};           ///< Null if this client does not have the entity.
  bool is_predicted = false;  ///< Whether the effect was predicted for a command of this player.
  /// Whether the effect plays some ticks late. An effect is late if a replay caused it, or if it
  /// was not predicted.
  bool is_late = false;
};
/// An effect that is playing: `GameClient::effects`.
struct PlayingEffect {
  EntityId root{};  ///< The root of the effect's prefab in `GameClient::view`.
  TypeId type{};
  Vec3 position{};  ///< The current position. For an effect along a line, the position of its head.
  Quaternion rotation{};
  Vec3 line_start{};
  Vec3 line_end{};
  float seconds = 0;  ///< The time since the effect began.
};
/// The reason why a client has ended.
struct ClientEnd {
  bool is_good = true;  ///< Whether the game or the server ended the client on purpose.
  ErrorCode code = ErrorCode::cancelled;
  std::string text{};
};
/// Measurements and counts of a client since it was opened.
struct GameClientMetrics {
  Duration round_trip{};
  /// The time by which the view is behind the server, minus the usual delay of the network path.
  Duration interpolation_delay{};
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  double loss = 0;  ///< The share of lost packets, 0 to 1.
  std::uint64_t snapshots = 0;
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t snapshots_late = 0;  ///< Snapshots that arrived too late to be used.
  /// Snapshots based on a state that this client does not have.
  std::uint64_t snapshots_unknown = 0;
  std::uint64_t snapshots_malformed = 0;
  std::uint64_t resyncs = 0;      ///< Requests for the whole world.
  std::uint64_t checksums = 0;    ///< Checksums that were compared with the server's checksums.
  std::uint64_t divergences = 0;  ///< Checksums that differed.
  std::uint64_t spawned = 0;
  std::uint64_t despawned = 0;
  // A load lasts from an entity's spawn until the entity's whole prefab is present.
  std::uint64_t loads = 0;
  std::uint64_t loads_failed = 0;  ///< Assets that could not be loaded.
  Duration load_time{};            ///< The sum of the times of all loads.
  Duration load_time_max{};
  std::uint64_t presentations = 0;  ///< The number of presentations that were shown.
  std::uint64_t effects_played = 0;
  std::uint64_t effects_too_late = 0;
  std::uint64_t corrections = 0;  ///< Predictions that differed by more than a tolerance.
  /// Ticks that were predicted. A replayed tick is not counted again.
  std::uint64_t predicted_ticks = 0;
  std::uint64_t replayed_ticks = 0;    ///< Ticks that ran again in replays.
  Tick predicted_tick{};               ///< The tick of the last sent command.
  Tick confirmed_tick{};               ///< The tick of the server's newest state.
  Duration lead{};                     ///< The time from the confirmed tick to the predicted tick.
  std::uint64_t clock_jumps = 0;       ///< Jumps of the two clocks, for example after a stall.
  std::uint64_t resumes = 0;           ///< Lost connections that new connections have replaced.
  std::uint64_t spawns_confirmed = 0;  ///< Predicted entities that the server also spawned.
  std::uint64_t spawns_undone = 0;     ///< Predicted entities that the server did not spawn.
  // Counts of effects and messages that this player's commands caused.
  std::uint64_t effects_predicted = 0;  ///< Effects that played before the server's copy arrived.
  std::uint64_t effects_late = 0;       ///< Predicted effects that first played in a replay.
  /// Copies that were dropped, because the effect had played.
  std::uint64_t effects_repeated = 0;
  /// Effects that played only when the server's copy arrived.
  std::uint64_t effects_unforeseen = 0;
  std::uint64_t effects_undone = 0;  ///< Effects that played, but that the server did not play.
  // Values that the server reports.
  std::uint64_t starved_ticks = 0;  ///< Ticks for which this client's command arrived too late.
  float command_loss = 0;           ///< The share of lost packets with commands, 0 to 1.
  /// The time from a command's arrival to its tick, in ticks. Negative if the command is late.
  float command_earliness_ticks = 0;
  std::uint32_t commands_waiting = 0;  ///< Commands that wait on the server.
};

}  // namespace muster
