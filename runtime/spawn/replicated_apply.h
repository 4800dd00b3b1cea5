// What the network says of entities, put into the world in the one order that is safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/tick.h"
#include "registry/base/type_id.h"
#include "runtime/spawn/deferred_spawner.h"
#include "runtime/spawn/replicated_collection.h"

namespace muster {

/// An entity that has come.
struct ReplicatedSpawn {
  EntityReference id;
  TypeId type;
  PlayerId player = PlayerId::none;  ///< Whose it is; who predicts it.
  EntityId existing{};               ///< The entity that becomes this one; null for a new one.
};

/// New values of one component of an entity.
struct ReplicatedUpdate {
  EntityReference id;
  ComponentId component;
  Bytes value;  ///< As described; lives until it is applied.
  /// The entity below it whose component this is; null for its own.
  EntityId below{};
};

/// All that one tick of the server says. The lists may be in any order.
struct ReplicatedChanges {
  Tick tick;
  std::span<const EntityReference> despawned;
  std::span<const ReplicatedSpawn> spawned;
  std::span<const ReplicatedUpdate> updated;
};

/// What became of the changes so far. Everything comes from the network: what makes no sense is
/// counted and passed over.
struct ReplicatedApplyCounters {
  std::uint64_t despawned = 0;
  std::uint64_t spawned = 0;
  std::uint64_t placed = 0;  ///< Of those: stood in the level already.
  std::uint64_t updated = 0;
  std::uint64_t stale = 0;       ///< Updates that are no newer than what the entity has.
  std::uint64_t unknown_id = 0;  ///< Despawns and updates of nobody.
  /// Ids in use or out of range; components that do not exist or fit, or never travel.
  std::uint64_t refused = 0;
};

/// Applies what the server says: despawns, then spawns, then updates, so that an id that is given
/// again is free by then, and what is updated is there. Per entity the tick only rises: an update
/// of a tick that it has had changes nothing. Spawning an entity that stands in the level
/// (`placed_count`) only tells whose it is.
///
/// Spawner and collection must share a world, and outlive it. One thread at a time; steady state
/// allocates nothing but what spawning needs.
class ReplicatedApply {
 public:
  /// `registry`: of replicated entities, by its index in the spawner's catalog.
  ReplicatedApply(DeferredSpawner& spawner, ReplicatedCollection& collection, World& world,
                  std::uint32_t registry)
      : spawner_(spawner),
        collection_(collection),
        world_(world),
        registry_(registry),
        link_(world.find_component("PrefabLink")) {}

  void apply(const ReplicatedChanges& changes);

  /// Applies updates that the caller knows to be the newest, whatever their tick is. An entity that
  /// arrives in parts has the tick of its oldest part, so that several updates have one tick.
  void apply_newest(Tick tick, std::span<const ReplicatedUpdate> updates);

  /// Applies updates of the tick that their entities have had, to what has come since: an entity's
  /// children, when its bundle has.
  void apply_again(std::span<const ReplicatedUpdate> updates);

  /// The tick of the last update of an entity; 0 when it had none, or there is none.
  Tick updated_at(EntityReference id) const;
  const ReplicatedApplyCounters& counters() const { return counters_; }

 private:
  void despawn(EntityReference id);
  void spawn(const ReplicatedSpawn& spawn);
  void update(const ReplicatedUpdate& update, Tick tick);
  void note_tick(EntityReference id, Tick tick);
  void put(const ReplicatedUpdate& update, EntityId entity);

  DeferredSpawner& spawner_;
  ReplicatedCollection& collection_;
  World& world_;
  std::uint32_t registry_;
  std::optional<ComponentId> link_;  ///< `PrefabLink`, which is not the server's to change.
  std::vector<Tick> updated_at_;     ///< By network id.
  ReplicatedApplyCounters counters_;
};

}  // namespace muster
