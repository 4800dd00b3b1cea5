// Live entities follow when their prefab changes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "runtime/spawn/spawner.h"

namespace muster {

/// What a reload did, instance by instance.
struct ReloadReport {
  std::uint32_t unchanged = 0;
  std::uint32_t updated = 0;  ///< New values in place; every entity is the one it was.
  std::uint32_t rebuilt = 0;  ///< Another hierarchy or other components: only the root stayed.
  std::uint32_t failed = 0;   ///< The new build cannot spawn it; it stays as it is.
  std::vector<Guid> changed;  ///< The assets whose instances were updated or rebuilt; sorted.
  std::vector<Error> errors;  ///< One per asset that failed.
};

/// Whether a folder holds another build than the one that is open: compares the catalogs'
/// fingerprints, without reading the rest. Fails as the source does; a build that is just being
/// replaced is `not_found` for a moment. Not for previews (`ProjectSource`): the fingerprint of
/// their catalogs is of what there is, not of its values.
Result<bool> is_another_build(const BundleSource& source, const CatalogReader& open);

/// Remembers which entities came from which prefab, so that they can follow when it changes. For
/// development: a shipped game has no use for it. One per spawner; one thread at a time.
///
///     PrefabInstances instances;
///     spawner.note_in(&instances);
///     ...                                             // a game; then a new build has come
///     ReloadReport report = instances.reload(spawner, newer_store);
///     deferred.retry(newer_loader);                   // and all others that load
class PrefabInstances {
 public:
  /// The entities of one spawn, in the order of the prefab. `Spawner` calls it. Instances that are
  /// gone are forgotten when there have come as many as were alive; one that goes back in time to
  /// live again after that does not follow any more.
  void note(const World& world, const Guid& asset, std::span<const EntityId> made);

  /// Brings every instance that is alive from the prefabs of the spawner's store to those of
  /// `newer`, from which the spawner spawns afterwards. A field that still has the value of the old
  /// prefab takes that of the new one; what the game has changed, stays. When the prefab's entities
  /// or components are others than before, the root keeps its id and what the game gave it, and all
  /// below it is spawned anew (the old entities hang there no more, and are asked to despawn). An
  /// entity is another if it has another id in its file, or the name that another one had; in plain
  /// files, which have no ids, if it has another name.
  /// What the new build cannot spawn stays, and follows the next build that can. Instances that are
  /// gone are forgotten, also when going back in time took them back and other entities have their
  /// ids.
  ///
  /// The old store is no longer needed by the spawner. Snapshots of the world from before hold the
  /// old values: clear their rings.
  ReloadReport reload(Spawner& spawner, BundleStore& newer);

  /// What the last reload that rebuilt an instance has made of it: its root and all below, depth
  /// first as the prefab has them, wherever the game has put them since and whether or not they are
  /// still there. Empty when none has since its spawn, when going back in time took it back, and
  /// for a root of none. Lives until the next spawn or reload.
  std::span<const Creation> rebuilt(const World& world, EntityId root) const;

  std::size_t count() const { return instances_.size(); }

 private:
  struct Instance {
    Guid asset;
    std::vector<Creation> made;     ///< In the order of the prefab.
    std::vector<Creation> rebuilt;  ///< The same depth first; empty until a reload makes it anew.
  };
  static constexpr std::size_t kFirstPruning = 64;

  static Instance instance_of(const World& world, const Guid& asset,
                              std::span<const EntityId> made);
  static bool is_itself(const World& world, EntityId root, const Instance& instance);
  void prune(const World& world);
  Result<const PrefabPlan*> plan_before(Spawner& spawner, const Guid& asset);

  std::map<EntityId, Instance> instances_;  ///< By root.
  /// Of assets that the last build could not spawn: what their instances were made from.
  std::map<Guid, PrefabPlan> kept_plans_;
  std::size_t next_pruning_ = kFirstPruning;
};

}  // namespace muster
