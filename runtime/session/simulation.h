// The world of a session's end, with its systems, entities and commands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/replication/world_sender.h"
#include "runtime/session/build_content.h"
#include "runtime/session/entity_walk.h"
#include "runtime/session/hit_tests.h"
#include "runtime/session/problem_log.h"
#include "runtime/session/system_context.h"
#include "runtime/spawn/replicated_collection.h"
#include "runtime/spawn/spawner.h"
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
};

/// What a server's simulation makes entities from.
struct EntitySource {
  Spawner& spawner;
  ReplicatedCollection& collection;
  const BuildContent& content;
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

  void set_commands(CommandLookup lookup) { commands_ = std::move(lookup); }
  /// Null for none. Must outlive the simulation.
  void set_hit_tests(HitTests* tests) { hit_tests_ = tests; }
  void set_near_message(NearMessage send) { near_message_ = std::move(send); }

  /// Runs all systems of the server once.
  void run_tick(Tick tick);
  /// Runs the shared systems once for some entities, sorted by id: a client's prediction.
  void predict_tick(Tick tick, std::span<const EntityId> entities);
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
  EntityId find(EntityReference reference) const { return ids_.find(reference); }
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
  std::optional<std::span<const EntityId>> subset_;  ///< While `predict_tick` runs.
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
