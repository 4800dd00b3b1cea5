// The presentations and effects of a client, in a separate world.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "registry/base/player_id.h"
#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "runtime/session/content_store.h"
#include "runtime/session/session_options.h"
#include "runtime/spawn/effect_player.h"
#include "runtime/spawn/prefab_instances.h"
#include "runtime/spawn/presentations.h"

namespace muster {

/// A separate world of presentations and effects. A presentation shows each entity of the received
/// world that has the component `PresentationOwner`. The component's field `variation` selects the
/// presentation. The presentation's root has the shown position and rotation of the entity. The
/// content and the received world must outlive this object. Only one thread at a time may use this
/// object.
class ShownWorld {
 public:
  struct Options {
    Guid placeholder{};           ///< Replaces prefabs that cannot be loaded; may be null.
    std::uint16_t platforms = 0;  ///< The platform bits that a presentation must have.
    bool may_reload = false;
  };
  /// Returns the `Transform` with which an entity is drawn now, or null if the entity has no
  /// `Transform`.
  using ShownTransform = std::function<const std::byte*(EntityId)>;

  /// Opens the world, and fills the pools of effects. Fails if the effects cannot be loaded, with
  /// the code of `EffectPlayer::create`.
  static Result<std::unique_ptr<ShownWorld>> open(ContentStore& assets, const World& received,
                                                  const Options& options);

  /// Begins an effect. Returns false if the build has no effect with that name or id.
  bool play(const PlayedEffect& effect, Time now);
  /// Call this function once per frame, after the despawns of the received world. `is_hidden` must
  /// return true for entities that are not drawn.
  void update(PlayerId player, Time now, const ShownTransform& transform,
              const std::function<bool(EntityId)>& is_hidden);
  /// Replaces the content by the content of a newer build.
  ReloadReport reload(ContentStore& newer);

  const World& world() const { return world_; }
  /// The root of an entity's presentation in `world()`; null if there is none.
  EntityId presentation(EntityId entity, PresentationType type) const {
    return presentations_.shown(entity, type);
  }
  /// Valid until the next `update`.
  std::span<const PlayingEffect> effects() const { return playing_; }
  std::uint64_t presentation_count() const { return views_.counters().completed; }
  EffectCounters effect_counters() const {
    return player_ ? player_->counters() : EffectCounters();
  }
  std::vector<Error> drain_problems();

 private:
  ShownWorld(ContentStore& assets, const World& received, const Options& options);
  Result<void> open_effects();
  void index_effects();
  void show(EntityId entity, std::uint16_t variation, PlayerId player);
  void show_as(EntityId entity, const PresentationKey& key);
  void follow(EntityId entity, PresentationType type, const std::byte* transform);
  void list_playing(Time now);
  std::optional<Guid> asset_of(EntityId entity) const;

  struct Effect {
    EffectKind kind = EffectKind::spatial;
    TypeId type;
  };
  struct Field {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };

  ContentStore* assets_;
  const World& received_;
  Options options_;
  World world_;
  PrefabInstances instances_;
  Spawner spawner_;
  DeferredSpawner views_;
  Presentations presentations_;
  std::optional<EffectPlayer> player_;
  std::unordered_map<std::string, Effect> effects_;  ///< Effects by path, and by unique short name.
  std::vector<PlayingEffect> playing_;
  std::optional<ComponentId> owner_;  ///< The component `PresentationOwner` in the received world.
  std::size_t variation_offset_ = 0;
  std::optional<ComponentId> link_;
  std::optional<ComponentId> replicated_;
  std::optional<ComponentId> transform_;  ///< The component `Transform` in `world_`.
  std::vector<Field> followed_;           ///< The position and rotation of `Transform`.
};

}  // namespace muster
