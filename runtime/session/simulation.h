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

/// Runs a game's systems over a world and makes its entities. Everything that it is given must
/// outlive it. One thread at a time; a tick in steady state allocates nothing but what spawning
/// needs.
class Simulation {
 public:
  Simulation(const Game& game, Spawner& spawner, ReplicatedCollection& collection,
             const BuildContent& content, ProblemLog& problems, std::uint64_t seed);

  void set_commands(CommandLookup lookup) { commands_ = std::move(lookup); }
  void set_near_message(NearMessage send) { near_message_ = std::move(send); }

  /// Runs the server's systems once.
  void run_tick(Tick tick);
  Tick tick() const { return tick_; }
  /// While paused, ticks run no systems.
  void set_paused(bool is_paused) { is_paused_ = is_paused; }

  /// Makes an entity with its prefab's components, and then the given values.
  EntityId spawn(EntityType type, const SpawnOptions& options,
                 std::span<const session_detail::NamedValue> values);
  /// Takes over an entity that exists, as one that is placed in a level.
  void adopt(EntityId entity, EntityReference reference, TypeId type);
  void despawn(EntityId entity) { world_.request_despawn(entity); }
  /// Despawns a player's entities, except those with `SpawnOptions::keep`.
  void despawn_all_of(PlayerId player);
  /// False for an entity that is gone or not replicated.
  bool set_options(EntityId entity, const SpawnOptions& options);
  const SpawnOptions* options(EntityId entity) const;

  /// Null when the entity is gone or has no such component.
  std::byte* find_component(std::string_view name, EntityId entity, std::size_t bytes);
  bool add_component(EntityId entity, const session_detail::NamedValue& value);
  bool remove_component(EntityId entity, std::string_view name);
  void visit(std::span<const session_detail::VisitedComponent> components, void* visitor,
             session_detail::VisitRun call) {
    walk_.visit(components, visitor, call, [this](ComponentId id, std::uint32_t index) {
      const ComponentStorage& storage = world_.storage(id);
      return world_.bytes(id, storage.owners()[index]).data();
    });
  }
  EntityReference reference(EntityId entity) const;
  EntityId find(EntityReference reference) const { return collection_.find(reference); }
  /// The first entity of a type that a player owns; null when the player owns none.
  EntityId owned(PlayerId player, EntityType type);

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
  void apply_pending();
  void put_value(const Pending& pending);
  /// Whether a component may be added or removed; reports it when not.
  bool may_change(EntityId entity, ComponentId component, std::string_view verb);
  void note_spawned(const SpawnedEntity& spawned);
  Bytes command_bytes(PlayerId player, std::string_view name);

  const Game& game_;
  Spawner& spawner_;
  World& world_;
  ReplicatedCollection& collection_;
  const BuildContent& content_;
  ProblemLog& problems_;
  std::uint64_t seed_;
  ComponentHandle<Replicated> replicated_;
  EntityWalk walk_;
  CommandLookup commands_;
  NearMessage near_message_;
  std::vector<ByteVector> default_commands_;
  Tick tick_;
  bool is_running_ = false;
  bool is_paused_ = false;
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
