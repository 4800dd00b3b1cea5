// Type id to entities.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/spawn/prefab_plan.h"
#include "runtime/world/world.h"

namespace muster {

class PrefabInstances;

/// What a spawn made.
struct Spawned {
  EntityId root;  ///< The prefab's first entity.
  std::uint32_t entities = 0;
  std::uint32_t components = 0;        ///< In the world.
  std::uint32_t other_components = 0;  ///< Those without description, which are not.
};

/// Makes entities of what a build holds. A prefab is loaded and checked when it is first asked for;
/// from then on spawning it only copies, and allocates nothing but what the world needs to grow.
///
/// Store and world must outlive it. One thread at a time.
///
///     Spawner spawner(store, world);
///     Result<Spawned> hero = spawner.spawn_type(replicated_registry, type_id);
class Spawner {
 public:
  Spawner(BundleStore& store, World& world) : store_(&store), world_(world) {}
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  /// Spawns an asset: a prefab with its hierarchy, a factory or another definition as one entity of
  /// pure data. Its roots become children of `parent`, or roots of the world when that is null.
  /// Nothing is spawned on failure. Fails as `BundleStore::load` and `plan_prefab` do, naming the
  /// asset, and with `invalid_argument` for an asset that is neither, such as a picture.
  /// Requires: a parent that is null or alive.
  Result<Spawned> spawn(const Guid& asset, EntityId parent = {});

  /// Spawns what a type id leads to in a registry, by the registry's index in the catalog. Fails
  /// with `not_found` when the id is not assigned: ids come from the network.
  Result<Spawned> spawn_type(std::uint32_t registry, TypeId type_id, EntityId parent = {});

  /// Loads and checks an asset ahead of spawning it. The plan lives as long as the spawner, or
  /// until `PrefabInstances::reload`.
  Result<const PrefabPlan*> prepare(const Guid& asset);

  /// Spawns from a plan of this spawner: cannot fail.
  Spawned instantiate(const PrefabPlan& plan, EntityId parent = {});

  /// Spawns into an entity that exists: it takes the place of the prefab's first entity, keeps the
  /// components that it has, and its name unless it has none. Requires: it is alive.
  Spawned instantiate_at(const PrefabPlan& plan, EntityId root);

  /// The entities of the last spawn, in the order of the plan; lives until the next one.
  std::span<const EntityId> last_made() const { return made_; }

  /// The error of a type id that is not assigned in a registry.
  Error unassigned(std::uint32_t registry, TypeId type_id) const;

  /// Tells `instances` of every spawn from now on, whoever asked for it; null ends that. For
  /// development: see `PrefabInstances`, which must outlive this or be taken off before.
  void note_in(PrefabInstances* instances) { instances_ = instances; }

  /// What is told of every spawn; null for nothing.
  const PrefabInstances* instances() const { return instances_; }

  /// How often `PrefabInstances::reload` has put another build in place: for whoever keeps
  /// something of what was spawned.
  std::uint32_t reload_count() const { return reload_count_; }

  BundleStore& store() { return *store_; }
  World& world() { return world_; }

 private:
  Result<PrefabPlan> load_plan(const Guid& asset);
  Spawned fill(const PrefabPlan& plan, EntityId parent, EntityId root);
  void dress(const PlannedEntity& planned, EntityId entity);

  friend class PrefabInstances;  // Puts another build in place.

  BundleStore* store_;
  World& world_;
  PrefabInstances* instances_ = nullptr;
  std::uint32_t reload_count_ = 0;
  std::unordered_map<Guid, PrefabPlan> plans_;
  const PrefabPlan* last_plan_ = nullptr;  ///< Of what was spawned last: it often comes in bursts.
  std::vector<EntityId> made_;  ///< The entities of the last spawn, by index in the plan.
};

}  // namespace muster
