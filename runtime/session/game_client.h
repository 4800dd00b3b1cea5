// A game's client. One header for its programmer.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "runtime/session/build.h"
#include "runtime/session/edges.h"
#include "runtime/session/misprediction_log.h"
#include "runtime/session/system_context.h"

namespace muster {

struct GameClientOptions {
  std::string server{};  ///< "play.example.org:7000", "[::1]:7000". Resolved without blocking.
  std::string key{};     ///< The server's public key, 64 hex digits.
  Duration connect_timeout = std::chrono::seconds(10);
};
enum class GameClientState : std::uint8_t {
  resolving,  ///< The server's name is being looked up.
  connecting,
  loading,  ///< The level and the first state of the world are on their way.
  playing,
  interrupted,  ///< No packet has arrived for some seconds.
  over,
};
/// An effect that begins now: `GameClient::on_effect`. Its text lives as long as the call.
struct PlayedEffect {
  EffectType effect;
  Vec3 position{};
  Quaternion rotation{};
  std::optional<Vec3> line_end{};
  EntityId cause{};           ///< Null when that entity is not here.
  bool is_predicted = false;  ///< Played ahead of the server, for a command of this player.
  /// It happened some ticks ago: only a replay did it, or this client did not foresee it.
  bool is_late = false;
};
/// Why a client is over.
struct ClientEnd {
  bool is_good = true;  ///< The game or the server ended it on purpose.
  ErrorCode code = ErrorCode::cancelled;
  std::string text{};
};
struct GameClientMetrics {
  Duration round_trip{};
  /// How far the view is behind the server's states on a path without jitter.
  Duration interpolation_delay{};
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t divergences = 0;
  std::uint64_t corrections = 0;       ///< Predictions that were corrected beyond a tolerance.
  std::uint64_t predicted_ticks = 0;   ///< That were run once.
  std::uint64_t replayed_ticks = 0;    ///< That were run again, after a state of the server.
  Tick predicted_tick{};               ///< The last one whose command was sent.
  Tick confirmed_tick{};               ///< The tick of the server's newest state.
  Duration lead{};                     ///< From the confirmed tick to the predicted one.
  std::uint64_t clock_jumps = 0;       ///< Of both clocks: after stalls and outages.
  std::uint64_t spawns_confirmed = 0;  ///< Predicted entities that the server has, too, ...
  std::uint64_t spawns_undone = 0;     ///< ... and those that it does not have.
  // Effects and messages of own commands.
  std::uint64_t effects_predicted = 0;   ///< Played ahead of the server.
  std::uint64_t effects_late = 0;        ///< Predicted ones that a replay did first.
  std::uint64_t effects_repeated = 0;    ///< Not played again.
  std::uint64_t effects_unforeseen = 0;  ///< Played when the server's copy came.
  std::uint64_t effects_undone = 0;
  // As the server reports it.
  std::uint64_t starved_ticks = 0;    ///< For which this client's command had not arrived in time.
  float command_loss = 0;             ///< Of packets with commands, 0 to 1.
  float command_earliness_ticks = 0;  ///< From a command's arrival to its tick; below 0: late.
  std::uint32_t commands_waiting = 0;
};

/// A client of a server. One thread at a time; callbacks run inside `frame`, on its thread, and may
/// call everything here but `frame`.
///
/// An `EntityId` is valid from `on_spawn` to `on_despawn`. It means nothing on another machine;
/// `EntityReference` fields do.
class GameClient {
 public:
  /// Fails for local causes only (build, key text, socket); those of the network show in `state`
  /// and `end`.
  static Result<std::unique_ptr<GameClient>> connect(const Build& build, Edges& edges,
                                                     const GameClientOptions& options);
  static Result<std::unique_ptr<GameClient>> connect(const Result<Build>& build, Edges& edges,
                                                     const GameClientOptions& options);
  /// A viewer of a recording: the same calls, at the recording's own rate; what needs a server does
  /// nothing. Fails with `not_found`, `malformed`, or `hash_mismatch` for another build's
  /// recording.
  static Result<std::unique_ptr<GameClient>> play_recording(const Build& build, Edges& edges,
                                                            const std::string& path);
  static Result<std::unique_ptr<GameClient>> play_recording(const Result<Build>& build,
                                                            Edges& edges, const std::string& path);
  ~GameClient();

  /// Receives, applies, loads, interpolates, sends; never waits.
  void frame(Time now);
  void run_frame();  ///< `frame(edges.now())`. Once per rendered frame, at any rate.
  void leave();      ///< Ends the connection; `state` is `over` after the next frame.

  /// Goes to a tick of a recording with the next frame. Fails with `unsupported` for a client of a
  /// server, and with `not_found` for a tick before the recording's first one.
  Result<void> seek(Tick tick);

  GameClientState state() const;
  bool is_over() const { return state() == GameClientState::over; }
  std::string state_text() const;  ///< "playing, 42 ms", "no packet for 2 s": for the screen.
  const ClientEnd& end() const;    ///< Requires: `is_over()`.
  PlayerId player() const;         ///< `none` until the server has sent it.

  /// What this frame's devices say. Ticks get the latest value; buttons keep every press.
  template <Described T>
  void set_command(const T& command) {
    put_command(session_detail::named_value(command));
  }
  /// False when a queue is full or there is no connection.
  template <Described T>
  bool send(const T& message, const SendOptions& options = {}) {
    return send_message(session_detail::named_value(message), options);
  }

  // The view: what should be drawn now, between two states of the server.
  /// Null when gone or without it. The pointer is valid until the next frame.
  template <Described T>
  const T* get(EntityId entity) const {
    return reinterpret_cast<const T*>(find_component(described_name<T>(), entity, sizeof(T), true));
  }
  /// The server's newest value.
  template <Described T>
  const T* confirmed(EntityId entity) const {
    return reinterpret_cast<const T*>(
        find_component(described_name<T>(), entity, sizeof(T), false));
  }
  template <typename... C, typename Visit>
  void each(Visit visit) const requires(std::is_const_v<C>&&...) {
    session_detail::check_visit<Visit, C...>();
    const auto visited = session_detail::visited<C...>();
    visit_entities(visited, &visit, &session_detail::visit_erased<Visit, C...>);
  }
  /// Shows an entity at another position at first, and over `length` ever less far from its own:
  /// a shot that leaves the muzzle, while its path begins at the eye. For `on_spawn`.
  void show_from(EntityId entity, Vec3 position, Duration length = std::chrono::milliseconds(500));
  bool is_mine(EntityId entity) const;
  /// Whether `get` and `each` show what this client has computed ahead of the server.
  bool is_predicted(EntityId entity) const;
  EntityId find(EntityReference reference) const;  ///< Null until it is here.
  EntityReference reference(EntityId entity) const;
  std::string_view asset_path(EntityId entity) const;  ///< The project path of its prefab.
  Tick shown_tick() const;

  void on_spawn(std::function<void(EntityId)> callback);    ///< Its replicated values are there.
  void on_despawn(std::function<void(EntityId)> callback);  ///< `get` still works inside.
  /// Effects of systems and of the server, each once: own ones at once, others when the view shows
  /// their tick.
  void on_effect(std::function<void(const PlayedEffect&)> callback);
  /// A prediction turned out wrong: the predicted entity, which `on_despawn` ends next, or the
  /// cause of an effect that should not have played. Fade it out.
  void on_undone(std::function<void(EntityId)> callback);
  void on_level(std::function<void(std::string_view path)> callback);
  template <Described T>
  void on_message(std::type_identity_t<std::function<void(const T&)>> callback) {
    handle_message(described_name<T>(), sizeof(T), [callback = std::move(callback)](Bytes bytes) {
      callback(*reinterpret_cast<const T*>(bytes.data()));
    });
  }

  void on_problem(std::function<void(const Problem&)> callback);  ///< Default: the edges' log.
  GameClientMetrics metrics() const;
  /// The last predictions that were corrected, oldest first; at most `MispredictionLog::kKept`.
  std::size_t misprediction_count() const;
  /// Requires: an index below `misprediction_count()`. Valid until the next frame.
  const Misprediction& misprediction(std::size_t index) const;
  const World& world() const;

 private:
  friend class SimulatedMatch;
  friend struct SessionAccess;
  struct Impl;
  explicit GameClient(std::unique_ptr<Impl> impl);
  void put_command(const session_detail::NamedValue& command);
  bool send_message(const session_detail::NamedValue& message, const SendOptions& options);
  const std::byte* find_component(std::string_view name, EntityId entity, std::size_t bytes,
                                  bool is_view) const;
  void visit_entities(std::span<const session_detail::VisitedComponent> components, void* visitor,
                      session_detail::VisitRun visit) const;
  void handle_message(std::string_view name, std::size_t bytes, std::function<void(Bytes)> handler);

  std::unique_ptr<Impl> impl_;
};

}  // namespace muster
