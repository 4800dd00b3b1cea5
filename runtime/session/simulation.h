// The world of a session's end, with its systems, entities and commands.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "registry/base/player_id.h"
#include "registry/base/type_id.h"
#include "runtime/replication/world_sender.h"
#include "runtime/session/build_content.h"
#include "runtime/session/entity_walk.h"
#include "runtime/session/hit_tests.h"
#include "runtime/session/problem_log.h"
#include "runtime/session/spawn_report.h"
#include "runtime/session/system_context.h"
#include "runtime/spawn/replicated_collection.h"
#include "runtime/spawn/spawner.h"
#include "runtime/sync/predicted_key.h"
#include "runtime/world/change_queue.h"
#include "runtime/world/world.h"

namespace muster {

/// A player's commands of the tick that runs, by index in `Game::commands`.
using CommandLookup = std::function<Bytes(PlayerId player, std::size_t command)>;
/// Sends a message to players near a position: `SystemContext::send_near`.
using NearMessage =
    std::function<void(Vec3 position, float metres, const session_detail::NamedValue& message,
                       const SendOptions& options)>;

/// How an entity of the simulation is replicated.
struct SpawnedEntity {
  EntityId entity;
  EntityReference reference;
  TypeId type;
  SpawnOptions options;
  PredictedKey key{};
};

/// An effect or message of a system: `SystemContext::play` and `emit`.
struct Cue {
  PredictedKey key{};                ///< None for one that clients cannot foresee.
  PlayerId player = PlayerId::none;  ///< Whose command caused it.
  std::optional<EffectType> effect;  ///< Empty for a message.
  EffectOptions options;
  session_detail::NamedValue message{};
};
/// Sends a cue to players, or plays it on a predicting client.
using CueSink = std::function<void(const Cue& cue)>;

/// What a client's prediction makes of the structure that its systems change.
class Forecast {
 public:
  virtual ~Forecast() = default;
  /// An entity of the predicted world without components for a spawn of the command that runs; the
  /// same one when the command runs again. `is_new`: it gets its components when the system has
  /// ended. Null when it is not predicted.
  virtual EntityId spawn(const PredictedKey& key, EntityType type, bool& is_new) = 0;
  /// The system has ended: gives the entity its prefab's components.
  virtual void fill(EntityId entity) = 0;
  /// The entity despawns at the end of the tick.
  virtual void despawned(EntityId entity) = 0;
  /// For `SystemContext::reference` and `find`, of entities that the server has not confirmed.
  virtual EntityReference reference(EntityId entity) const = 0;
  virtual EntityId find(EntityReference reference) const = 0;
  /// A system that runs for `from` reads or changes more than that entity, its command and its
  /// random numbers: `to`, or what is not known to be one entity when that is null. `from` is null
  /// for a system that runs once per tick.
  virtual void reached(EntityId from, EntityId to) = 0;
};

/// What a server's simulation makes entities from.
struct EntitySource {
  Spawner& spawner;
  ReplicatedCollection& collection;
  const std::shared_ptr<const BuildContent>& content;  ///< Another one after a reload.
};

/// Runs a game's systems over a world: a server's for all entities, a client's for those that its
/// player owns. A server's also makes entities. Everything that it is given must outlive it. One
/// thread at a time; a tick in steady state allocates nothing but what spawning needs.
class Simulation {
 public:
  /// `source` is null, and `machine` a player, for a client's prediction.
  Simulation(const Game& game, World& world, const ReplicatedCollection& ids,
             const EntitySource* source, PlayerId machine, ProblemLog& problems,
             std::uint64_t seed);

  /// The seed of `Game::systems`, which is the same on a server and its clients. That of the
  /// server's own systems stays its secret.
  void set_shared_seed(std::uint64_t seed) { shared_seed_ = seed; }

  void set_commands(CommandLookup lookup) { commands_ = std::move(lookup); }
  /// Null for none. Must outlive the simulation.
  void set_hit_tests(HitTests* tests) { hit_tests_ = tests; }
  void set_near_message(NearMessage send) { near_message_ = std::move(send); }
  /// Called for each spawn with a predicted id.
  void set_spawn_report(std::function<void(PlayerId, const PredictedKey&, SpawnRefusal)> report) {
    spawn_report_ = std::move(report);
  }
  void set_cues(CueSink sink) { cues_ = std::move(sink); }
  /// The number of the command that a player runs in this tick; 0 for none.
  void set_command_numbers(std::function<std::uint32_t(PlayerId)> number) {
    command_number_ = std::move(number);
  }
  /// Called with the index of each system that has run, to watch what they do; null for none.
  void set_after_system(std::function<void(std::uint32_t)> watch) {
    after_system_ = std::move(watch);
  }
  /// A client's prediction, which must outlive the simulation; null on a server.
  void set_forecast(Forecast* forecast) { forecast_ = forecast; }

  /// The tick before the first one, for tests of large numbers. Requires: no tick has run.
  void begin_at(Tick tick) { tick_ = tick; }
  /// Runs all systems of the server once.
  void run_tick(Tick tick);
  /// Runs the shared systems once for some entities: a client's prediction. Entities that are added
  /// to the list meanwhile count from the next system on.
  void predict_tick(Tick tick, const std::vector<EntityId>& entities);
  bool is_server() const { return source_.has_value(); }
  Tick tick() const { return tick_; }
  /// While paused, ticks run no systems.
  void set_paused(bool is_paused) { is_paused_ = is_paused; }
  bool is_paused() const { return is_paused_; }

  /// Makes an entity with its prefab's components, and then the given values.
  EntityId spawn(EntityType type, const SpawnOptions& options,
                 std::span<const session_detail::NamedValue> values);
  /// Takes over an entity that exists, as one that is placed in a level.
  void adopt(EntityId entity, EntityReference reference, TypeId type);
  /// Refuses, with a problem, a child of a replicated entity: it goes with its prefab.
  void despawn(EntityId entity);
  /// Despawns a player's entities, except those with `SpawnOptions::keep`.
  void despawn_all_of(PlayerId player);
  /// Despawns all replicated entities, with or without an owner.
  void despawn_all();
  /// All replicated entities count as unsent again.
  void resend_all();
  /// Takes the entities with `SpawnOptions::keep` from a player who left.
  void release_all_of(PlayerId player);
  bool is_running() const { return is_running_; }
  /// False for an entity that is gone or not replicated.
  bool set_options(EntityId entity, const SpawnOptions& options);
  const SpawnOptions* options(EntityId entity) const;

  /// Null when the entity is gone or has no such component.
  std::byte* find_component(std::string_view name, EntityId entity, std::size_t bytes);
  bool add_component(EntityId entity, const session_detail::NamedValue& value);
  bool remove_component(EntityId entity, std::string_view name);
  /// Visits the entities that this simulation computes, or `is_all` of them.
  void visit(std::span<const session_detail::VisitedComponent> components, void* visitor,
             session_detail::VisitRun call, bool is_all);
  EntityReference reference(EntityId entity) const;
  EntityId find(EntityReference reference) const;
  /// An effect or message of the running system, or of the game between ticks.
  void cue(Cue cue);
  /// The first entity of a type that a player owns; null when the player owns none.
  EntityId owned(PlayerId player, EntityType type);
  /// Notes which command of its owner the state of each owned entity includes.
  void note_command(PlayerId player, std::uint32_t number);

  /// Entities made since `clear_changes`, and entities whose options changed, in order.
  std::span<const EntityId> unsent() const { return unsent_; }
  std::span<const EntityId> changed_options() const { return changed_options_; }
  void clear_changes();
  /// Null for an entity that is gone or not replicated.
  const SpawnedEntity* find_spawned(EntityId entity) const;

  /// For `Forecast::reached`: the running system uses this entity.
  void reach(EntityId to) {
    if (subset_ != nullptr && forecast_ != nullptr && (to.is_null() || to != current_)) {
      forecast_->reached(current_, to);
    }
  }

  /// The running system may use any entity.
  void reach_any() {
    if (subset_ != nullptr && forecast_ != nullptr) forecast_->reached({}, {});
  }

  std::vector<PlayerId>& players() { return players_; }
  std::vector<PlayerId>& joined() { return joined_; }
  std::vector<PlayerId>& left() { return left_; }
  World& world() { return world_; }
  const World& world() const { return world_; }

 private:
  friend class SystemContext;
  /// A change that waits until the running system has ended.
  struct Pending {
    enum class Kind : std::uint8_t { fill, value, add, remove };
    Kind kind = Kind::fill;
    EntityId entity;
    const PrefabPlan* plan = nullptr;
    ComponentId component{};
    std::size_t first_byte = 0;
    std::size_t byte_count = 0;
  };

  EntityId make(EntityType type, const SpawnOptions& options,
                std::span<const session_detail::NamedValue> values);
  EntityId foresee(EntityType type, const SpawnOptions& options,
                   std::span<const session_detail::NamedValue> values);
  /// The next spawn or effect of a player in the running system; none outside shared systems.
  PredictedKey next_key(PlayerId player, bool is_spawn);
  std::optional<ComponentId> component_id(std::string_view name, std::size_t bytes);
  void queue_value(Pending::Kind kind, EntityId entity, const session_detail::NamedValue& value);
  bool must_wait() const { return is_running_ || walk_depth_ > 0; }
  void apply_pending();
  void put_value(const Pending& pending);
  /// Whether a component may be added or removed; reports it when not.
  bool may_change(EntityId entity, ComponentId component, std::string_view verb);
  void note_spawned(const SpawnedEntity& spawned);
  Bytes command_bytes(PlayerId player, std::string_view name, std::size_t bytes);

  void run(const Systems& systems, std::uint32_t first_index);

  const Game& game_;
  World& world_;
  const ReplicatedCollection& ids_;
  std::optional<EntitySource> source_;
  PlayerId machine_;
  ProblemLog& problems_;
  std::uint64_t seed_;
  std::uint64_t shared_seed_ = 0;
  ComponentHandle<Replicated> replicated_;
  EntityWalk walk_;
  CommandLookup commands_;
  NearMessage near_message_;
  HitTests* hit_tests_ = nullptr;
  std::vector<ByteVector> default_commands_;
  Tick tick_;
  bool is_running_ = false;
  std::uint32_t walk_depth_ = 0;  ///< Walks under way: changes of structure wait for their end.
  bool is_paused_ = false;
  /// Spawns and effects of a player in the running system so far.
  struct Count {
    PlayerId player;
    std::uint32_t spawns = 0;
    std::uint32_t cues = 0;
  };
  std::function<std::uint32_t(PlayerId)> command_number_;
  CueSink cues_;
  std::function<void(PlayerId, const PredictedKey&, SpawnRefusal)> spawn_report_;
  std::function<void(std::uint32_t)> after_system_;
  Forecast* forecast_ = nullptr;
  std::uint32_t system_ = 0;
  EntityId current_;  ///< The entity that the running system visits; null for none.
  std::vector<Count> counts_;
  const std::vector<EntityId>* subset_ = nullptr;  ///< While `predict_tick` runs.
  std::vector<Pending> pending_;
  ByteVector pending_bytes_;
  std::vector<SpawnedEntity> spawned_;  ///< By slot; some are gone.
  std::vector<EntityId> unsent_;
  std::vector<EntityId> changed_options_;
  std::vector<PlayerId> players_;
  std::vector<PlayerId> joined_;
  std::vector<PlayerId> left_;
};

}  // namespace muster
