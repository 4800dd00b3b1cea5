// The server of a game: everything that a game's programmer calls.
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

/// A server: world, players, network. One thread at a time. Callbacks run inside `frame`, on its
/// thread, between ticks. They may call every function of the server except `frame`. A new callback
/// replaces the old one.
class GameServer : public session_detail::ServerCalls {
 public:
  /// Loads the replicated prefabs and the level. Fails as `BundleStore::load` does, with `busy` if
  /// the address is in use, and with `permission_denied` or `malformed` for the key file.
  static Result<std::unique_ptr<GameServer>> open(const Build& build, Edges& edges,
                                                  const GameServerOptions& options = {});
  /// The same; returns the error of `build` if it has one.
  static Result<std::unique_ptr<GameServer>> open(const Result<Build>& build, Edges& edges,
                                                  const GameServerOptions& options = {});
  ~GameServer();

  /// Receives, runs the ticks that are due, replicates and sends. Never waits. Returns the time
  /// until the next tick.
  Duration frame(Time now);
  void run_frame();                 ///< Waits for a datagram or the next tick, then runs a frame.
  int run(const StopSignal& stop);  ///< Runs frames until stopped or closed. Returns 0.
  /// Ends all connections and admits no new ones. Clients see the reason. If a callback calls this,
  /// it takes effect when the frame ends.
  void close(std::string_view reason = "the server closes");

  // Players.
  void on_join(std::function<void(PlayerId)> callback);
  void on_leave(std::function<void(PlayerId, std::string_view reason)> callback);
  /// `callback` returns nothing to admit a client, or a text to refuse it with that reason. Without
  /// a callback, all clients are admitted.
  void on_apply(std::function<std::optional<std::string>(const PlayerInfo&)> callback);
  std::span<const PlayerInfo> players() const;  ///< Valid until the next frame.
  void kick(PlayerId player, std::string_view reason);

  // Entities. Null ids, and ids of entities that are gone, are safe everywhere.
  /// Returns null and reports a problem if the build lacks the type or no network id is free.
  template <Described... T>
  EntityId spawn(EntityType type, const SpawnOptions& options = {}, const T&... values) {
    return spawn_with(type, options, values...);
  }
  void despawn(EntityId entity);  ///< At the end of the next tick.
  void despawn_all_of(PlayerId player);
  void set_options(EntityId entity, const SpawnOptions& options);
  EntityId owned(PlayerId player, EntityType type);  ///< The player's first one, or null.
  /// Null if the entity is gone or does not have the component. The pointer is valid until the next
  /// frame or spawn.
  template <Described T>
  const T* get(EntityId entity) {
    return component<T>(entity);
  }
  template <Described T>
  T* edit(EntityId entity) {
    return component<T>(entity);
  }
  /// Returns false and reports a problem if the prefab of a replicated entity lacks the component:
  /// see `ProblemKind::unsupported_change`.
  template <Described T>
  bool add(EntityId entity, const T& value = {}) {
    return add_component(entity, session_detail::named_value(value));
  }
  template <Described T>
  bool remove(EntityId entity) {
    return remove_component(entity, described_name<T>());
  }
  /// `visit(C&...)` or `visit(EntityId, C&...)` for each entity that has all of the components.
  template <typename... C, typename Visit>
  void each(Visit visit) {
    visit_with<C...>(visit);
  }
  EntityReference reference(EntityId entity) const;
  EntityId find(EntityReference reference) const;

  // Interest. Without a view position, entities with `visible_within` are not sent to a player.
  void set_view(PlayerId player, EntityId follow);
  void set_view(PlayerId player, Vec3 position);
  void set_team(PlayerId player, std::uint8_t team);

  // Messages. `send` returns false if a queue is full or the player is gone.
  template <Described T>
  bool send(PlayerId player, const T& message, const SendOptions& options = {}) {
    return send_message(player, session_detail::named_value(message), options);
  }
  template <Described T>
  void send_all(const T& message, const SendOptions& options = {}) {
    send_message_to_all(session_detail::named_value(message), options);
  }
  /// To the players whose view position is within `metres` of `position`.
  template <Described T>
  void send_near(Vec3 position, float metres, const T& message, const SendOptions& options = {}) {
    send_message_near(position, metres, session_detail::named_value(message), options);
  }
  /// Plays an effect at the next tick for all near players, like `SystemContext::play`.
  void play(EffectType effect, const EffectOptions& options);
  template <Described T>
  void on_message(std::type_identity_t<std::function<void(PlayerId, const T&)>> callback) {
    handle_with<T>(std::move(callback));
  }

  /// Sets a field of a player's next command to its value in `command`, on server and client. The
  /// player's later input continues from that value. An example is the view direction at a respawn.
  /// Returns false if the player is gone, if `Game::commands` does not have the command, or if the
  /// field does not exist or is not a number.
  template <Described T>
  bool force_command(PlayerId player, std::string_view field, const T& command) {
    return force_field(player, session_detail::named_value(command), field);
  }

  /// Despawns all entities and loads a level. The systems pause until it is loaded. Then the game
  /// spawns its entities in `on_level`. Returns false and reports a problem for an unknown level.
  bool load_level(LevelKey level);
  /// Called when a level is loaded. The entities that the level places exist then.
  void on_level(std::function<void()> callback);
  // Operation.
  /// Replaces the open build by a newer one, with its values and types. Clients must do the same.
  /// Fails as `BundleStore::load` does, and with `unsupported` without `may_reload`.
  Result<ReloadSummary> reload(const Build& build);
  /// Records the world and the messages at ticks that are sent to all players, until
  /// `stop_recording`. The file can be played at any time, also after a crash
  /// (`GameClient::play_recording`). If the disk fails later, the recording ends and a problem is
  /// reported. Fails as the disk does.
  Result<void> record(const std::string& path);
  void stop_recording();
  void on_problem(std::function<void(const Problem&)> callback);  ///< Default: the edges' log.
  GameServerMetrics metrics() const;
  std::string metrics_text() const;  ///< Prometheus' text format.
  /// The world that a player receives, one line per field, regardless of `visible_within`.
  std::string world_text(PlayerId player) const;
  Tick tick() const;
  std::string address() const;     ///< With the port that the system chose.
  std::string public_key() const;  ///< 64 hex digits, for clients.
  World& world();

 private:
  explicit GameServer(std::unique_ptr<Impl> impl);
};

}  // namespace muster
