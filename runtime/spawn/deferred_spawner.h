// Spawns entities without waiting for bundles.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "registry/base/type_id.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/spawn/prefab_link.h"
#include "runtime/spawn/spawner.h"

namespace muster {

/// Counters of a deferred spawner. Work that is repeated after a restore of the world is counted
/// again.
struct DeferredSpawnCounters {
  std::uint64_t spawned = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;  ///< Entities that could not be completed; see `drain_problems`.
};

/// Spawns entities whose bundles can still be loading. The entity exists at once, so snapshots can
/// be applied to it and other entities can refer to it. When the bundle is loaded, `update` adds
/// the missing components and the children of the prefab. A component that the entity already has
/// keeps its value. The bundle stays loaded while the entity exists.
///
/// If the bundle is missing or damaged, the entity is not changed. The placeholder prefab, if there
/// is one, becomes a child of the entity. The problem is reported once per asset.
///
/// All state of an entity is in its `PrefabLink`, so a world may be restored at any time. The time
/// at which a bundle is loaded depends on the disk. If worlds must be equal on several machines
/// (lockstep), load all prefabs before the match.
///
/// The spawner and the loader must use the same store and must outlive this object. Only one thread
/// at a time may use this object.
///
///     DeferredSpawner spawner(direct, loader, {});
///     EntityId hero = spawner.spawn(guid, {});   // it is alive now
///     loader.update(now);
///     spawner.update();                          // once a frame, after any restore
class DeferredSpawner {
 public:
  struct Options {
    LoadPriority priority = LoadPriority::visible;
    /// The placeholder prefab, which becomes a child of an entity whose prefab cannot be loaded;
    /// null for no placeholder. The constructor loads the placeholder.
    Guid placeholder{};
  };
  /// Requires: the world has the component `PrefabLink`.
  DeferredSpawner(Spawner& spawner, BundleLoader& loader, const Options& options);

  /// Spawns an asset and returns its root. The root is alive at once, and complete when the asset's
  /// bundle is loaded. Requires: `parent` is null or alive.
  EntityId spawn(const Guid& asset, const EntityOptions& options = {});

  /// Spawns the asset of a type id in a registry. An id that is not assigned spawns an entity with
  /// a placeholder, because ids come from the network.
  EntityId spawn_type(RegistryIndex registry, TypeId type_id, const EntityOptions& options = {});
  /// Does the same as `spawn_type`, but uses an existing entity as the root. Requires: the entity
  /// is alive and has no components.
  void spawn_type_at(EntityId root, RegistryIndex registry, TypeId type_id);

  /// Completes entities whose bundles are loaded, and releases bundles that no entity uses. Call
  /// this function once a frame.
  void update();

  /// Requests all bundles again, to complete entities that failed. Call this function after a disk
  /// was mounted again, after a download ended, or (with another loader) after a newer build was
  /// opened. The placeholder of a completed entity despawns. A new loader must use the spawner's
  /// store.
  void retry() { retry(*loader_); }
  void retry(BundleLoader& loader);

  /// Whether an entity still waits for its bundle.
  bool is_waiting(EntityId root) const;
  /// Whether an entity could not be completed.
  bool is_placeholder(EntityId root) const;
  /// Whether an entity is complete or has a placeholder. False if the entity no longer exists or is
  /// despawning.
  bool is_visible(EntityId root) const;
  std::size_t waiting_count() const;

  /// Returns the errors since the last call, for the log: one error for each asset that could not
  /// be loaded and for each type id that is not assigned. At most `kMaxProblems` errors are kept;
  /// `counters` counts all errors.
  std::vector<Error> drain_problems();
  static constexpr std::size_t kMaxProblems = 64;
  /// The maximum number of unassigned type ids that are reported until `retry`. Because of this
  /// limit, a peer that sends all ids cannot fill memory or the log.
  static constexpr std::size_t kMaxReportedTypes = 256;

  const DeferredSpawnCounters& counters() const { return counters_; }
  World& world() const { return spawner_->world(); }
  const BundleStore& store() const { return spawner_->store(); }

 private:
  /// The bundle of an asset that entities were spawned from.
  struct RequestedAsset {
    BundleHandle bundle;
    std::optional<Error> error;  ///< The error if no bundle contains the asset.
    bool is_reported = false;
    bool is_needed = false;
  };
  RequestedAsset& request(const Guid& asset);
  void spawn_at(EntityId root, const Guid& asset);
  void settle(EntityId root);
  void complete(EntityId root, const Guid& asset);
  void fail_root(EntityId root, const Guid& asset, const Error& why);
  void fail_unassigned(EntityId root, RegistryIndex registry, TypeId type_id);
  void add_placeholder(EntityId root);
  bool is_placeholder_child(EntityId entity) const;
  bool has_placeholder(EntityId root) const;
  void remove_placeholders(EntityId root);
  void drop_unneeded();

  Spawner* spawner_;
  BundleLoader* loader_;
  Options options_;
  ComponentHandle<PrefabLink> link_;
  std::unordered_map<Guid, RequestedAsset> requested_;
  /// The version of the `PrefabLink` components at the last cleanup of `requested_`.
  std::uint64_t seen_version_ = 0;
  std::vector<EntityId> unsettled_;
  std::set<std::pair<RegistryIndex, TypeId>> reported_types_;
  std::vector<Error> problems_;
  DeferredSpawnCounters counters_;
};

}  // namespace muster
