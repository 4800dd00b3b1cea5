// Applies replicated changes of entities to the world.
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

/// Applies the server's changes: first despawns, then spawns, then updates. In this order, an id is
/// free before it is used again, and every updated entity exists. The tick of an entity only
/// increases: an update with the same or an older tick changes nothing. The spawn of a placed
/// entity (`ReplicatedCollection::placed_count`) only sets its owner.
///
/// The spawner and the collection must use the same world and must outlive this object. Only one
/// thread at a time may use this object. Allocates only to spawn entities, and for an id that is
/// higher than all earlier ids.
class ReplicatedApply {
 public:
  /// A replicated spawn.
  struct Spawn {
    EntityReference id;
    TypeId type;
    PlayerId player = PlayerId::none;  ///< The player that owns and predicts the entity.
    EntityId existing{};               ///< The entity to use; null to spawn a new entity.
  };

  /// A replicated update: the new value of one component of an entity.
  struct Update {
    EntityReference id;
    ComponentId component;
    Bytes value;  ///< The value in the layout of the component's description. The bytes must be
                  ///< valid until the update is applied.
    /// The entity that has the component, below the entity of `id`; null if the entity of `id` has
    /// the component.
    EntityId below{};
  };

  /// All changes of one server tick. The lists may be in any order.
  struct Changes {
    Tick tick;
    std::span<const EntityReference> despawned;
    std::span<const Spawn> spawned;
    std::span<const Update> updated;
  };

  /// Counters of the applied changes. All changes come from the network, so invalid changes are
  /// counted and skipped.
  struct Counters {
    std::uint64_t despawned = 0;
    std::uint64_t spawned = 0;
    std::uint64_t placed = 0;  ///< Spawns of placed entities.
    std::uint64_t updated = 0;
    std::uint64_t stale = 0;  ///< Updates that are not newer than the last update of their entity.
    std::uint64_t unknown_id = 0;  ///< Despawns and updates of unknown ids.
    /// Changes that are refused because the id is in use or out of range, or because the component
    /// does not exist, has another size, or is never sent.
    std::uint64_t refused = 0;
  };

  /// `registry` is the index of the registry of replicated entities in the spawner's catalog.
  ReplicatedApply(DeferredSpawner& spawner, ReplicatedCollection& collection, World& world,
                  RegistryIndex registry)
      : spawner_(spawner),
        collection_(collection),
        world_(world),
        registry_(registry),
        link_(world.find_component("PrefabLink")) {}

  void apply(const Changes& changes);

  /// Applies updates that the caller knows to be the newest, without comparing ticks. An entity
  /// that is received in parts has the tick of its oldest part, so several updates of the entity
  /// can have the same tick.
  void apply_newest(Tick tick, std::span<const Update> updates);

  /// Repeats updates that have the current tick of their entities. Call this function when the
  /// bundle of an entity is loaded, because the updates could not be applied to children that did
  /// not exist yet.
  void apply_again(std::span<const Update> updates);

  /// The tick of an entity's last update; 0 if there was no update or the id is unknown.
  Tick updated_at(EntityReference id) const;
  const Counters& counters() const { return counters_; }

 private:
  void despawn(EntityReference id);
  void spawn(const Spawn& spawn);
  void update(const Update& update, Tick tick);
  void note_tick(EntityReference id, Tick tick);
  void put(const Update& update, EntityId entity);

  DeferredSpawner& spawner_;
  ReplicatedCollection& collection_;
  World& world_;
  RegistryIndex registry_;
  std::optional<ComponentId> link_;  ///< `PrefabLink`, which the server may not change.
  std::vector<Tick> updated_at_;     ///< The ticks of the last updates, by network id.
  Counters counters_;
};

}  // namespace muster
