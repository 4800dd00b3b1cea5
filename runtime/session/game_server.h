// The server of a game, with all functions that a game calls on the server.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "registry/base/player_id.h"
#include "runtime/session/build.h"
#include "runtime/session/edges.h"
#include "runtime/session/session_options.h"
#include "runtime/session/system_context.h"

namespace muster {

/// A server with its world, players and network. Only one thread at a time may use this object.
/// Callbacks run inside `frame`, on the thread that calls `frame`, between ticks. A callback may
/// call every function of the server except `frame`. A new callback replaces the previous callback.
class GameServer : public session_detail::ServerCalls {
 public:
  /// Opens a server, and loads the replicated prefabs and the level. Fails if a bundle cannot be
  /// loaded, if the address is in use (`busy`), or if the key file cannot be used.
  static Result<std::unique_ptr<GameServer>> open(const Build& build, Edges& edges,
                                                  const GameServerOptions& options = {});
  /// Does the same with the value of `build`, or returns the error of `build`.
  static Result<std::unique_ptr<GameServer>> open(const Result<Build>& build, Edges& edges,
                                                  const GameServerOptions& options = {});
  ~GameServer();

  /// Receives, runs the due ticks and sends. Never waits. Returns the time until the next tick.
  Duration frame(Time now);
  void run_frame();                 ///< Waits for a datagram or the next tick, then runs a frame.
  int run(const StopSignal& stop);  ///< Runs frames until stopped or closed. Returns 0.
  /// Ends all connections and admits no new connections. The clients receive the reason. If a
  /// callback calls this function, the server closes when the frame ends.
  void close(std::string_view reason = "the server closes");

  // Players.
  void on_join(std::function<void(PlayerId)> callback);
  void on_leave(std::function<void(PlayerId, std::string_view reason)> callback);
  /// The callback returns nothing to admit a client (the default), or a reason to refuse it.
  void on_apply(std::function<std::optional<std::string>(const PlayerInfo&)> callback);
  std::span<const PlayerInfo> players() const;  ///< Valid until the next frame.
  void kick(PlayerId player, std::string_view reason);

  // Entities. All functions accept null ids and the ids of removed entities.
  /// Returns null and reports a problem if the build lacks the type or no network id is free.
  template <Described... T>
  EntityId spawn(EntityType type, const SpawnOptions& options = {}, const T&... values) {
    return spawn_with(type, options, values...);
  }
  void despawn(EntityId entity);  ///< Removes the entity at the end of the next tick.
  void despawn_all_of(PlayerId player);
  void set_options(EntityId entity, const SpawnOptions& options);
  EntityId owned(PlayerId player, EntityType type);  ///< The player's first such entity, or null.
  /// Returns null if the entity does not exist or does not have the component. The pointer is valid
  /// until the next frame or spawn.
  template <Described T>
  const T* get(EntityId entity) {
    return component<T>(entity);
  }
  template <Described T>
  T* edit(EntityId entity) {
    return component<T>(entity);
  }
  /// Returns false and reports `unsupported_change` if a replicated prefab lacks the component.
  template <Described T>
  bool add(EntityId entity, const T& value = {}) {
    return add_component(entity, session_detail::named_value(value));
  }
  template <Described T>
  bool remove(EntityId entity) {
    return remove_component(entity, described_name<T>());
  }
  /// Calls `visit(C&...)` or `visit(EntityId, C&...)` for each entity with all the components.
  template <typename... C, typename Visit>
  void each(Visit visit) {
    visit_with<C...>(visit);
  }
  EntityReference reference(EntityId entity) const;
  EntityId find(EntityReference reference) const;

  // Interest. Without a view position, a player receives no `visible_within` entities of others.
  void set_view(PlayerId player, EntityId follow);
  void set_view(PlayerId player, Vec3 position);
  void set_team(PlayerId player, std::uint8_t team);

  // Messages. `send` returns false if a queue is full or the player has left. See also `Timing`.
  template <Described T>
  bool send(PlayerId player, const T& message, const SendOptions& options = {}) {
    return send_message(player, session_detail::named_value(message), options);
  }
  template <Described T>
  void send_all(const T& message, const SendOptions& options = {}) {
    send_message_to_all(session_detail::named_value(message), options);
  }
  /// Sends a message to the players whose view position is within `metres` of `position`.
  template <Described T>
  void send_near(Vec3 position, float metres, const T& message, const SendOptions& options = {}) {
    send_message_near(position, metres, session_detail::named_value(message), options);
  }
  /// Plays an effect at the next tick for all near players, as `SystemContext::play` does.
  void play(EffectType effect, const EffectOptions& options);
  template <Described T>
  void on_message(std::type_identity_t<std::function<void(PlayerId, const T&)>> callback) {
    handle_with<T>(std::move(callback));
  }

  /// Sets a field of a player's next command to its value in `command`, on server and client. Later
  /// input continues from that value. An example is the view direction at a respawn. Returns false
  /// if the player has left, or if the command has no number, vector or bool with this name.
  template <Described T>
  bool force_command(PlayerId player, std::string_view field, const T& command) {
    return force_field(player, session_detail::named_value(command), field);
  }

  /// Despawns all entities and loads a level. The systems pause until the level is loaded. Returns
  /// false and reports a problem if the build does not have the level.
  bool load_level(LevelKey level);
  /// Runs the callback when a level of `load_level` is loaded. It can spawn more entities.
  void on_level(std::function<void()> callback);
  // Operation of the server.
  /// Replaces the open build by a newer build. Clients must also reload. Fails if a bundle cannot
  /// be loaded, or with `unsupported` if `GameServerOptions::may_reload` is false.
  Result<ReloadSummary> reload(const Build& build);
  /// Records the world, and the messages to all players with `Timing::at_tick`, until
  /// `stop_recording`. `GameClient::play_recording` plays the file, even after a crash. Fails if
  /// the file cannot be made. If writing fails later, a problem is reported.
  Result<void> record(const std::string& path);
  void stop_recording();
  void on_problem(std::function<void(const Problem&)> callback);  ///< Default: the edges' log.
  GameServerMetrics metrics() const;
  std::string metrics_text() const;  ///< Prometheus' text format.
  /// The world that a player receives, as a text with one line per field. Ignores `visible_within`.
  std::string world_text(PlayerId player) const;
  Tick tick() const;
  std::string address() const;     ///< The server's address, with the port that the system chose.
  std::string public_key() const;  ///< The public key, which clients need; 64 hex digits.
  World& world();  ///< See `SystemContext::world` about changes that clients do not receive.

 private:
  explicit GameServer(std::unique_ptr<Impl> impl);
};

}  // namespace muster
