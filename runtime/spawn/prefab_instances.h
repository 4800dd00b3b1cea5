// Updates live entities when their prefab changes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "runtime/spawn/spawner.h"

namespace muster {

/// The result of a reload. The numbers count instances.
struct ReloadReport {
  std::uint32_t unchanged = 0;
  std::uint32_t updated = 0;  ///< Instances that got new values and kept all their entities.
  std::uint32_t rebuilt = 0;  ///< Instances that got new entities. Only the root was kept.
  /// Instances that were not changed, because they cannot be spawned from the new build.
  std::uint32_t failed = 0;
  std::vector<Guid> changed;  ///< The assets whose instances were updated or rebuilt; sorted.
  std::vector<Error> errors;  ///< One error for each asset that failed.
};

/// Whether a folder contains a different build than `open`. Compares only the fingerprints of the
/// catalogs. Fails if `source` cannot read the catalog, with the code of that failure. While
/// another program replaces the build, the error can be `not_found` for a moment. Do not use this
/// function for previews (`ProjectSource`): the fingerprints of their catalogs do not cover values.
Result<bool> is_another_build(const BundleSource& source, const CatalogReader& open);

/// Stores which entities were spawned from which prefab, and updates the entities when the prefab
/// changes. For development only. A spawner has at most one `PrefabInstances`. Only one thread at a
/// time may use this object.
///
///     PrefabInstances instances;
///     spawner.note_in(&instances);
///     ...                                             // the game runs; then a new build is ready
///     ReloadReport report = instances.reload(spawner, newer_store);
///     deferred.retry(newer_loader);                   // and everything else that loads
class PrefabInstances {
 public:
  /// Adds the entities of one spawn, in the order of the prefab. `Spawner` calls this function.
  /// When the number of instances has doubled, `note` removes the instances that are not alive. A
  /// removed instance is not updated any more, even if a restore makes its entities alive again.
  void note(const World& world, const Guid& asset, std::span<const EntityId> made);

  /// Updates every live instance from the prefabs of the spawner's store to the prefabs of `newer`.
  /// After the call, the spawner uses `newer`.
  ///
  /// A field that still has the value of the old prefab gets the value of the new prefab. A field
  /// that the game has changed keeps its value. If the prefab has different entities or components
  /// than before, the instance is rebuilt. The root keeps its id and its changed values. The old
  /// entities below the root are detached and despawned, and new entities are spawned. An entity
  /// counts as different if its id in the file has changed, or if it now has the name that another
  /// entity had. In plain files, which have no ids, an entity counts as different if its name has
  /// changed.
  ///
  /// An instance that cannot be spawned from the new build is not changed. A reload of a later
  /// build can update the instance. Instances whose root is not alive are removed from the list. If
  /// a restore has undone an instance and other entities have its ids now, the instance is also
  /// removed from the list.
  ///
  /// The spawner no longer uses the old store. Earlier snapshots of the world contain old values,
  /// so the caller must clear every snapshot ring.
  ReloadReport reload(Spawner& spawner, BundleStore& newer);

  /// The entities of the last rebuild of an instance: the root and all entities below the root,
  /// depth first in the prefab's order. The list does not change when the game moves or despawns
  /// these entities. The list is empty if the instance was never rebuilt, if a restore has undone
  /// the rebuild, or if `root` is not the root of an instance. Valid until the next spawn or
  /// reload.
  std::span<const Creation> rebuilt(const World& world, EntityId root) const;

  std::size_t count() const { return instances_.size(); }

 private:
  struct Instance {
    Guid asset;
    std::vector<Creation> made;     ///< The entities of the spawn, in the order of the prefab.
    std::vector<Creation> rebuilt;  ///< The entities of the last rebuild, depth first; empty until
                                    ///< a reload rebuilds the instance.
  };
  static constexpr std::size_t kFirstPruning = 64;

  static Instance instance_of(const World& world, const Guid& asset,
                              std::span<const EntityId> made);
  static bool is_itself(const World& world, EntityId root, const Instance& instance);
  void prune(const World& world);
  Result<const PrefabPlan*> plan_before(Spawner& spawner, const Guid& asset);

  std::map<EntityId, Instance> instances_;  ///< The instances, by root.
  /// The plans of the existing instances of assets that the last build could not spawn.
  std::map<Guid, PrefabPlan> kept_plans_;
  std::size_t next_pruning_ = kFirstPruning;
};

}  // namespace muster
