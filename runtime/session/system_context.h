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

/// A component, command or message with its described name; `bytes` live as long as the call.
struct NamedValue {
  std::string_view name;
  Bytes bytes;
};
template <Described T>
NamedValue named_value(const T& value) {
  return {described_name<T>(), std::as_bytes(std::span<const T, 1>(&value, 1))};
}

}  // namespace session_detail

/// The argument of every system. Lives for one call; never store it. Pointers and spans that it
/// returns are valid until the system returns. These changes take effect when the system has ended:
/// added and removed components, the components of new entities, and despawns.
class SystemContext {
 public:
  SystemContext(const SystemContext&) = delete;
  SystemContext& operator=(const SystemContext&) = delete;

  Tick tick() const { return tick_; }
  /// Length of this tick.
  float seconds() const { return seconds_; }
  /// False while a client predicts.
  bool is_server() const;

  /// Players by ascending id.
  std::span<const PlayerId> players() const;
  /// Players that joined or left since the last tick.
  std::span<const PlayerId> joined() const;
  std::span<const PlayerId> left() const;
  /// `none` for an entity that is gone or has no owner.
  PlayerId owner(EntityId entity) const;

  /// The command of a player, or of an entity's owner, for this tick. A default value if there is
  /// no owner or no command. Requires: `T` is a type of `Game::commands`.
  template <Described T>
  const T& command(PlayerId player) const {
    return *reinterpret_cast<const T*>(
        command_bytes(player, described_name<T>(), sizeof(T)).data());
  }
  template <Described T>
  const T& command(EntityId entity) const {
    return command<T>(owner(entity));
  }

  /// Null if the entity is gone or does not have the component. Requires: `T` is a type of
  /// `Game::components`.
  template <Described T>
  const T* get(EntityId entity) const {
    return reinterpret_cast<const T*>(find_component(described_name<T>(), entity, sizeof(T)));
  }
  /// The same, to write. On a predicting client it is also null for an entity that the client does
  /// not predict.
  template <Described T>
  T* edit(EntityId entity) {
    if (!is_computed(entity)) return nullptr;
    return reinterpret_cast<T*>(find_component(described_name<T>(), entity, sizeof(T)));
  }
  /// The same for an entity that only the server changes, such as a victim: always null on a
  /// predicting client.
  template <Described T>
  T* edit_on_server(EntityId entity) {
    return is_server() ? edit<T>(entity) : nullptr;
  }
  /// Calls `visit(C&...)` or `visit(EntityId, C&...)` for each entity that has all of the
  /// components. The server visits all such entities, a predicting client only those that it
  /// predicts.
  template <typename... C, typename Visit>
  void each(Visit visit) {
    session_detail::check_visit<Visit, C...>();
    const auto visited = session_detail::visited<C...>();
    visit_entities(visited, &visit, &session_detail::visit_erased<Visit, C...>, false);
  }
  /// The same, read only, for every entity that this server or client has.
  template <typename... C, typename Visit>
  void each_known(Visit visit) const requires(std::is_const_v<C>&&...) {
    session_detail::check_visit<Visit, C...>();
    const auto visited = session_detail::visited<C...>();
    visit_entities(visited, &visit, &session_detail::visit_erased<Visit, C...>, true);
  }

  /// A reference that means the same entity on every machine, for fields. -1 for an entity that is
  /// not replicated.
  EntityReference reference(EntityId entity) const;
  EntityId find(EntityReference reference) const;

  /// The id is valid at once, for `reference` and for fields of the given values; the entity has
  /// its components when the system has ended. Returns null and reports a problem if the build
  /// lacks the type or no network id is free.
  ///
  /// On a predicting client an entity of its player exists at once, with the same id in each
  /// replay. When the server's entity arrives, the client matches the two by player, command,
  /// system and order, or by `Overrides::match_spawn`, and keeps one entity. If the server does not
  /// spawn it, it is undone (`GameClient::on_undone`). A predicting client returns null for another
  /// owner, and if too many entities are spawned at once.
  template <Described... T>
  EntityId spawn(EntityType type, const SpawnOptions& options = {}, const T&... values) {
    const std::array<session_detail::NamedValue, sizeof...(T)> named{
        session_detail::named_value(values)...};
    return spawn_entity(type, options, named);
  }
  /// On a predicting client the entity is hidden at once, until the server has despawned it. If the
  /// server does not, it is shown again.
  void despawn(EntityId entity);
  /// Whether `despawn` was called for the entity.
  bool is_despawning(EntityId entity) const;
  /// Adds a component. Does nothing if the entity is gone or already has it, or on a predicting
  /// client.
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

  /// Plays an effect for every player, once, even if the tick runs again. The effect belongs to the
  /// owner of the entity that the system runs for, or, if there is no such entity, to the owner of
  /// the cause. The client of that player plays it at once, and ignores the server's copy. If the
  /// server does not play it, that client calls `GameClient::on_undone`. See
  /// `GameClient::on_effect`.
  void play(EffectType effect, const EffectOptions& options) {
    play_cue(&effect, nullptr, options);
  }
  /// The same for a message of the game, which `GameClient::on_message` receives. Of the options,
  /// the cause and the metres are used, as for an effect.
  template <Described T>
  void emit(const T& message, const EffectOptions& options) {
    const session_detail::NamedValue named = session_detail::named_value(message);
    play_cue(nullptr, &named, options);
  }
  template <Described T>
  void emit(const T& message, Vec3 position, EntityId cause = {}) {
    emit(message, {.position = position, .rotation = {}, .line_end = {}, .cause = cause});
  }

  /// The hits of a shot, nearest first. The shooter is not hit. `Overrides::obstacle` stops the
  /// shot. The server tests the volumes that the shooter's player saw when making this command, if
  /// that view is plausible. For a shooter without a player it tests the volumes at the end of the
  /// last tick. A predicting client tests the volumes that it has drawn, and gets the same hits.
  /// Only entities with a `HitVolume` and a "Transform" are hit.
  std::span<const Hit> hits(const Shot& shot) const;
  /// All entities that were within `metres` of a point at the end of the last tick, nearest first.
  std::span<const Hit> hits_within(Vec3 center, float metres,
                                   std::uint32_t layers = 0xFFFFFFFF) const;
  /// All entities that a splash reaches at the end of the last tick, nearest first, each with its
  /// share of the damage.
  std::span<const SplashHit> splash(const Splash& splash) const;

  /// Random numbers. They are the same for the same seed, tick, system and entity. A client that
  /// predicts a system of `Game::systems` gets the server's numbers, except for an entity that the
  /// server has not confirmed. A player could compute these numbers in advance, so draw secret
  /// numbers in `Game::server_systems`.
  Random random(EntityId entity = {}) const;

  /// Muster's world, for functions that this class does not have.
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

/// Owns a server's members. The typed functions call the functions here, which use described names.
/// Games do not call them.
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

  // The same, typed.
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

/// The same of a client.
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

  // The same, typed.
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
