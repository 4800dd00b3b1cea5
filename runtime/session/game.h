// The description of a game: its data, its rules and its tick rate. Server and client share the
// description.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "registry/base/clock.h"
#include "registry/base/player_id.h"
#include "registry/base/type_id.h"
#include "registry/components/describe.h"
#include "runtime/session/problem.h"
#include "runtime/sync/hit_volume.h"

namespace muster {

class SystemContext;
class World;

/// Names a registry entry. A key is a type id, the project path of the entry's asset, or the last
/// part of that path without its extension. `muster list --format cpp` writes the type ids as
/// constants. The short form is valid only if no other entry has the same last part. A text must
/// stay valid until the call with this key returns.
template <typename Registry>
class RegistryKey {
 public:
  constexpr RegistryKey(TypeId id) : id_(id) {}                  // NOLINT: a key is an id
  constexpr RegistryKey(std::string_view name) : name_(name) {}  // NOLINT: or a name
  constexpr RegistryKey(const char* name) : name_(name) {}       // NOLINT
  constexpr std::optional<TypeId> id() const { return id_; }
  constexpr std::string_view name() const { return name_; }

 private:
  std::optional<TypeId> id_{};
  std::string_view name_{};
};
using EntityType = RegistryKey<struct ReplicatedEntityRegistry>;
using LevelKey = RegistryKey<struct LevelRegistry>;
using EffectType = RegistryKey<struct EffectRegistry>;

/// The position of an entity in metres, its rotation and its scale. Interest and interpolation use
/// this component. Instead of this struct, a game may describe its own component named "Transform"
/// with a `Vec3` field "position".
struct Transform {
  Vec3 position{};
  Quaternion rotation{};
  Vec3 scale{1, 1, 1};
};
consteval auto describe(Type<Transform>) {
  return Describe<Transform>("Transform")
      .field<&Transform::position>("position", {.unit = "m",
                                                .minimum = -2048,
                                                .maximum = 2048,
                                                .resolution = 0.001,
                                                .tolerance = 0.01,
                                                .interpolation = Interpolation::linear})
      .field<&Transform::rotation>("rotation", {.minimum = -1,
                                                .maximum = 1,
                                                .resolution = 0.0005,
                                                .tolerance = 0.002,
                                                .interpolation = Interpolation::shortest_arc})
      .field<&Transform::scale>("scale", {.resolution = 0.001});
}

/// Marks a prefab whose entities are replicated. `muster prepare` adds the prefab to the registry
/// of replicated entities. The library sets the fields of this component; games need not read them.
struct Replicated {
  AssetReference asset_guid{};  ///< The guid of the prefab, which a build stores.
  std::int32_t id = -1;
  PlayerId predicting_player_id = PlayerId::none;
  /// The number of the owner's last command that this state includes.
  std::uint32_t command_number = 0;
  /// The number of the owner's command that spawned the entity, or 0.
  std::uint32_t spawn_command = 0;
  std::uint32_t spawn_order = 0;  ///< `PredictedKey::system_and_order` of the spawn.
};
consteval auto describe(Type<Replicated>) {
  using enum RollbackClass;
  return Describe<Replicated>("ReplicatedEntity")
      .field<&Replicated::asset_guid>("assetGuid", {.rollback = confirmed_only})
      .field<&Replicated::id>("id", {.rollback = confirmed_only})
      .field<&Replicated::predicting_player_id>("predictingPlayerId", {.rollback = confirmed_only})
      .field<&Replicated::command_number>(
          "commandNumber", {.receivers = Receivers::owner, .rollback = confirmed_only})
      .field<&Replicated::spawn_command>(
          "spawnCommand", {.receivers = Receivers::owner, .rollback = confirmed_only})
      .field<&Replicated::spawn_order>(
          "spawnOrder",
          {.maximum = 65535, .receivers = Receivers::owner, .rollback = confirmed_only});
}

/// A button in a command. `GameClient::set_command` is called once per frame, and systems run once
/// per tick. A client sets `is_held`, and the library counts the presses. A press between two ticks
/// is not lost: exactly one tick gets the press. A tick can get several presses, for example after
/// a late packet. So a system that counts presses must add `press_count`.
struct Button {
  bool is_held = false;
  std::uint8_t press_count = 0;  ///< The number of presses in this tick, 0 to 7.
  constexpr bool is_pressed() const { return press_count > 0; }
};
consteval auto describe(Type<Button>) {
  return Describe<Button>("Button").field<&Button::is_held>("isHeld").field<&Button::press_count>(
      "pressCount", {.minimum = 0, .maximum = 7, .sampled = Sampling::sum});
}

/// Types of one role (components, commands or messages), in the caller's order. A type is
/// identified by its described name, so programs and libraries can share types.
template <typename Role>
struct DescribedTypes {
  std::vector<ComponentDescription> types{};
};
template <Described... T>
DescribedTypes<struct ComponentRole> components() {
  return {{description_of<T>()...}};
}
template <Described... T>
DescribedTypes<struct CommandRole> commands() {
  return {{description_of<T>()...}};
}
template <Described... T>
DescribedTypes<struct MessageRole> messages() {
  return {{description_of<T>()...}};
}

/// Returns the name that a type's `Describe` gives it.
template <Described T>
constexpr std::string_view described_name() {
  constexpr auto kDescribed = describe(Type<T>{});
  return kDescribed.name();
}

namespace session_detail {

/// Entities with their components in arrays. `columns[i]` is the array of the i-th component type.
struct EntityRun {
  const EntityId* entities = nullptr;
  std::byte* const* columns = nullptr;
  std::uint32_t count = 0;
  /// If this pointer is not null, its target is set to each entity before that entity is visited.
  EntityId* current = nullptr;
};
using VisitRun = void (*)(void* visitor, const EntityRun& run);

/// A component type that a walk visits. `name` is its described name.
struct VisitedComponent {
  std::string_view name;
  std::size_t bytes = 0;
  bool is_written = false;
};
/// The maximum number of components in one walk.
inline constexpr std::size_t kVisitedMax = 32;

/// Calls `visit` for each entity of a run.
template <typename Visit, typename... C, std::size_t... I>
void visit_run(Visit& visit, const EntityRun& run, std::index_sequence<I...>) {
  for (std::uint32_t at = 0; at < run.count; ++at) {
    if (run.current != nullptr) *run.current = run.entities[at];
    if constexpr (std::is_invocable_v<Visit&, EntityId, C&...>) {
      visit(run.entities[at], reinterpret_cast<C*>(run.columns[I])[at]...);
    } else {
      visit(reinterpret_cast<C*>(run.columns[I])[at]...);
    }
  }
}
template <typename Visit, typename... C>
void visit_erased(void* visitor, const EntityRun& run) {
  visit_run<Visit, C...>(*static_cast<Visit*>(visitor), run, std::index_sequence_for<C...>{});
}
template <typename Visit, typename... C>
constexpr void check_visit() {
  static_assert(std::is_invocable_v<Visit&, C&...> || std::is_invocable_v<Visit&, EntityId, C&...>,
                "visit takes the named components by reference, after an optional EntityId");
}
template <typename... C>
constexpr std::array<VisitedComponent, sizeof...(C)> visited() {
  static_assert(sizeof...(C) <= kVisitedMax, "a walk has at most 32 components");
  return {VisitedComponent{described_name<std::remove_const_t<C>>(), sizeof(C),
                           !std::is_const_v<C>}...};
}

/// A system: its name, its component types and its function.
struct SystemEntry {
  std::string_view name;  ///< The function's name, without namespaces.
  std::vector<VisitedComponent> components;
  void (*run)(SystemContext&);
};

template <auto Function, typename Type = decltype(Function)>
struct SystemOf;

/// The spelling of a template argument in `__PRETTY_FUNCTION__`, without namespaces.
constexpr std::string_view argument_in(std::string_view pretty) {
  const std::size_t begin = pretty.find("Function = ");
  if (begin == std::string_view::npos) return pretty;
  pretty.remove_prefix(begin + 11);
  pretty = pretty.substr(0, pretty.find_first_of(";]"));
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";  // Clang's spelling
  const std::size_t unnamed = pretty.rfind(kUnnamed);
  if (unnamed != std::string_view::npos) pretty.remove_prefix(unnamed + kUnnamed.size());
  pretty = pretty.substr(0, pretty.find('('));
  return pretty.substr(pretty.find_last_of(":&") + 1);
}
template <auto Function>
constexpr std::string_view name_of() {
  return argument_in(__PRETTY_FUNCTION__);
}

template <typename Function>
inline constexpr bool kIsSystemType = false;
template <>
inline constexpr bool kIsSystemType<void (*)(SystemContext&)> = true;
template <typename First, typename... C>
inline constexpr bool kIsSystemType<void (*)(SystemContext&, First&, C&...)> =
    (Described<std::remove_const_t<First>> && ... && Described<std::remove_const_t<C>>);
template <typename First, typename... C>
inline constexpr bool kIsSystemType<void (*)(SystemContext&, EntityId, First&, C&...)> =
    (Described<std::remove_const_t<First>> && ... && Described<std::remove_const_t<C>>);

}  // namespace session_detail

/// A system is a free function of one of three forms:
///   void f(SystemContext&, Transform&, const Speed&);            // once per entity that has both
///   void f(SystemContext&, EntityId, Transform&, const Speed&);  // the same, with its id
///   void f(SystemContext&);                                      // once per tick
/// A system reads its `const` parameters, and may change its other parameters.
template <auto Function>
inline constexpr bool kIsSystem = session_detail::kIsSystemType<decltype(Function)>;

/// Systems in the order in which they run. Problem reports contain the names of the functions.
struct Systems {
  std::vector<session_detail::SystemEntry> entries{};
};
template <auto... F>
requires(kIsSystem<F>&&...) Systems systems() {
  return {{session_detail::SystemOf<F>::entry()...}};
}

/// Returns the distance in metres from a point to the environment, in a direction. For example:
/// `float wall(const World&, Vec3 from, Vec3 direction, float metres_max)`.
using ObstacleFunction = float (*)(const World& world, Vec3 from, Vec3 direction, float metres_max);

/// A rule that decides whether this client has predicted an entity that arrives. See
/// `Overrides::match_spawn`.
struct SpawnMatch {
  std::string_view component;  ///< The component's described name.
  bool (*is_same)(Bytes predicted, Bytes confirmed) = nullptr;
};

namespace session_detail {
template <auto F>
struct MatchOf;
template <Described T, bool (*F)(const T&, const T&)>
struct MatchOf<F> {
  static bool is_same(Bytes predicted, Bytes confirmed) {
    return F(*reinterpret_cast<const T*>(predicted.data()),
             *reinterpret_cast<const T*>(confirmed.data()));
  }
  static constexpr SpawnMatch made() { return {described_name<T>(), &is_same}; }
};
}  // namespace session_detail

/// Functions of the game that replace rules of the library. Each call returns a copy with one more
/// rule. The functions must be pure, because they run again during replays.
class Overrides {
 public:
  /// Sets the function that returns the distance at which the environment stops a shot of
  /// `SystemContext::hits`.
  template <ObstacleFunction F>
  Overrides obstacle() const {
    Overrides made = *this;
    made.obstacle_ = F;
    return made;
  }
  /// Adds a rule that decides whether a predicted and a confirmed entity are the same, for example
  /// `bool same(const Bolt& predicted, const Bolt& confirmed)`. The rule is used only if no
  /// predicted id matches. No predicted id matches if a server system spawned the entity, or if the
  /// server ran the command later.
  template <auto F>
  Overrides match_spawn() const {
    Overrides made = *this;
    made.matches_.push_back(session_detail::MatchOf<F>::made());
    return made;
  }
  /// Null if no function was set.
  ObstacleFunction obstacle_function() const { return obstacle_; }
  std::span<const SpawnMatch> spawn_matches() const { return matches_; }

 private:
  ObstacleFunction obstacle_ = nullptr;
  std::vector<SpawnMatch> matches_{};
};

/// A sync model in which the server decides. A client runs `Game::systems` immediately for the
/// entities that its player owns. The client runs the systems again if a state of the server
/// differs from the prediction. The client interpolates all other entities between two received
/// states. The server tests a shot against the world that the shooter saw. A system may read all
/// entities, but change only the entities that it runs for. On the server, a system may also change
/// other entities with `SystemContext::edit_on_server`.
struct OwnerPrediction {
  /// The minimum number of snapshots per second, 1 or more. The interval between two snapshots is
  /// rounded down to whole ticks, but is at least one tick.
  std::uint16_t snapshots_per_second = 20;
  /// The maximum number of commands that run again after a correction, 1 to 63. If more commands
  /// wait for the server, a correction shows the server's state and runs no commands again.
  std::uint16_t replayed_ticks_max = 63;
  /// The maximum age of the world that a shot is tested against, 0 to 2 s. One tick is always
  /// allowed. If the shooter's view is older, the server tests the shot against the world of this
  /// maximum age.
  Duration rewind_max = std::chrono::milliseconds(500);
  /// If no newer state of an interpolated entity arrives, the entity continues at its last speed
  /// for at most this time. The time is 0 or more, and is also limited to the interval between the
  /// entity's last two states.
  Duration extrapolation_max = std::chrono::milliseconds(100);
};

/// A game. The struct has no pointers to the caller's data. Define the game as one constant in a
/// header that both server and client include.
struct Game {
  /// A random number, chosen once per game. A client and a server with different numbers cannot
  /// connect.
  std::uint64_t application = 0;
  /// 1 to 1,000. Server and clients must have equal rates; a client reports another rate.
  std::uint16_t ticks_per_second = 60;
  /// A `Transform` that moves faster than this speed counts as teleported. The speed must be above
  /// 0. The entity is neither shown nor hit between the two positions, and no prediction error is
  /// blended.
  float teleport_metres_per_second = 240;
  DescribedTypes<ComponentRole> components{};
  /// The commands. Each player's client samples the commands in each frame, and sends them once per
  /// tick.
  DescribedTypes<CommandRole> commands{};
  DescribedTypes<MessageRole> messages{};  ///< The messages, which servers and clients can send.
  /// The shared systems. In each tick, the server runs the shared systems for all entities. Each
  /// client runs the shared systems for the entities that its player owns, ahead of the server. A
  /// shared system may read all entities, but change only the entities that it is called with. See
  /// `OwnerPrediction` for the exception on the server.
  Systems systems{};
  Systems server_systems{};  ///< Only the server runs these systems, after `systems`.
  OwnerPrediction sync{};    ///< The options of the sync model.
  Overrides overrides{};
};

namespace session_detail {
inline float teleport_metres_per_tick(const Game& game) {
  return game.teleport_metres_per_second / static_cast<float>(game.ticks_per_second);
}
}  // namespace session_detail

/// The options of an entity. `GameServer::set_options` can change all options later.
struct SpawnOptions {
  PlayerId owner = PlayerId::none;  ///< The entity despawns when this player leaves.
  bool keep = false;                ///< The entity stays, without an owner, when the owner leaves.
  /// The entity is sent to players whose view position is within this distance, in metres. A player
  /// that has the entity keeps it up to 1.25 times this distance. If 0, the entity is sent to
  /// players at any distance. The position of an entity without a `Transform` is the origin.
  float visible_within = 0;
  std::uint8_t team = 0;  ///< Only this team receives the entity; 0 for all teams.
  /// The priority matters if packets have too little room for all changes. An entity with priority
  /// 2 then gets about twice as many updates as an entity with priority 1 at the same distance.
  float priority = 1;
};

/// The position and the other properties of an effect.
struct EffectOptions {
  Vec3 position{};
  Quaternion rotation{};
  std::optional<Vec3> line_end{};  ///< The end of the line, for an effect along a line.
  EntityId cause{};                ///< If null, the cause is the entity that the system runs for.
  /// The effect is sent to players whose view position is within this distance, in metres. If 0,
  /// the effect is sent to players at any distance.
  float metres = 0;
};

enum class Reliability : std::uint8_t { reliable, unreliable };
/// When a message is handled. A message with `at_tick` belongs to the tick in which it was sent; a
/// message that is sent between two ticks belongs to the later tick. It is handled together with
/// the state of its tick, or with the next state if that state was lost. A player that does not
/// play yet, or whose connection is lost, gets no message with `at_tick`, because it first receives
/// a world that already contains the result: `GameServer::send` returns false and reports a
/// problem, and `send_all` and `send_near` leave out the player. Nobody plays before the first tick
/// of a level, for example in `on_level`; `send_all` and `send_near` then report `dropped`. If a
/// connection ends or the level changes before a sent message arrives, `dropped` is reported.
enum class Timing : std::uint8_t { on_arrival, at_tick };
/// The options for sending a message.
struct SendOptions {
  Reliability reliability = Reliability::reliable;
  Timing timing = Timing::on_arrival;
};

}  // namespace muster
