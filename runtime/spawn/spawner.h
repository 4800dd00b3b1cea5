// Spawns entities from prefabs and type ids.
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

/// The result of a spawn.
struct Spawned {
  EntityId root;  ///< The prefab's first entity.
  std::uint32_t entities = 0;
  std::uint32_t components = 0;  ///< Components in the world.
  /// Components without a description, which are not added to the world.
  std::uint32_t other_components = 0;
};

/// Spawns entities from the prefabs of a build. A prefab is loaded and checked at its first use.
/// Later spawns only copy data, and allocate only when the world needs more memory.
///
/// The store and the world must outlive the spawner. Only one thread at a time may use the spawner.
///
///     Spawner spawner(store, world);
///     Result<Spawned> hero = spawner.spawn_type(replicated_registry, type_id);
class Spawner {
 public:
  Spawner(BundleStore& store, World& world) : store_(&store), world_(world) {}
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  /// Spawns an asset: a prefab with its hierarchy, or a factory or another definition as one
  /// entity. The roots of the asset become children of `parent`, or roots of the world if `parent`
  /// is null. Fails if the asset cannot be loaded or prepared, with the code of `BundleStore::load`
  /// or `plan_prefab`. Fails with `invalid_argument` for an asset that cannot be spawned, for
  /// example a picture. The message names the asset. On failure nothing is spawned. Requires:
  /// `parent` is null or alive.
  Result<Spawned> spawn(const Guid& asset, EntityId parent = {});

  /// Spawns the asset of a type id. `registry` is the index of the registry in the catalog. Fails
  /// with `not_found` if the id is not assigned, because ids come from the network.
  Result<Spawned> spawn_type(RegistryIndex registry, TypeId type_id, EntityId parent = {});

  /// Loads and checks an asset before it is spawned. The plan is valid while the spawner exists,
  /// but at most until `PrefabInstances::reload`.
  Result<const PrefabPlan*> prepare(const Guid& asset);

  /// Spawns a plan of this spawner. Cannot fail.
  Spawned instantiate(const PrefabPlan& plan, EntityId parent = {});

  /// Does the same as `instantiate`, but uses an existing entity in place of the prefab's first
  /// entity. The existing entity keeps its components, and keeps its name if the name is not empty.
  /// Requires: `root` is alive.
  Spawned instantiate_at(const PrefabPlan& plan, EntityId root);

  /// The entities of the last spawn, in the order of the plan. Valid until the next spawn.
  std::span<const EntityId> last_made() const { return made_; }

  /// The error for a type id that is not assigned in a registry.
  Error unassigned(RegistryIndex registry, TypeId type_id) const;

  /// Adds every later spawn to `instances`. If `instances` is null, later spawns are not added. For
  /// development only. Either `instances` outlives the spawner, or the caller passes null before it
  /// destroys `instances`.
  void note_in(PrefabInstances* instances) { instances_ = instances; }

  /// The argument of the last `note_in`; null before the first call.
  const PrefabInstances* instances() const { return instances_; }

  /// The number of times that `PrefabInstances::reload` has replaced the build. Code that caches
  /// spawned entities needs this number.
  std::uint32_t reload_count() const { return reload_count_; }

  BundleStore& store() { return *store_; }
  World& world() { return world_; }

 private:
  Result<PrefabPlan> load_plan(const Guid& asset);
  Spawned fill(const PrefabPlan& plan, EntityId parent, EntityId root);
  void dress(const PlannedEntity& planned, EntityId entity);

  friend class PrefabInstances;  // Replaces the store and the plans.

  BundleStore* store_;
  World& world_;
  PrefabInstances* instances_ = nullptr;
  std::uint32_t reload_count_ = 0;
  std::unordered_map<Guid, PrefabPlan> plans_;
  /// The plan of the last spawn, which makes repeated spawns of one asset faster.
  const PrefabPlan* last_plan_ = nullptr;
  std::vector<EntityId> made_;  ///< The entities of the last spawn, by index in the plan.
};

}  // namespace muster
