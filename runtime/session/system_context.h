// The world that a system reads and changes while it runs.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "registry/base/bytes.h"
#include "registry/base/player_id.h"
#include "registry/base/seed.h"
#include "registry/base/tick.h"
#include "runtime/session/game.h"

namespace muster {

class Simulation;
class World;

namespace session_detail {

/// The value and the described name of a component, command or message. `bytes` live as long as the
/// call.
struct NamedValue {
  std::string_view name;
  Bytes bytes;
};
template <Described T>
NamedValue named_value(const T& value) {
  return {described_name<T>(), std::as_bytes(std::span<const T, 1>(&value, 1))};
}

}  // namespace session_detail

/// The argument of every system. A context lives for one call of a system, so a system must not
/// store the context. Returned pointers and spans are valid until the system returns. The following
/// changes take effect when the system has ended: added and removed components, the components of
/// new entities, and despawns.
class SystemContext {
 public:
  SystemContext(const SystemContext&) = delete;
  SystemContext& operator=(const SystemContext&) = delete;

  Tick tick() const { return tick_; }
  /// The length of a tick, in seconds.
  float seconds() const { return seconds_; }
  /// Returns true on the server, and false on a predicting client.
  bool is_server() const;

  /// The players, by ascending id.
  std::span<const PlayerId> players() const;
  /// The players that have joined since the last tick.
  std::span<const PlayerId> joined() const;
  std::span<const PlayerId> left() const;  ///< The players that have left since the last tick.
  /// Returns the owner of an entity. Returns `none` if the entity does not exist or has no owner.
  PlayerId owner(EntityId entity) const;

  /// The command of a player, or of an entity's owner, for this tick. Returns the default value if
  /// there is no player or no command. Requires: `T` is a type of `Game::commands`.
  template <Described T>
  const T& command(PlayerId player) const {
    return *reinterpret_cast<const T*>(
        command_bytes(player, described_name<T>(), sizeof(T)).data());
  }
  template <Described T>
  const T& command(EntityId entity) const {
    return command<T>(owner(entity));
  }

  /// Returns a component to read, or null if the entity does not exist or does not have the
  /// component. Requires: `T` is a type of `Game::components`.
  template <Described T>
  const T* get(EntityId entity) const {
    return reinterpret_cast<const T*>(find_component(described_name<T>(), entity, sizeof(T)));
  }
  /// Returns a component to change, or null as `get` does. On a predicting client, also returns
  /// null for an entity that the client does not predict.
  template <Described T>
  T* edit(EntityId entity) {
    if (!is_computed(entity)) return nullptr;
    return reinterpret_cast<T*>(find_component(described_name<T>(), entity, sizeof(T)));
  }
  /// Does the same as `edit` on the server, and returns null on a predicting client. Use this
  /// function for entities that only the server changes, for example the victim of a shot.
  template <Described T>
  T* edit_on_server(EntityId entity) {
    return is_server() ? edit<T>(entity) : nullptr;
  }
  /// Calls `visit(C&...)` or `visit(EntityId, C&...)` for each entity that has all of the
  /// components. The server visits all such entities. A predicting client visits only the entities
  /// that it predicts.
  template <typename... C, typename Visit>
  void each(Visit visit) {
    session_detail::check_visit<Visit, C...>();
    const auto visited = session_detail::visited<C...>();
    visit_entities(visited, &visit, &session_detail::visit_erased<Visit, C...>, false);
  }
  /// Calls `visit` as `each` does, but visits all entities of this server or client, and only
  /// reads.
  template <typename... C, typename Visit>
  void each_known(Visit visit) const requires(std::is_const_v<C>&&...) {
    session_detail::check_visit<Visit, C...>();
    const auto visited = session_detail::visited<C...>();
    visit_entities(visited, &visit, &session_detail::visit_erased<Visit, C...>, true);
  }

  /// Returns a reference that names the same entity on every machine. Fields of components and
  /// messages can store the reference. Returns -1 for an entity that is not replicated.
  EntityReference reference(EntityId entity) const;
  EntityId find(EntityReference reference) const;

  /// Spawns an entity. Returns null and reports a problem if the build lacks the type or no network
  /// id is free. The id is valid immediately: `reference` accepts the id, and fields of `values`
  /// may contain the id. The entity gets its components when the system has ended.
  ///
  /// On a predicting client, an entity of the client's player exists immediately, and has the same
  /// id in each replay. When the server's entity arrives, the client matches the two entities, and
  /// keeps one entity. Entities match by player, command, system and order, or by
  /// `Overrides::match_spawn`. If the server does not spawn the entity, the client removes the
  /// entity and calls `GameClient::on_undone`. On a predicting client, the function returns null
  /// for another owner, and when the reserve of predicted entities is empty.
  template <Described... T>
  EntityId spawn(EntityType type, const SpawnOptions& options = {}, const T&... values) {
    const std::array<session_detail::NamedValue, sizeof...(T)> named{
        session_detail::named_value(values)...};
    return spawn_entity(type, options, named);
  }
  /// Despawns an entity. On a predicting client, the entity is hidden immediately. The entity is
  /// shown again if the server does not despawn the entity.
  void despawn(EntityId entity);
  /// Whether `despawn` was called for the entity.
  bool is_despawning(EntityId entity) const;
  /// Adds a component. Does nothing on a predicting client, or if the entity does not exist or
  /// already has the component.
  template <Described T>
  void add(EntityId entity, const T& value = {}) {
    add_component(entity, session_detail::named_value(value));
  }
  template <Described T>
  void remove(EntityId entity) {
    remove_component(entity, described_name<T>());
  }

  /// Sends a message to every player whose view position is within `metres` of `position`.
  template <Described T>
  void send_near(Vec3 position, float metres, const T& message, const SendOptions& options = {}) {
    send_to_near(position, metres, session_detail::named_value(message), options);
  }

  /// Plays an effect once for every player, even if the tick runs again. The effect belongs to the
  /// owner of the entity that the system runs for. If there is no such entity, the effect belongs
  /// to the owner of the cause. The owner's client plays the effect immediately, and ignores the
  /// server's copy. If the server does not play the effect, the owner's client calls
  /// `GameClient::on_undone`. See also `GameClient::on_effect`.
  void play(EffectType effect, const EffectOptions& options) {
    play_cue(&effect, nullptr, options);
  }
  /// Sends a message of the game in the same way as `play` sends an effect.
  /// `GameClient::on_message` receives the message. Only `position`, `metres` and `cause` of the
  /// options are used. Players that do not play receive no message. If a connection ends before a
  /// sent message arrives, `dropped` is reported.
  template <Described T>
  void emit(const T& message, const EffectOptions& options) {
    const session_detail::NamedValue named = session_detail::named_value(message);
    play_cue(nullptr, &named, options);
  }
  template <Described T>
  void emit(const T& message, Vec3 position, EntityId cause = {}) {
    emit(message, {.position = position, .rotation = {}, .line_end = {}, .cause = cause});
  }

  /// Returns the hits of a shot, nearest first. Only entities with a `HitVolume` and a "Transform"
  /// are hit. The shooter is not hit. `Overrides::obstacle` stops the shot. The server tests the
  /// volumes that the shooter's player saw when making this command. If the client's claim of that
  /// view is not plausible, the server tests the volumes at the nearest plausible moment. For a
  /// shooter without a player, the server tests the volumes at the end of the last tick. A
  /// predicting client tests the volumes that it has drawn, and gets the same hits as the server.
  std::span<const Hit> hits(const Shot& shot) const;
  /// Returns all entities that were within `metres` of a point at the end of the last tick, nearest
  /// first.
  std::span<const Hit> hits_within(Vec3 center, float metres,
                                   std::uint32_t layers = 0xFFFFFFFF) const;
  /// Returns all entities that a splash reaches, nearest first, each with its share of the damage.
  /// Uses the positions at the end of the last tick.
  std::span<const SplashHit> splash(const Splash& splash) const;

  /// Returns a generator of random numbers. Equal seed, tick, system and entity give equal numbers.
  /// A client that predicts a system of `Game::systems` gets the server's numbers, except for an
  /// entity that the server has not confirmed. A player could compute these numbers in advance, so
  /// use `Game::server_systems` for secret numbers.
  Random random(EntityId entity = {}) const;

  /// The underlying world, for functions that this class does not have. Clients receive the values
  /// of components, owners and despawns. Clients do not receive names, active flags, parents, and
  /// components or children that are added, removed or moved. If the game makes such a change of a
  /// replicated entity's components, parent or children, the server reports `unsupported_change` at
  /// the end of the tick.
  World& world();

 private:
  friend class Simulation;
  SystemContext(Simulation& simulation, Tick tick, float seconds, std::uint32_t system)
      : simulation_(simulation), tick_(tick), seconds_(seconds), system_(system) {}

  std::byte* find_component(std::string_view name, EntityId entity, std::size_t bytes) const;
  Bytes command_bytes(PlayerId player, std::string_view name, std::size_t bytes) const;
  bool is_computed(EntityId entity) const;
  void visit_entities(std::span<const session_detail::VisitedComponent> components, void* visitor,
                      session_detail::VisitRun visit, bool is_all) const;
  EntityId spawn_entity(EntityType type, const SpawnOptions& options,
                        std::span<const session_detail::NamedValue> values);
  void add_component(EntityId entity, const session_detail::NamedValue& value);
  void remove_component(EntityId entity, std::string_view name);
  void play_cue(const EffectType* effect, const session_detail::NamedValue* message,
                const EffectOptions& options);
  void send_to_near(Vec3 position, float metres, const session_detail::NamedValue& message,
                    const SendOptions& options);

  Simulation& simulation_;
  Tick tick_;
  float seconds_;
  std::uint32_t system_;
};

namespace session_detail {

template <auto F>
struct SystemOf<F, void (*)(SystemContext&)> {
  static SystemEntry entry() { return {name_of<F>(), {}, F}; }
};
template <auto F, typename... C>
requires(sizeof...(C) > 0) struct SystemOf<F, void (*)(SystemContext&, C&...)> {
  static void run(SystemContext& context) {
    context.each<C...>([&](C&... components) { F(context, components...); });
  }
  static SystemEntry entry() {
    const auto components = visited<C...>();
    return {name_of<F>(), {components.begin(), components.end()}, &run};
  }
};
template <auto F, typename... C>
requires(sizeof...(C) > 0) struct SystemOf<F, void (*)(SystemContext&, EntityId, C&...)> {
  static void run(SystemContext& context) {
    context.each<C...>(
        [&](EntityId entity, C&... components) { F(context, entity, components...); });
  }
  static SystemEntry entry() {
    const auto components = visited<C...>();
    return {name_of<F>(), {components.begin(), components.end()}, &run};
  }
};

}  // namespace session_detail

class SimulatedMatch;
struct SessionAccess;

namespace session_detail {

/// Owns a server's private members. The typed functions of `GameServer` call the functions of this
/// class, which use described names. Games do not call the functions of this class.
class ServerCalls {
 protected:
  friend class muster::SimulatedMatch;
  friend struct muster::SessionAccess;
  struct Impl;
  explicit ServerCalls(std::unique_ptr<Impl> impl);
  ~ServerCalls();
  ServerCalls(const ServerCalls&) = delete;
  ServerCalls& operator=(const ServerCalls&) = delete;

  EntityId spawn_entity(EntityType type, const SpawnOptions& options,
                        std::span<const NamedValue> values);
  std::byte* find_component(std::string_view name, EntityId entity, std::size_t bytes);
  bool add_component(EntityId entity, const NamedValue& value);
  bool remove_component(EntityId entity, std::string_view name);
  void visit_entities(std::span<const VisitedComponent> components, void* visitor, VisitRun visit);
  bool send_message(PlayerId player, const NamedValue& message, const SendOptions& options);
  void send_message_to_all(const NamedValue& message, const SendOptions& options);
  void send_message_near(Vec3 position, float metres, const NamedValue& message,
                         const SendOptions& options);
  bool force_field(PlayerId player, const NamedValue& command, std::string_view field);
  void handle_message(std::string_view name, std::size_t bytes,
                      std::function<void(PlayerId, Bytes)> handler);

  // Typed versions of the functions above.
  template <typename... T>
  EntityId spawn_with(EntityType type, const SpawnOptions& options, const T&... values) {
    const std::array<NamedValue, sizeof...(T)> named{named_value(values)...};
    return spawn_entity(type, options, named);
  }
  template <typename T>
  T* component(EntityId entity) {
    return reinterpret_cast<T*>(find_component(described_name<T>(), entity, sizeof(T)));
  }
  template <typename... C, typename Visit>
  void visit_with(Visit& visit) {
    check_visit<Visit, C...>();
    const auto types = visited<C...>();
    visit_entities(types, &visit, &visit_erased<Visit, C...>);
  }
  template <typename T>
  void handle_with(std::function<void(PlayerId, const T&)> callback) {
    handle_message(described_name<T>(), sizeof(T),
                   [callback = std::move(callback)](PlayerId player, Bytes bytes) {
                     callback(player, *reinterpret_cast<const T*>(bytes.data()));
                   });
  }

  std::unique_ptr<Impl> impl_;
};

/// Owns a client's private members, as `ServerCalls` does for a server.
class ClientCalls {
 protected:
  friend class muster::SimulatedMatch;
  friend struct muster::SessionAccess;
  struct Impl;
  explicit ClientCalls(std::unique_ptr<Impl> impl);
  ~ClientCalls();
  ClientCalls(const ClientCalls&) = delete;
  ClientCalls& operator=(const ClientCalls&) = delete;

  void put_command(const NamedValue& command);
  bool send_message(const NamedValue& message, const SendOptions& options);
  const std::byte* find_component(std::string_view name, EntityId entity, std::size_t bytes,
                                  bool is_view) const;
  void visit_entities(std::span<const VisitedComponent> components, void* visitor,
                      VisitRun visit) const;
  void handle_message(std::string_view name, std::size_t bytes, std::function<void(Bytes)> handler);

  // Typed versions of the functions above.
  template <typename T>
  const T* component(EntityId entity, bool is_view) const {
    return reinterpret_cast<const T*>(
        find_component(described_name<T>(), entity, sizeof(T), is_view));
  }
  template <typename... C, typename Visit>
  void visit_with(Visit& visit) const {
    check_visit<Visit, C...>();
    const auto types = visited<C...>();
    visit_entities(types, &visit, &visit_erased<Visit, C...>);
  }
  template <typename T>
  void handle_with(std::function<void(const T&)> callback) {
    handle_message(described_name<T>(), sizeof(T), [callback = std::move(callback)](Bytes bytes) {
      callback(*reinterpret_cast<const T*>(bytes.data()));
    });
  }

  std::unique_ptr<Impl> impl_;
};

}  // namespace session_detail

}  // namespace muster
