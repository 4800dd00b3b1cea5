// The presentations and effects that a client shows for the entities that it receives.
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
#include "runtime/spawn/effects.h"
#include "runtime/spawn/hot_reload.h"
#include "runtime/spawn/presentation.h"

namespace muster {

/// The type of the presentation for everyone, and of the additional presentation for the owner.
inline constexpr std::uint32_t kPresentationType = 0;
inline constexpr std::uint32_t kOwnPresentationType = 1;

/// A separate world of presentations and effects. An entity of the received world with the
/// component `PresentationOwner` is shown by a presentation; the component's field `variation`
/// selects which one. The presentation's root has the position and rotation with which the entity
/// is shown. The content and the received world must outlive this object. One thread at a time.
class ShownWorld {
 public:
  struct Options {
    Guid placeholder{};  ///< A prefab that replaces those that cannot be loaded; null for none.
    std::uint16_t platforms = 0;  ///< Bits that a presentation must have.
    bool may_reload = false;
  };
  /// The `Transform` that an entity is drawn with now; null if it has none.
  using ShownTransform = std::function<const std::byte*(EntityId)>;

  /// Fills the pools of effects. Fails as `EffectPlayer::create` does.
  static Result<std::unique_ptr<ShownWorld>> open(ContentStore& assets, const World& received,
                                                  const Options& options);

  /// Begins an effect. False if the build has no effect of that name or id.
  bool play(const PlayedEffect& effect, Time now);
  /// To be called once per frame, after the received world's despawns. `is_hidden` returns true for
  /// entities that are not drawn.
  void update(PlayerId player, Time now, const ShownTransform& transform,
              const std::function<bool(EntityId)>& is_hidden);
  /// Replaces the content by that of a newer build.
  ReloadReport reload(ContentStore& newer);

  const World& world() const { return world_; }
  /// The root of an entity's presentation in `world()`; null if there is none.
  EntityId presentation(EntityId entity, std::uint32_t type) const {
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
  void follow(EntityId entity, std::uint32_t type, const std::byte* transform);
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
  std::unordered_map<std::string, Effect> effects_;  ///< By path, and by unique short name.
  std::vector<PlayingEffect> playing_;
  std::optional<ComponentId> owner_;  ///< `PresentationOwner` in the received world.
  std::size_t variation_offset_ = 0;
  std::optional<ComponentId> link_;
  std::optional<ComponentId> replicated_;
  std::optional<ComponentId> transform_;  ///< In `world_`.
  std::vector<Field> followed_;           ///< Of `Transform`: position and rotation.
};

}  // namespace muster
