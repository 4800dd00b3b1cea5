// A level: one main prefab and the layers that come on top of it.
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

/// What a level takes from its environment: the names in a game's level definitions.
struct LevelOptions {
  std::string_view layers_field = "layers";
  std::string_view prefab_field = "prefab";
  std::string_view name_field = "name";
  /// Of a layer that does not come with its level: 1 or `true`.
  std::string_view on_demand_field = "onDemand";
  /// The component of entities that travel; those that a level has are placed by hand.
  std::string_view replicated_component = "ReplicatedEntity";
};

enum class LevelState : std::uint8_t {
  none,
  loading,
  loaded,  ///< Its bundles are there, and nothing of it is spawned: it was only preloaded.
  ready,
  failed,
};

/// A layer as a level's definition names it.
struct LevelLayer {
  std::string name;  ///< May be empty.
  Guid prefab;
  bool is_on_demand = false;  ///< Comes when the game asks for it, and not with its level.
};

/// An entity that stands in a level from the beginning.
struct PlacedEntity {
  ContentHash key;  ///< Of its layer, and which entity of it this is: the same on every machine.
  EntityId entity;
  /// Of what it travels as: its replicated component, as it came.
  ContentHash kind;
};

/// What a level's definition names as its layers, in its order, the main prefab first: those whose
/// prefabs are in this build, for a server's build leaves out what only clients show. Fails as
/// `BundleStore::load` and `ObjectReader::open` do.
Result<std::vector<LevelLayer>> level_layers(BundleStore& store, const Guid& level,
                                             const LevelOptions& options = {});

/// Loads and unloads levels, one at a time. A level's definition becomes an entity; below it come
/// the layers in their order, one a call of `update`, so that no frame pays for all of them. May be
/// unloaded, and another one asked for, at any time, also while it loads.
///
/// Layers on demand come and go while the level is there, each by itself: one that fails leaves the
/// level as it is. They hold nothing that travels, because what is placed has its network ids
/// before anything else has any.
///
/// A level stands outside of what is taken back: snapshots of its world are begun when it is ready,
/// and cleared when it is unloaded. Should its entity vanish all the same, it fails.
///
/// Spawner and loader must share a store, and outlive it. One thread at a time.
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

  /// Begins to load the bundles of a level, and keeps them; `load` of it goes on from there. What
  /// was loaded before is unloaded.
  void preload(const Guid& level);

  /// Begins to load a level; what was loaded before is unloaded, unless it is this one's bundles.
  void load(const Guid& level);

  /// Requests the despawn of all of it, and gives up its bundles.
  void unload();

  /// Wants a layer on demand; one that failed is tried again. May be called as soon as the level is
  /// asked for: the layer comes when all that belongs to the level is there. Nothing happens for
  /// layers that are no such, that this build does not have, or without a level.
  void load_layer(std::string_view name);

  /// Requests the despawn of a layer on demand and gives up its bundles, also while it loads.
  void unload_layer(std::string_view name);

  /// How far a layer is: `none` for one that nobody wants, or that there is not. A layer that
  /// belongs to its level is `ready` as soon as it is spawned.
  LevelState layer_state(std::string_view name) const;

  /// Why a layer on demand failed. Requires: its state is failed.
  const Error& layer_error(std::string_view name) const;

  /// Takes its bundles from another loader from now on, as after a hot reload; the old one may go.
  /// A level that is loading begins anew; so does one of which the reload has rebuilt a layer that
  /// is not on demand, for what was placed in that is gone. It is loading again then, and until it
  /// is ready and registered what a client hears goes on with `update` alone: it neither applies
  /// nor clears. Otherwise a level keeps the layers that it has, whatever its newer definition
  /// says; but a layer on demand in which something travels now fails, and is gone.
  void follow(BundleLoader& loader);

  /// Spawns what has come since the last call.
  void update();

  LevelState state() const { return state_; }
  /// Why it failed. Requires: `state()` is failed. What had been spawned is despawning.
  const Error& error() const { return error_; }
  /// The definition's entity; null while there is none.
  EntityId root() const { return root_.entity; }
  /// Of the layers that belong to the level those that are there, and all that there will be (once
  /// the definition has come).
  std::size_t spawned_layers() const { return spawned_layers_; }
  std::size_t layer_count() const { return own_layers_; }

  /// The entities that were placed by hand, sorted by their keys. Complete when the level is ready.
  std::span<const PlacedEntity> placed() const { return placed_; }

  /// Gives the placed entities the network ids from 0 on, in the order of their keys: before any
  /// other entity gets one, and the same on a server and on its clients, as long as the layers that
  /// hold them are in both builds. Gives none when one cannot be given, and returns why: when a
  /// level has begun anew with more in it than before, others may have those ids, and have to go
  /// first. Requires: the level is ready, and a tick has ended since another one was unloaded.
  CollectionVerdict register_placed(ReplicatedCollection& collection) const;

  /// Of the keys in their order, and of the kinds: two ends for which it is the same have placed
  /// the same entities, and give them the same ids, as far as the replicated component tells what
  /// they are. Names and all else may differ, since each end may strip, or have another variant.
  /// Whoever lets in clients with other content has to compare it. Ends with other versions of
  /// that component never agree.
  ContentHash placed_hash() const;

 private:
  struct Layer {
    LevelLayer told;
    BundleHandle bundle;
    LevelState state = LevelState::none;
    Creation root;
    Error error;
  };
  bool was_rebuilt() const;
  void begin(const Guid& level, bool is_wanted);
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
  bool is_wanted_ = false;         ///< Shall be spawned, not only be there.
  bool are_layers_known_ = false;  ///< The definition has been read.
  std::vector<Layer> layers_;
  std::size_t own_layers_ = 0;      ///< Those that belong to the level.
  std::size_t spawned_layers_ = 0;  ///< Of those.
  /// Layers on demand that were asked for before it was known which there are.
  std::set<std::string, std::less<>> wishes_;
  Creation root_;
  std::vector<PlacedEntity> placed_;
};

}  // namespace muster
