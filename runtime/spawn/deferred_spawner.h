// Spawning that never waits.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/assets/bundle_loader.h"
#include "runtime/spawn/prefab_link.h"
#include "runtime/spawn/spawner.h"

namespace muster {

/// What was done so far. After the world went back in time, what is done again counts again.
struct DeferredSpawnCounters {
  std::uint64_t spawned = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;  ///< Could not be completed; see `take_problems`.
};

/// Makes entities of bundles that may not be there yet. The entity exists at once, so snapshots can
/// be applied to it and others can refer to it; the rest of its prefab (missing components,
/// children) comes when the bundle does. What an entity has been given by then, it keeps. Its
/// bundle stays loaded for as long as the entity is there.
///
/// When the bundle is missing or damaged, the entity stays what it is, the placeholder prefab (if
/// there is one) stands below it as a child, and the problem is noted once per asset.
///
/// What it knows of entities is their `PrefabLink`, so a world may go back in time at any moment.
/// When bundles come depends on the disk: a world that must be equal on several machines (lockstep)
/// has its prefabs loaded before it starts.
///
/// Spawner and loader must share a store, and outlive it. One thread at a time.
///
///     DeferredSpawner spawner(direct, loader, {});
///     EntityId hero = spawner.spawn(guid, {});   // it is alive now
///     loader.update(now);
///     spawner.update();                          // once a frame, after any going back
class DeferredSpawner {
 public:
  struct Options {
    LoadPriority priority = LoadPriority::visible;
    /// A prefab to show below what cannot be loaded; null for none. It is loaded from the start.
    Guid placeholder{};
  };
  /// Requires: a world that knows `PrefabLink`.
  DeferredSpawner(Spawner& spawner, BundleLoader& loader, const Options& options);

  /// Spawns an asset: the returned root is alive, and complete when the asset's bundle is ready.
  /// Requires: a parent that is null or alive.
  EntityId spawn(const Guid& asset, const EntityOptions& options = {});

  /// Spawns what a type id leads to in a registry. An id that is not assigned gives a placeholder:
  /// ids come from the network.
  EntityId spawn_type(std::uint32_t registry, TypeId type_id, const EntityOptions& options = {});
  /// The same into an entity that exists, without components. Requires: it is alive.
  void spawn_type_at(EntityId root, std::uint32_t registry, TypeId type_id);

  /// Completes entities whose bundles have come, and gives up bundles that no entity needs.
  void update();

  /// Tries again what has failed, with bundles asked for anew: after a disk came back, a download
  /// ended, or (with another loader) a newer build was opened. What stood in goes when its entity
  /// is completed. A new loader must share the spawner's store.
  void retry() { retry(*loader_); }
  void retry(BundleLoader& loader);

  /// Whether an entity still waits for its bundle.
  bool is_waiting(EntityId root) const;
  /// Whether an entity could not be completed.
  bool is_placeholder(EntityId root) const;
  /// Whether there is something to be seen of an entity: it is complete, or a placeholder stands
  /// below it. False when it is gone or about to go.
  bool is_there(EntityId root) const;
  std::size_t waiting_count() const;

  /// What could not be loaded since the last call, one message per asset and per type id that is
  /// not assigned, for the log. At most `kMaxProblems` wait; the counter has all of them.
  std::vector<Error> take_problems();
  static constexpr std::size_t kMaxProblems = 64;
  /// Of so many type ids that are not assigned it is remembered that they were told, or until
  /// `retry`: who sends all there are is not heard for ever.
  static constexpr std::size_t kMaxToldTypes = 256;

  const DeferredSpawnCounters& counters() const { return counters_; }
  World& world() const { return spawner_->world(); }
  const BundleStore& store() const { return spawner_->store(); }

 private:
  /// The bundle of an asset that entities were spawned from.
  struct Wanted {
    BundleHandle bundle;
    std::optional<Error> error;  ///< The asset is in no bundle.
    bool is_told = false;        ///< Its problem has been noted.
    bool is_needed = false;
  };
  Wanted& want(const Guid& asset);
  void spawn_at(EntityId root, const Guid& asset);
  void settle(EntityId root);
  void complete(EntityId root, const Guid& asset);
  void fail_root(EntityId root, const Guid& asset, const Error& why);
  void fail_unassigned(EntityId root, std::uint32_t registry, TypeId type_id);
  void stand_in(EntityId root);
  bool is_stand_in(EntityId entity) const;
  bool has_stand_in(EntityId root) const;
  void remove_stand_ins(EntityId root);
  void drop_unneeded();

  Spawner* spawner_;
  BundleLoader* loader_;
  Options options_;
  ComponentHandle<PrefabLink> link_;
  std::unordered_map<Guid, Wanted> wanted_;
  std::uint64_t seen_version_ = 0;  ///< Of the links, when `wanted_` was last looked through.
  std::vector<EntityId> unsettled_;
  std::set<std::pair<std::uint32_t, TypeId>> told_types_;
  std::vector<Error> problems_;
  DeferredSpawnCounters counters_;
};

}  // namespace muster
