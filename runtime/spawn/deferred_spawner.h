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

/// Counters of a deferred spawner. Work that is repeated after the world was restored counts again.
struct DeferredSpawnCounters {
  std::uint64_t spawned = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;  ///< Could not be completed; see `drain_problems`.
};

/// Spawns entities from bundles that may not be loaded yet. The entity exists at once, so snapshots
/// can be applied to it and other entities can refer to it. The rest of its prefab (missing
/// components, children) is added when the bundle is loaded; components that the entity has by then
/// keep their values. The bundle stays loaded as long as the entity exists.
///
/// If the bundle is missing or damaged, the entity is not changed, the placeholder prefab (if
/// set) becomes a child of it, and the problem is reported once per asset.
///
/// All state of an entity is in its `PrefabLink`, so a world may be restored at any moment. The
/// disk decides when a bundle is loaded: where worlds must be equal on several machines (lockstep),
/// load all prefabs before the match.
///
/// Spawner and loader must share a store, and outlive this object. One thread at a time.
///
///     DeferredSpawner spawner(direct, loader, {});
///     EntityId hero = spawner.spawn(guid, {});   // it is alive now
///     loader.update(now);
///     spawner.update();                          // once a frame, after any restore
class DeferredSpawner {
 public:
  struct Options {
    LoadPriority priority = LoadPriority::visible;
    /// The prefab that stands below an entity whose prefab cannot be loaded; null for none. It is
    /// loaded on construction.
    Guid placeholder{};
  };
  /// Requires: the world has the component `PrefabLink`.
  DeferredSpawner(Spawner& spawner, BundleLoader& loader, const Options& options);

  /// Spawns an asset. The returned root is alive; it is complete when the asset's bundle is loaded.
  /// Requires: `parent` is null or alive.
  EntityId spawn(const Guid& asset, const EntityOptions& options = {});

  /// Spawns the asset of a type id in a registry. An id that is not assigned gives a placeholder,
  /// because ids come from the network.
  EntityId spawn_type(std::uint32_t registry, TypeId type_id, const EntityOptions& options = {});
  /// Spawns the same into an existing entity. Requires: it is alive and has no components.
  void spawn_type_at(EntityId root, std::uint32_t registry, TypeId type_id);

  /// Completes entities whose bundles are loaded, and releases bundles that no entity uses. Call it
  /// once a frame.
  void update();

  /// Requests all bundles again, and completes what has failed: after a disk was mounted again, a
  /// download ended, or (with another loader) a newer build was opened. A placeholder despawns when
  /// its entity is completed. A new loader must share the spawner's store.
  void retry() { retry(*loader_); }
  void retry(BundleLoader& loader);

  /// Whether an entity still waits for its bundle.
  bool is_waiting(EntityId root) const;
  /// Whether an entity could not be completed.
  bool is_placeholder(EntityId root) const;
  /// Whether an entity can be shown: it is complete, or has a placeholder. False when it is gone or
  /// despawning.
  bool is_visible(EntityId root) const;
  std::size_t waiting_count() const;

  /// Returns what could not be loaded since the last call, for the log: one error per asset, and
  /// per type id that is not assigned. At most `kMaxProblems` are kept; `counters` counts all.
  std::vector<Error> drain_problems();
  static constexpr std::size_t kMaxProblems = 64;
  /// At most this many unassigned type ids are reported until `retry`, so a peer that sends all ids
  /// cannot fill memory or the log.
  static constexpr std::size_t kMaxReportedTypes = 256;

  const DeferredSpawnCounters& counters() const { return counters_; }
  World& world() const { return spawner_->world(); }
  const BundleStore& store() const { return spawner_->store(); }

 private:
  /// The bundle of an asset that entities were spawned from.
  struct RequestedAsset {
    BundleHandle bundle;
    std::optional<Error> error;  ///< Set if the asset is in no bundle.
    bool is_reported = false;    ///< Its problem was reported.
    bool is_needed = false;
  };
  RequestedAsset& request(const Guid& asset);
  void spawn_at(EntityId root, const Guid& asset);
  void settle(EntityId root);
  void complete(EntityId root, const Guid& asset);
  void fail_root(EntityId root, const Guid& asset, const Error& why);
  void fail_unassigned(EntityId root, std::uint32_t registry, TypeId type_id);
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
  std::uint64_t seen_version_ = 0;  ///< The links' version at the last cleanup of `requested_`.
  std::vector<EntityId> unsettled_;
  std::set<std::pair<std::uint32_t, TypeId>> reported_types_;
  std::vector<Error> problems_;
  DeferredSpawnCounters counters_;
};

}  // namespace muster
