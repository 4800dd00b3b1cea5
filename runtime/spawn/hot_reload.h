// Updates live entities when their prefab changes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "runtime/spawn/spawner.h"

namespace muster {

/// Results of a reload, counted by instance.
struct ReloadReport {
  std::uint32_t unchanged = 0;
  std::uint32_t updated = 0;  ///< Got new values; all entities are the same.
  std::uint32_t rebuilt = 0;  ///< Has other entities or components: only the root is the same.
  std::uint32_t failed = 0;   ///< Cannot be spawned from the new build; unchanged.
  std::vector<Guid> changed;  ///< The assets whose instances were updated or rebuilt; sorted.
  std::vector<Error> errors;  ///< One per asset that failed.
};

/// Whether a folder contains another build than the open one. Compares only the catalogs'
/// fingerprints. Fails as `source` does; a build that is just being replaced may be `not_found` for
/// a moment. Do not use it for previews (`ProjectSource`): their catalogs' fingerprints do not
/// cover values.
Result<bool> is_another_build(const BundleSource& source, const CatalogReader& open);

/// Stores which entities were spawned from which prefab, and updates them when it changes. For
/// development only. One per spawner; one thread at a time.
///
///     PrefabInstances instances;
///     spawner.note_in(&instances);
///     ...                                             // the game runs; then a new build is ready
///     ReloadReport report = instances.reload(spawner, newer_store);
///     deferred.retry(newer_loader);                   // and everything else that loads
class PrefabInstances {
 public:
  /// Adds the entities of one spawn, in the order of the prefab. `Spawner` calls it. When the
  /// number of instances has doubled, those that are not alive are removed; such an instance is not
  /// updated any more, even if a restore makes it alive again.
  void note(const World& world, const Guid& asset, std::span<const EntityId> made);

  /// Updates every live instance from the prefabs of the spawner's store to those of `newer`. From
  /// then on the spawner uses `newer`.
  ///
  /// A field that has the value of the old prefab gets that of the new one; values that the game
  /// has changed stay. If the prefab has other entities or components than before, the instance is
  /// rebuilt: the root keeps its id and its changed values, the old entities below it are detached
  /// and despawned, and new ones are spawned. An entity counts as another one if its id in the file
  /// has changed, or if it has the name that another entity had. In plain files, which have no ids,
  /// it counts as another one if its name has changed.
  ///
  /// An instance that cannot be spawned from the new build is unchanged. The first later build from
  /// which it can be spawned updates it. Instances whose root is not alive are removed. Instances
  /// that a restore has undone are also removed if other entities have their ids now.
  ///
  /// The spawner no longer uses the old store. Older snapshots of the world contain old values:
  /// clear their rings.
  ReloadReport reload(Spawner& spawner, BundleStore& newer);

  /// The entities that the last rebuild of an instance has made: the root and all below, depth
  /// first in the prefab's order, even if the game has moved or despawned them since. Empty if
  /// there was no rebuild since the spawn, if a restore has undone it, or if `root` is no root of
  /// an instance. Valid until the next spawn or reload.
  std::span<const Creation> rebuilt(const World& world, EntityId root) const;

  std::size_t count() const { return instances_.size(); }

 private:
  struct Instance {
    Guid asset;
    std::vector<Creation> made;     ///< In the order of the prefab.
    std::vector<Creation> rebuilt;  ///< Depth first; empty until a reload rebuilds the instance.
  };
  static constexpr std::size_t kFirstPruning = 64;

  static Instance instance_of(const World& world, const Guid& asset,
                              std::span<const EntityId> made);
  static bool is_itself(const World& world, EntityId root, const Instance& instance);
  void prune(const World& world);
  Result<const PrefabPlan*> plan_before(Spawner& spawner, const Guid& asset);

  std::map<EntityId, Instance> instances_;  ///< By root.
  /// Assets that the last build could not spawn, and the plans that their instances were made from.
  std::map<Guid, PrefabPlan> kept_plans_;
  std::size_t next_pruning_ = kFirstPruning;
};

}  // namespace muster
