// The client of a game: everything that a game's programmer calls.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "registry/base/player_id.h"
#include "runtime/session/build.h"
#include "runtime/session/edges.h"
#include "runtime/session/problem.h"
#include "runtime/session/session_options.h"
#include "runtime/session/system_context.h"

namespace muster {

/// A client of a server. One thread at a time. Callbacks run inside `frame`, on its thread. They
/// may call every function of the client except `frame`.
///
/// An `EntityId` is valid from `on_spawn` to `on_despawn`, on this machine only. An
/// `EntityReference` names the same entity on all machines.
class GameClient : public session_detail::ClientCalls {
 public:
  /// Fails for local causes only (build, key text, socket); `state` and `end` report network
  /// failures.
  static Result<std::unique_ptr<GameClient>> connect(const Build& build, Edges& edges,
                                                     const GameClientOptions& options);
  static Result<std::unique_ptr<GameClient>> connect(const Result<Build>& build, Edges& edges,
                                                     const GameClientOptions& options);
  /// Opens a recording. The client has the same functions, and plays at the recording's own rate.
  /// Functions that need a server do nothing. Fails with `not_found`, with `malformed`, and with
  /// `hash_mismatch` for a recording of another build.
  static Result<std::unique_ptr<GameClient>> play_recording(const Build& build, Edges& edges,
                                                            const std::string& path,
                                                            const GameClientOptions& options = {});
  static Result<std::unique_ptr<GameClient>> play_recording(const Result<Build>& build,
                                                            Edges& edges, const std::string& path,
                                                            const GameClientOptions& options = {});
  ~GameClient();

  /// Receives, applies, loads, interpolates and sends. Never waits.
  void frame(Time now);
  void run_frame();  ///< `frame(edges.now())`. Once per rendered frame, at any rate.
  void leave();      ///< Ends the connection; `state` is `over` after the next frame.

  /// The next frame shows this tick of a recording. The client ends if the recording ends before
  /// the tick. Fails with `unsupported` for a client of a server, and with `not_found` for a tick
  /// before the recording's first one.
  Result<void> seek(Tick tick);
  Tick first_tick() const;  ///< The first tick of a recording.

  GameClientState state() const;
  bool is_over() const { return state() == GameClientState::over; }
  std::string state_text() const;  ///< "playing, 42 ms", "no packet for 2 s": for the screen.
  const ClientEnd& end() const;    ///< Requires: `is_over()`.
  PlayerId player() const;         ///< `none` until the server has sent it.

  /// The input of this frame. A tick gets the latest value, and all presses since the last tick.
  template <Described T>
  void set_command(const T& command) {
    put_command(session_detail::named_value(command));
  }
  /// Returns false if a queue is full or there is no connection.
  template <Described T>
  bool send(const T& message, const SendOptions& options = {}) {
    return send_message(session_detail::named_value(message), options);
  }

  // The view: what should be drawn now, between two states of the server.
  /// Null if the entity is gone or lacks the component. The pointer is valid until the next frame.
  template <Described T>
  const T* get(EntityId entity) const {
    return component<T>(entity, true);
  }
  /// The server's newest value.
  template <Described T>
  const T* confirmed(EntityId entity) const {
    return component<T>(entity, false);
  }
  template <typename... C, typename Visit>
  void each(Visit visit) const requires(std::is_const_v<C>&&...) {
    visit_with<C...>(visit);
  }
  /// Shows an entity at another position first, and moves it to its own position over `length`. For
  /// example, the path of a shot begins at the eye, but it should be seen to leave the muzzle. To
  /// be called in `on_spawn`.
  void show_from(EntityId entity, Vec3 position, Duration length = std::chrono::milliseconds(500));
  bool is_mine(EntityId entity) const;
  /// Whether `get` and `each` show what this client has computed ahead of the server.
  bool is_predicted(EntityId entity) const;
  /// Begins or stops to predict an entity. By default a client predicts the entities of its player.
  /// Takes effect with the server's next state; the shown position does not jump. Predict things
  /// that the player acts on, such as a ball. Systems see no commands of other players.
  void set_predicted(EntityId entity, bool is_predicted);
  EntityId find(EntityReference reference) const;  ///< Null if this client does not have it.
  EntityReference reference(EntityId entity) const;
  std::string_view asset_path(EntityId entity) const;  ///< The project path of its prefab.
  Tick shown_tick() const;

  // Presentations and effects of the build, in a separate world.
  const World& view() const;
  /// The root of an entity's presentation in `view()`. The root follows the entity. All players see
  /// the presentation of type 0; the owner also sees the one of type 1. Null if there is none.
  EntityId presentation(EntityId entity, std::uint32_t type = 0) const;
  std::span<const PlayingEffect> effects() const;  ///< Valid until the next frame.

  void on_spawn(std::function<void(EntityId)> callback);    ///< The replicated values are present.
  void on_ready(std::function<void(EntityId)> callback);    ///< The whole prefab is present.
  void on_despawn(std::function<void(EntityId)> callback);  ///< `get` still works inside.
  /// Called once for each effect of systems and of the server. An effect of this player is reported
  /// at once, any other effect when the view shows its tick.
  void on_effect(std::function<void(const PlayedEffect&)> callback);
  /// Called when a prediction was wrong. The argument is the predicted entity (`on_despawn`
  /// follows), or the cause of an effect that should not have played. Fade the wrong thing out.
  void on_undone(std::function<void(EntityId)> callback);
  void on_level(std::function<void(std::string_view path)> callback);
  template <Described T>
  void on_message(std::type_identity_t<std::function<void(const T&)>> callback) {
    handle_with<T>(std::move(callback));
  }

  /// Replaces the open build by a newer one. Fails as `BundleStore::load` does, and with
  /// `unsupported` without `may_reload`.
  Result<ReloadSummary> reload(const Build& build);
  void on_problem(std::function<void(const Problem&)> callback);  ///< Default: the edges' log.
  GameClientMetrics metrics() const;
  /// The last predictions that were corrected, oldest first; at most 256.
  std::size_t misprediction_count() const;
  /// Requires: an index below `misprediction_count()`. Valid until the next frame.
  const Misprediction& misprediction(std::size_t index) const;
  std::string world_text() const;  ///< As `GameServer::world_text`, of the confirmed state.
  const World& world() const;

 private:
  explicit GameClient(std::unique_ptr<Impl> impl);
};

}  // namespace muster
