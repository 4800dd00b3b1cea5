// The client of a game, with all functions that a game calls on the client.
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

/// A client of a server. Only one thread at a time may use this object. Callbacks run inside
/// `frame`. A callback may call every function of the client except `frame`. An `EntityId` is valid
/// from `on_spawn` to `on_despawn`, on this machine only. An `EntityReference` is valid on all
/// machines.
class GameClient : public session_detail::ClientCalls {
 public:
  /// Begins to connect to a server. Fails only for local causes: the build, the key text or the
  /// socket. `state` and `end` report network failures.
  static Result<std::unique_ptr<GameClient>> connect(const Build& build, Edges& edges,
                                                     const GameClientOptions& options);
  static Result<std::unique_ptr<GameClient>> connect(const Result<Build>& build, Edges& edges,
                                                     const GameClientOptions& options);
  /// Opens a recording. The client plays the recording at the recording's tick rate. Functions that
  /// need a server do nothing. Fails with `not_found`, with `malformed`, or with `hash_mismatch` if
  /// another build made the recording.
  static Result<std::unique_ptr<GameClient>> play_recording(const Build& build, Edges& edges,
                                                            const std::string& path,
                                                            const GameClientOptions& options = {});
  static Result<std::unique_ptr<GameClient>> play_recording(const Result<Build>& build,
                                                            Edges& edges, const std::string& path,
                                                            const GameClientOptions& options = {});
  ~GameClient();

  /// Receives, applies, loads, interpolates and sends. Never waits.
  void frame(Time now);
  void run_frame();  ///< Calls `frame(edges.now())`. Call it once per rendered frame.
  void leave();      ///< Ends the connection; `state` is `over` after the next frame.

  /// Makes the next frame show this tick of a recording. The client ends if the recording ends
  /// before the tick. Fails with `unsupported` for a client of a server, and with `not_found` for a
  /// tick before the recording's first tick.
  Result<void> seek(Tick tick);
  Tick first_tick() const;  ///< The first tick of a recording.

  GameClientState state() const;
  bool is_over() const { return state() == GameClientState::over; }
  std::string state_text() const;  ///< A text for the screen, for example "playing, 42 ms".
  const ClientEnd& end() const;    ///< Requires: `is_over()`.
  PlayerId player() const;         ///< The player's id; `none` until the server has sent the id.

  /// Sets the input of this frame. A tick gets the latest value, and all presses since the last
  /// tick.
  template <Described T>
  void set_command(const T& command) {
    put_command(session_detail::named_value(command));
  }
  /// Sends a message to the server. Returns false if a queue is full or there is no connection.
  template <Described T>
  bool send(const T& message, const SendOptions& options = {}) {
    return send_message(session_detail::named_value(message), options);
  }

  // The view: the values to draw now, which are interpolated between two states of the server.
  /// Returns the component as it should be drawn now. The result is null if the entity does not
  /// exist or lacks the component. The pointer is valid until the next frame.
  template <Described T>
  const T* get(EntityId entity) const {
    return component<T>(entity, true);
  }
  /// Returns the newest received value of the component, or null as `get` does. The pointer is
  /// valid until the next frame.
  template <Described T>
  const T* confirmed(EntityId entity) const {
    return component<T>(entity, false);
  }
  template <typename... C, typename Visit>
  void each(Visit visit) const requires(std::is_const_v<C>&&...) {
    visit_with<C...>(visit);
  }
  /// Shows an entity at `position` first, and moves it to its computed position over `length`. For
  /// example, the path of a shot begins at the eye, but should be seen to begin at the muzzle. Call
  /// this function in `on_spawn`.
  void show_from(EntityId entity, Vec3 position, Duration length = std::chrono::milliseconds(500));
  bool is_mine(EntityId entity) const;
  /// Whether `get` and `each` show what this client has computed ahead of the server.
  bool is_predicted(EntityId entity) const;
  /// Switches the prediction of an entity on or off, for example of a ball that the player pushes.
  /// By default, a client predicts its player's entities. The change takes effect with the server's
  /// next state, without a jump. Predicted systems do not get the commands of other players.
  void set_predicted(EntityId entity, bool is_predicted);
  EntityId find(EntityReference reference) const;  ///< Null if this client lacks the entity.
  EntityReference reference(EntityId entity) const;
  std::string_view asset_path(EntityId entity) const;  ///< The project path of the entity's prefab.
  Tick shown_tick() const;

  // Presentations and effects of the build, in a separate world.
  const World& view() const;
  /// Returns the root of an entity's presentation in `view()`, or null if the entity has no
  /// presentation of this type. The root follows the entity.
  EntityId presentation(EntityId entity, PresentationType type = PresentationType::shared) const;
  std::span<const PlayingEffect> effects() const;  ///< Valid until the next frame.

  /// Called when an entity has its replicated values.
  void on_spawn(std::function<void(EntityId)> callback);
  /// Called when an entity has its whole prefab.
  void on_ready(std::function<void(EntityId)> callback);
  /// Called before an entity despawns. Inside the callback, `get` still works.
  void on_despawn(std::function<void(EntityId)> callback);
  /// Sets the function that is called once for each effect that a system or the server plays. A
  /// predicted effect of this player is reported immediately. Any other effect is reported when the
  /// view shows the effect's tick.
  void on_effect(std::function<void(const PlayedEffect&)> callback);
  /// Sets the function that is called when a prediction was wrong. The argument is a wrongly
  /// predicted entity, or the cause of an effect that should not have played. For a wrongly
  /// predicted entity, `on_despawn` follows. A game can fade the entity or the effect out.
  void on_undone(std::function<void(EntityId)> callback);
  void on_level(std::function<void(std::string_view path)> callback);
  template <Described T>
  void on_message(std::type_identity_t<std::function<void(const T&)>> callback) {
    handle_with<T>(std::move(callback));
  }

  /// Replaces the open build by a newer build. Fails if a bundle cannot be loaded, or with
  /// `unsupported` if `GameClientOptions::may_reload` is false.
  Result<ReloadSummary> reload(const Build& build);
  void on_problem(std::function<void(const Problem&)> callback);  ///< Default: the edges' log.
  GameClientMetrics metrics() const;
  /// The number of stored mispredictions: the last 256 or fewer, oldest first.
  std::size_t misprediction_count() const;
  /// Returns a stored misprediction, which is valid until the next frame. Requires: an index below
  /// `misprediction_count()`.
  const Misprediction& misprediction(std::size_t index) const;
  std::string world_text() const;  ///< The confirmed state, as `GameServer::world_text` writes it.
  const World& world() const;

 private:
  explicit GameClient(std::unique_ptr<Impl> impl);
};

}  // namespace muster
