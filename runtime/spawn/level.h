// Loads and unloads levels. A level consists of a main prefab and further layers.
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

/// The names of fields and components in a game's level definitions.
struct LevelOptions {
  std::string_view layers_field = "layers";
  std::string_view prefab_field = "prefab";
  std::string_view name_field = "name";
  /// The field that is 1 or `true` for a layer on demand.
  std::string_view on_demand_field = "onDemand";
  /// The component of replicated entities. Replicated entities that are part of a level are its
  /// placed entities.
  std::string_view replicated_component = "ReplicatedEntity";
};

enum class LevelState : std::uint8_t {
  none,
  loading,
  loaded,  ///< The bundles are preloaded, and nothing is spawned.
  ready,
  failed,
};

/// A layer of a level's definition.
struct LevelLayer {
  std::string name;  ///< May be empty.
  Guid prefab;
  /// True if `load_layer` loads the layer; false if the layer is loaded with its level.
  bool is_on_demand = false;
};

/// A replicated entity that is part of a level.
struct PlacedEntity {
  ContentHash key;  ///< Identifies the layer and the entity in the layer. The key is equal on every
                    ///< machine.
  EntityId entity;
  /// The hash of the original value of its replicated component.
  ContentHash kind;
};

/// The layers of a level's definition, the main prefab first, then in the order of the definition.
/// Leaves out layers whose prefabs are not in this build, for example the client's layers in a
/// server's build. Fails if the definition cannot be loaded or read, with the code of
/// `BundleStore::load` or `ObjectReader::open`.
Result<std::vector<LevelLayer>> level_layers(BundleStore& store, const Guid& level,
                                             const LevelOptions& options = {});

/// Loads and unloads levels, one at a time. A level's definition becomes an entity, and its layers
/// become children in their order. Each `update` spawns one layer, to limit the time per frame. A
/// level may be unloaded or replaced at any time, even while it loads.
///
/// Layers on demand are loaded and unloaded separately while the level is loaded. The failure of
/// such a layer does not affect the level. Layers on demand contain no replicated entities, because
/// placed entities get their network ids before all other entities.
///
/// A level is not part of the restored state. Take snapshots of its world only when the level is
/// ready, and clear the snapshots when the level is unloaded. If the entity of the definition no
/// longer exists, for example after a restore, the level fails.
///
/// The spawner and the loader must use the same store and must outlive this object. Only one thread
/// at a time may use this object.
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

  /// Unloads the current level, and begins to load the bundles of another level without spawning
  /// it. A later `load` of the same level uses these bundles.
  void preload(const Guid& level);

  /// Begins to load a level, and unloads the current level. If the current level was only preloaded
  /// and is the same level, keeps its bundles.
  void load(const Guid& level);

  /// Despawns the level and releases its bundles.
  void unload();

  /// Requests a layer on demand. A failed layer is requested again. The call is allowed as soon as
  /// the level is requested; the layer is spawned after the layers that belong to the level. Does
  /// nothing if there is no level, if the layer is not on demand, or if the layer is not in this
  /// build.
  void load_layer(std::string_view name);

  /// Despawns a layer on demand and releases its bundles, even while the layer is loading.
  void unload_layer(std::string_view name);

  /// The state of a layer; `none` if the layer was not requested or does not exist. A layer that is
  /// loaded with its level is `ready` once it is spawned.
  LevelState layer_state(std::string_view name) const;

  /// The reason why a layer on demand failed. Requires: its state is `failed`.
  const Error& layer_error(std::string_view name) const;

  /// Replaces the loader, for example after a hot reload. After the call, the old loader may be
  /// destroyed. A level that is loading now loads from the beginning. A level also loads from the
  /// beginning if the reload has rebuilt a layer that belongs to the level, because placed entities
  /// of that layer no longer exist. Until the level is ready and registered again, a client must
  /// not call `apply` or `clear` of its receiver; the client may call `update`. In all other cases
  /// the level keeps its layers, even if the newer definition has different layers. However, a
  /// layer on demand that now contains a replicated entity fails and is despawned.
  void follow(BundleLoader& loader);

  /// Spawns the entity of the definition, or at most one loaded layer. Call this function once a
  /// frame.
  void update();

  LevelState state() const { return state_; }
  /// The reason why the level failed. A failed level has no spawned layers. Requires: `state()` is
  /// `failed`.
  const Error& error() const { return error_; }
  /// The entity of the definition; null before it is spawned.
  EntityId root() const { return root_.entity; }
  /// The number of spawned layers. `layer_count` is the number of all layers, and is 0 until the
  /// definition is loaded. Both numbers leave out layers on demand.
  std::size_t spawned_layers() const { return spawned_layers_; }
  std::size_t layer_count() const { return own_layers_; }

  /// The placed entities, sorted by their keys. The list is complete when the level is ready.
  std::span<const PlacedEntity> placed() const { return placed_; }

  /// Assigns the network ids 0, 1, 2 and so on to the placed entities, in the order of their keys.
  /// A server and its clients assign the same ids if both builds have the layers with placed
  /// entities. Call this function before any other entity gets an id. If an id is in use, assigns
  /// no id and returns the reason. An id can be in use when a level has loaded again and has more
  /// placed entities than before. Remove the entities that use these ids first. Requires: the level
  /// is ready, and a tick has ended since the previous level was unloaded.
  CollectionVerdict register_placed(ReplicatedCollection& collection) const;

  /// A hash of the keys and kinds of the placed entities, in the order of the keys. If a server and
  /// a client have equal hashes, they have the same placed entities under the same ids. Entities
  /// count as the same if their replicated components are equal. Names and other data can differ,
  /// because each build can strip data or use another variant. A server that accepts clients with
  /// different content must compare this hash. The hashes always differ if the two builds have
  /// different versions of the replicated component.
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
  bool is_requested_ = false;      ///< True after `load`; false if the level is only preloaded.
  bool are_layers_known_ = false;  ///< True if the definition was read.
  std::vector<Layer> layers_;
  std::size_t own_layers_ = 0;      ///< The number of layers that are not on demand.
  std::size_t spawned_layers_ = 0;  ///< The number of spawned layers that are not on demand.
  /// The names of layers that were requested before the definition was loaded.
  std::set<std::string, std::less<>> requested_layers_;
  Creation root_;
  std::vector<PlacedEntity> placed_;
};

}  // namespace muster
