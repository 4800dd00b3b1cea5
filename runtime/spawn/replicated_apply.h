// Applies replicated changes of entities to the world, in the only safe order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/player_id.h"
#include "registry/base/tick.h"
#include "registry/base/type_id.h"
#include "runtime/spawn/deferred_spawner.h"
#include "runtime/spawn/replicated_collection.h"

namespace muster {

/// A replicated spawn.
struct ReplicatedSpawn {
  EntityReference id;
  TypeId type;
  PlayerId player = PlayerId::none;  ///< The owner, who predicts it.
  EntityId existing{};               ///< The entity to use; null to spawn a new one.
};

/// A replicated update: new values of one component of an entity.
struct ReplicatedUpdate {
  EntityReference id;
  ComponentId component;
  Bytes value;  ///< In the described layout; must be valid until it is applied.
  /// The entity below `id` that has the component; null for the entity itself.
  EntityId below{};
};

/// All changes of one server tick. The lists may be in any order.
struct ReplicatedChanges {
  Tick tick;
  std::span<const EntityReference> despawned;
  std::span<const ReplicatedSpawn> spawned;
  std::span<const ReplicatedUpdate> updated;
};

/// Counters of the applied changes. All changes come from the network: invalid ones are counted and
/// skipped.
struct ReplicatedApplyCounters {
  std::uint64_t despawned = 0;
  std::uint64_t spawned = 0;
  std::uint64_t placed = 0;  ///< Spawns of placed entities.
  std::uint64_t updated = 0;
  std::uint64_t stale = 0;       ///< Updates that are not newer than the last one.
  std::uint64_t unknown_id = 0;  ///< Despawns and updates of unknown ids.
  /// Ids that are in use or out of range; components that do not exist, do not fit, or are never
  /// sent.
  std::uint64_t refused = 0;
};

/// Applies the server's changes: despawns, then spawns, then updates. With this order, an id is
/// free before it is used again, and every updated entity exists. The tick of an entity only
/// increases: an update with the same or an older tick changes nothing. The spawn of a placed
/// entity (`placed_count`) only sets its owner.
///
/// Spawner and collection must share a world, and outlive this object. One thread at a time.
/// Allocates only to spawn, or for higher ids.
class ReplicatedApply {
 public:
  /// `registry`: the index of the registry of replicated entities in the spawner's catalog.
  ReplicatedApply(DeferredSpawner& spawner, ReplicatedCollection& collection, World& world,
                  std::uint32_t registry)
      : spawner_(spawner),
        collection_(collection),
        world_(world),
        registry_(registry),
        link_(world.find_component("PrefabLink")) {}

  void apply(const ReplicatedChanges& changes);

  /// Applies updates that are known to be the newest, whatever their tick. An entity that is
  /// received in parts has the tick of its oldest part, so several updates may have one tick.
  void apply_newest(Tick tick, std::span<const ReplicatedUpdate> updates);

  /// Applies updates of the current tick of their entities again, to entities that were created
  /// since: children, when the bundle is loaded.
  void apply_again(std::span<const ReplicatedUpdate> updates);

  /// The tick of an entity's last update; 0 if there was none, or for an unknown id.
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
  std::optional<ComponentId> link_;  ///< `PrefabLink`, which the server may not change.
  std::vector<Tick> updated_at_;     ///< By network id.
  ReplicatedApplyCounters counters_;
};

}  // namespace muster
