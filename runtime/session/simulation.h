// Runs a game's systems on the world of a server or client.
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
#include "runtime/sync/struct_type.h"
#include "runtime/world/change_queue.h"
#include "runtime/world/world.h"

namespace muster {

class StructureWatch;

/// Returns a player's command for the running tick. `command` is the index of the command's type in
/// `Game::commands`.
using CommandLookup = std::function<Bytes(PlayerId player, StructType command)>;
/// Sends a message to players near a position: `SystemContext::send_near`.
using NearMessage =
    std::function<void(Vec3 position, float metres, const session_detail::NamedValue& message,
                       const SendOptions& options)>;

/// An entity of the simulation, and how it is replicated.
struct SpawnedEntity {
  EntityId entity;
  EntityReference reference;
  TypeId type;
  SpawnOptions options;
  PredictedKey key{};
  /// The entities of the prefab's instance, as `list_members` returns them directly after the
  /// spawn. Only on a server.
  std::vector<Creation> members{};
};

/// An effect or message of a system: `SystemContext::play` and `emit`.
struct Cue {
  PredictedKey key{};                ///< Empty if clients cannot predict the cue.
  PlayerId player = PlayerId::none;  ///< The player whose command caused the cue.
  std::optional<EffectType> effect;  ///< Empty if the cue is a message.
  EffectOptions options;
  session_detail::NamedValue message{};
};
/// Sends a cue to players, or plays it on a predicting client.
using CueSink = std::function<void(const Cue& cue)>;

/// A client's prediction of the spawns and despawns of its systems.
class Forecast {
 public:
  virtual ~Forecast() = default;
  /// Returns an entity of the predicted world for a spawn by the running command, or null if the
  /// spawn is not predicted. If the command runs again, the function returns the same entity again.
  /// `is_new` is set to true if the entity has no components yet. `fill` adds the components when
  /// the system has ended.
  virtual EntityId spawn(const PredictedKey& key, EntityType type, bool& is_new) = 0;
  /// Adds the components of the entity's prefab, after the system has ended.
  virtual void fill(EntityId entity) = 0;
  /// Reports that the entity despawns at the end of the tick.
  virtual void despawned(EntityId entity) = 0;
  /// Implements `SystemContext::reference` and `find` for entities that the server has not
  /// confirmed.
  virtual EntityReference reference(EntityId entity) const = 0;
  virtual EntityId find(EntityReference reference) const = 0;
  /// Reports that a system that runs for the entity `from` has also used the entity `to`. If `to`
  /// is null, the system may have used any number of entities. Uses of `from`, of its command and
  /// of its random numbers are not reported. `from` is null for a system that runs once per tick.
  virtual void reached(EntityId from, EntityId to) = 0;
};

/// The objects that a server's simulation needs to make entities.
struct EntitySource {
  Spawner& spawner;
  ReplicatedCollection& collection;
  const std::shared_ptr<const BuildContent>& content;  ///< A reload replaces the content.
};

/// Runs a game's systems on a world. A server's simulation runs the systems for all entities, and
/// makes entities. A client's simulation runs the shared systems for the predicted entities. All
/// arguments must outlive this object. Only one thread at a time may use this object. After the
/// first ticks, a tick allocates memory only for spawns.
class Simulation {
 public:
  /// On a server, `machine` is `PlayerId::none`. For a client's prediction, `machine` is the
  /// client's player, and `source` is null.
  Simulation(const Game& game, World& world, const ReplicatedCollection& ids,
             const EntitySource* source, PlayerId machine, ProblemLog& problems,
             std::uint64_t seed);

  /// Sets the seed of `Game::systems`, which is the same on a server and its clients. The systems
  /// of `Game::server_systems` use another seed, which clients do not know.
  void set_shared_seed(std::uint64_t seed) { shared_seed_ = seed; }

  void set_commands(CommandLookup lookup) { commands_ = std::move(lookup); }
  /// May be null. Must outlive the simulation.
  void set_hit_tests(HitTests* tests) { hit_tests_ = tests; }
  void set_near_message(NearMessage send) { near_message_ = std::move(send); }
  /// `report` is called for each spawn with a predicted id.
  void set_spawn_report(std::function<void(PlayerId, const PredictedKey&, SpawnRefusal)> report) {
    spawn_report_ = std::move(report);
  }
  void set_cues(CueSink sink) { cues_ = std::move(sink); }
  /// `number` returns the number of the command that runs for a player in this tick, or 0 if no
  /// command runs.
  void set_command_numbers(std::function<CommandNumber(PlayerId)> number) {
    command_number_ = std::move(number);
  }
  /// `watch` is called after each system has run, with the index of the system. `watch` may be
  /// null.
  void set_after_system(std::function<void(std::uint32_t)> watch) {
    after_system_ = std::move(watch);
  }
  /// Sets the watch that is paused while this object changes the world itself. May be null.
  void set_structure_watch(StructureWatch* watch) { structure_watch_ = watch; }
  /// Sets a client's prediction, which must outlive the simulation. Null on a server.
  void set_forecast(Forecast* forecast) { forecast_ = forecast; }

  /// Sets the tick before the first tick, for tests of large tick numbers. Requires: no tick has
  /// run.
  void begin_at(Tick tick) { tick_ = tick; }
  /// Runs all systems of the game once, on a server.
  void run_tick(Tick tick);
  /// Runs the shared systems once for some entities, for a client's prediction. If a system adds
  /// entities to the list, the later systems also run for the added entities.
  void predict_tick(Tick tick, const std::vector<EntityId>& entities);
  bool is_server() const { return source_.has_value(); }
  Tick tick() const { return tick_; }
  /// While paused, ticks run no systems.
  void set_paused(bool is_paused) { is_paused_ = is_paused; }
  bool is_paused() const { return is_paused_; }

  /// Makes an entity with the components of its prefab, and sets the given values.
  EntityId spawn(EntityType type, const SpawnOptions& options,
                 std::span<const session_detail::NamedValue> values);
  /// Adds an entity that already exists, for example an entity that a level places.
  void adopt(EntityId entity, EntityReference reference, TypeId type);
  /// Despawns an entity. If the entity is a child of a replicated entity, reports a problem
  /// instead, because a child despawns only together with its prefab.
  void despawn(EntityId entity);
  /// Despawns a player's entities, except entities with `SpawnOptions::keep`.
  void despawn_all_of(PlayerId player);
  /// Despawns all replicated entities, with or without an owner.
  void despawn_all();
  /// Adds all replicated entities to `unsent` again.
  void resend_all();
  /// Removes the owner of the player's entities with `SpawnOptions::keep`, after the player has
  /// left.
  void release_all_of(PlayerId player);
  bool is_running() const { return is_running_; }
  /// Returns false if the entity does not exist or is not replicated.
  bool set_options(EntityId entity, const SpawnOptions& options);
  const SpawnOptions* options(EntityId entity) const;

  /// Returns null if the entity does not exist or has no such component.
  std::byte* find_component(std::string_view name, EntityId entity, std::size_t bytes);
  bool add_component(EntityId entity, const session_detail::NamedValue& value);
  bool remove_component(EntityId entity, std::string_view name);
  /// Visits the entities that this simulation computes, or all entities if `is_all` is true.
  void visit(std::span<const session_detail::VisitedComponent> components, void* visitor,
             session_detail::VisitRun call, bool is_all);
  EntityReference reference(EntityId entity) const;
  EntityId find(EntityReference reference) const;
  /// Passes an effect or message to the cue sink. The cue is caused by the running system, or by
  /// the game between ticks.
  void cue(Cue cue);
  /// The first entity of a type that a player owns, or null.
  EntityId owned(PlayerId player, EntityType type);
  /// Stores in each entity of the player that the entity's state includes the command `number`.
  void note_command(PlayerId player, CommandNumber number);

  /// The entities that were made after the last `clear_changes`, in order.
  std::span<const EntityId> unsent() const { return unsent_; }
  /// The entities whose options were changed after the last `clear_changes`, in order.
  std::span<const EntityId> changed_options() const { return changed_options_; }
  void clear_changes();
  /// Returns null if the entity does not exist or is not replicated.
  const SpawnedEntity* find_spawned(EntityId entity) const;

  /// Reports to `Forecast::reached` that the running system uses the entity `to`.
  void reach(EntityId to) {
    if (subset_ != nullptr && forecast_ != nullptr && (to.is_null() || to != current_)) {
      forecast_->reached(current_, to);
    }
  }

  /// Reports to `Forecast::reached` that the running system may use any entity.
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
  /// A change that is made when the running system has ended.
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
  /// The predicted id of the player's next spawn or effect in the running system. Outside shared
  /// systems, the id is empty.
  PredictedKey next_key(PlayerId player, bool is_spawn);
  std::optional<ComponentId> component_id(std::string_view name, std::size_t bytes);
  void queue_value(Pending::Kind kind, EntityId entity, const session_detail::NamedValue& value);
  bool must_wait() const { return is_running_ || walk_depth_ > 0; }
  void apply_pending();
  void put_value(const Pending& pending);
  /// Returns whether a component may be added or removed. Reports a problem if the result is false.
  bool may_change(EntityId entity, ComponentId component, std::string_view verb);
  void note_spawned(SpawnedEntity spawned);
  /// Lists the members of the last instance of `Source::spawner`.
  void note_members(const PrefabPlan& plan, std::vector<Creation>& members) const;
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
  /// The number of running walks. Structural changes wait until all walks have ended.
  std::uint32_t walk_depth_ = 0;
  bool is_paused_ = false;
  /// The number of spawns and cues that a player has caused in the running system.
  struct Count {
    PlayerId player;
    std::uint32_t spawns = 0;
    std::uint32_t cues = 0;
  };
  std::function<CommandNumber(PlayerId)> command_number_;
  CueSink cues_;
  std::function<void(PlayerId, const PredictedKey&, SpawnRefusal)> spawn_report_;
  std::function<void(std::uint32_t)> after_system_;
  StructureWatch* structure_watch_ = nullptr;
  Forecast* forecast_ = nullptr;
  std::uint32_t system_ = 0;
  EntityId current_;  ///< The entity that the running system visits, or null.
  std::vector<Count> counts_;
  const std::vector<EntityId>* subset_ = nullptr;  ///< Set while `predict_tick` runs.
  std::vector<Pending> pending_;
  ByteVector pending_bytes_;
  /// Entities by slot; may contain entities that no longer exist.
  std::vector<SpawnedEntity> spawned_;
  std::vector<EntityId> unsent_;
  std::vector<EntityId> changed_options_;
  std::vector<PlayerId> players_;
  std::vector<PlayerId> joined_;
  std::vector<PlayerId> left_;
};

}  // namespace muster
