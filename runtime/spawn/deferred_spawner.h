// Spawning that never waits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/assets/bundle_loader.h"
#include "runtime/spawn/spawner.h"

namespace muster {

/// What became of everything so far.
struct DeferredSpawnCounters {
  std::uint64_t spawned = 0;
  std::uint64_t completed = 0;
  std::uint64_t placeholders = 0;  ///< Could not be completed; see `take_problems`.
  std::uint64_t gone = 0;          ///< Despawned before their bundle came.
};

/// Makes entities of bundles that may not be there yet. The entity exists at once, so snapshots can
/// be applied to it and others can refer to it; the rest of its prefab (missing components,
/// children) comes when the bundle does. What an entity has been given by then, it keeps.
///
/// When the bundle is missing or damaged, the entity becomes a placeholder: it stays what it is, is
/// given the placeholder prefab's components and children if there is one, and the problem is noted
/// once per asset.
///
/// Spawner and loader must share a store, and outlive it. One thread at a time.
///
///     DeferredSpawner spawner(direct, loader, {});
///     EntityId hero = spawner.spawn(guid, {});   // it is alive now
///     loader.update(now);
///     spawner.update();                          // once a frame
class DeferredSpawner {
 public:
  struct Options {
    LoadPriority priority = LoadPriority::visible;
    /// A prefab to show in place of what cannot be loaded; null for none. It should be loaded.
    Guid placeholder{};
  };
  DeferredSpawner(Spawner& spawner, BundleLoader& loader, const Options& options)
      : spawner_(spawner), loader_(loader), options_(options) {}

  /// Spawns an asset: the returned root is alive, and complete when the asset's bundle is ready.
  /// Requires: a parent that is null or alive.
  EntityId spawn(const Guid& asset, const EntityOptions& options = {});

  /// Spawns what a type id leads to in a registry. An id that is not assigned gives a placeholder:
  /// ids come from the network.
  EntityId spawn_type(std::uint32_t registry, TypeId type_id, const EntityOptions& options = {});

  /// Completes entities whose bundles have come, in the order in which they were spawned.
  void update();

  /// Whether an entity still waits for its bundle.
  bool is_waiting(EntityId root) const;
  std::size_t waiting_count() const { return waiting_.size(); }
  /// Whether an entity could not be completed.
  bool is_placeholder(EntityId root) const;

  /// What could not be loaded since the last call, one message per asset, for the log. At most
  /// `kMaxProblems` wait; the counter has all of them.
  std::vector<Error> take_problems();
  static constexpr std::size_t kMaxProblems = 64;

  const DeferredSpawnCounters& counters() const { return counters_; }

 private:
  struct Waiting {
    EntityId root;
    Guid asset;
    BundleHandle bundle;
  };
  void complete(EntityId root, const Guid& asset);
  void make_placeholder(EntityId root, const Guid& asset, const Error& why);

  Spawner& spawner_;
  BundleLoader& loader_;
  Options options_;
  std::vector<Waiting> waiting_;  ///< In the order of spawning.
  std::vector<EntityId> placeholders_;
  std::vector<Guid> told_;  ///< Assets whose problem has been noted; sorted.
  std::vector<Error> problems_;
  DeferredSpawnCounters counters_;
};

}  // namespace muster
