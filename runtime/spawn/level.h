// A level: a main prefab and further layers.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/content_hash.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/spawn/replicated_collection.h"
#include "runtime/spawn/spawner.h"

namespace muster {

/// Names of fields and components in a game's level definitions.
struct LevelOptions {
  std::string_view layers_field = "layers";
  std::string_view prefab_field = "prefab";
  std::string_view name_field = "name";
  /// Set to 1 or `true` for a layer on demand.
  std::string_view on_demand_field = "onDemand";
  /// The component of replicated entities; those in a level are its placed entities.
  std::string_view replicated_component = "ReplicatedEntity";
};

enum class LevelState : std::uint8_t {
  none,
  loading,
  loaded,  ///< Preloaded: its bundles are loaded, and nothing is spawned.
  ready,
  failed,
};

/// A layer of a level's definition.
struct LevelLayer {
  std::string name;  ///< May be empty.
  Guid prefab;
  bool is_on_demand = false;  ///< Loaded by `load_layer`, not with its level.
};

/// A replicated entity that is part of a level.
struct PlacedEntity {
  ContentHash key;  ///< Its layer and its entity in that; equal on every machine.
  EntityId entity;
  /// Hash of its replicated component's original value.
  ContentHash kind;
};

/// The layers of a level's definition in its order, the main prefab first. Layers whose prefabs are
/// not in this build are left out, such as those for clients only in a server's build. Fails as
/// `BundleStore::load` and `ObjectReader::open` do.
Result<std::vector<LevelLayer>> level_layers(BundleStore& store, const Guid& level,
                                             const LevelOptions& options = {});

/// Loads and unloads levels, one at a time. A level's definition becomes an entity, and its layers
/// become children in their order. Each `update` spawns one layer, to limit the time per frame. A
/// level may be unloaded or replaced at any time, also while it loads.
///
/// Layers on demand are loaded and unloaded separately while the level is loaded; if one fails, the
/// level is unaffected. They contain nothing replicated, because placed entities get their network
/// ids before all others.
///
/// A level is not part of the restored state: take snapshots of its world only when it is ready,
/// and clear them when it is unloaded. If its entity vanishes nevertheless, the level fails.
///
/// Spawner and loader must share a store, and outlive this object. One thread at a time.
///
///     level.load(guid);
///     ...
///     loader.update(now);   // once a frame
///     level.update();
///     if (level.state() == LevelState::ready) level.register_placed(collection);
///     level.load_layer("fireworks");
class Level {
 public:
  Level(Spawner& spawner, BundleLoader& loader, const LevelOptions& options = {})
      : spawner_(spawner), loader_(&loader), options_(options) {}
  ~Level() { unload(); }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  /// Begins to load the bundles of a level, and keeps them; a later `load` continues from there.
  /// Unloads the level before.
  void preload(const Guid& level);

  /// Begins to load a level. Unloads the level before, unless it is the same one being preloaded.
  void load(const Guid& level);

  /// Despawns the level and releases its bundles.
  void unload();

  /// Requests a layer on demand; one that failed is requested again. May be called as soon as the
  /// level is requested; the layer is spawned after the layers that belong to the level. Does
  /// nothing without a level, and for layers that are not on demand or not in this build.
  void load_layer(std::string_view name);

  /// Despawns a layer on demand and releases its bundles, also while it loads.
  void unload_layer(std::string_view name);

  /// The state of a layer: `none` if it was not requested or does not exist. A layer that belongs
  /// to its level is `ready` once it is spawned.
  LevelState layer_state(std::string_view name) const;

  /// Why a layer on demand failed. Requires: its state is `failed`.
  const Error& layer_error(std::string_view name) const;

  /// Uses another loader from now on, as after a hot reload; the old one may be destroyed. The
  /// level loads from the beginning if it is loading now, or if the reload has rebuilt one of its
  /// own layers, because then placed entities of that layer no longer exist. A client must not call
  /// `apply` or `clear` for what it receives until the level is ready and registered again; it may
  /// call `update`. In all other cases the level keeps its layers, whatever the newer definition
  /// contains; but a layer on demand that now contains a replicated entity fails and is despawned.
  void follow(BundleLoader& loader);

  /// Spawns what was loaded since the last call. Call it once a frame.
  void update();

  LevelState state() const { return state_; }
  /// Why it failed. Requires: `state()` is `failed`. Spawned parts were despawned.
  const Error& error() const { return error_; }
  /// The definition's entity; null before it is spawned.
  EntityId root() const { return root_.entity; }
  /// The layers that belong to the level: how many are spawned, and how many there are (0 until the
  /// definition is loaded).
  std::size_t spawned_layers() const { return spawned_layers_; }
  std::size_t layer_count() const { return own_layers_; }

  /// The placed entities, sorted by their keys. Complete when the level is ready.
  std::span<const PlacedEntity> placed() const { return placed_; }

  /// Gives the placed entities the network ids from 0 on, in the order of their keys. A server and
  /// its clients give the same ids, as long as both builds have the layers with placed entities.
  /// Call it before any other entity gets an id. If one id cannot be given, gives none and returns
  /// why. This happens when a level has begun again with more entities, and needs ids that other
  /// entities use: remove those first. Requires: the level is ready, and a tick has ended since
  /// another level was unloaded.
  CollectionVerdict register_placed(ReplicatedCollection& collection) const;

  /// A hash of the keys and kinds in their order. Two ends with equal hashes have placed the same
  /// entities under the same ids. Entities count as the same if their replicated components are
  /// equal. Names and other data can differ, because each end can strip data or use another
  /// variant. A server that accepts clients with other content must compare this hash. Ends with
  /// other versions of the replicated component never have equal hashes.
  ContentHash placed_hash() const;

 private:
  struct Layer {
    LevelLayer definition;
    BundleHandle bundle;
    LevelState state = LevelState::none;
    Creation root;
    Error error;
  };
  bool was_rebuilt() const;
  void begin(const Guid& level, bool is_requested);
  void open_definition();
  void request(Layer& layer);
  void check_preloaded();
  void spawn_next();
  void spawn_on_demand();
  void spawn_layer(Layer& layer);
  template <typename Visit>
  void each_placed(const Layer& layer, const PrefabPlan& plan, Visit visit) const;
  void follow_kinds(const Layer& layer);
  void despawn(Creation& root);
  bool has_travellers(const PrefabPlan& plan) const;
  bool travels_now(const Layer& layer);
  Error travels_on_demand(const Layer& layer) const;
  Layer* find_on_demand(std::string_view name);
  const Layer* find_layer(std::string_view name) const;
  void fail_layer(Layer& layer, Error error);
  void fail_level(Error error);

  Spawner& spawner_;
  BundleLoader* loader_;
  LevelOptions options_;
  LevelState state_ = LevelState::none;
  Error error_;
  Guid level_;
  BundleHandle definition_;
  bool is_requested_ = false;      ///< To be spawned, not only preloaded.
  bool are_layers_known_ = false;  ///< The definition was read.
  std::vector<Layer> layers_;
  std::size_t own_layers_ = 0;      ///< Layers that belong to the level.
  std::size_t spawned_layers_ = 0;  ///< Those that are spawned.
  /// Layers on demand that were requested before the definition was loaded.
  std::set<std::string, std::less<>> requested_layers_;
  Creation root_;
  std::vector<PlacedEntity> placed_;
};

}  // namespace muster
