// Plays effects, which are short-lived entities that only a client shows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/base/clock.h"
#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "registry/components/component.h"
#include "registry/components/effect_pool.h"
#include "runtime/spawn/spawner.h"
#include "runtime/spawn/tick_triggers.h"

namespace muster {

/// The maximum number of requests of one kind between two updates. This is enough for the shotguns
/// of sixteen players. Further requests are refused.
inline constexpr std::size_t kMaxEffectRequests = 256;

/// The replicated state that caused an effect, for example "fired at tick 90". A cause plays at
/// most one effect of each kind, for example the flash and the tracer of a shot. A cause never
/// plays a second effect of the same kind, even if its tick is computed or received several times,
/// or if a later request names another effect. If one tick causes two effects of the same kind, for
/// example two pellets of a volley, the two effects need different channels. If a game sets
/// `EffectPlayerOptions::same_within_ticks`, effects of ticks within that distance also need
/// different channels.
struct EffectCause {
  TickTriggers::Key key;
  Tick tick;
};

/// An effect at a point. `effect` is a type id of the registry of spatial effects.
struct SpatialEffectRequest {
  TypeId effect;
  Vec3 position;
  Quaternion rotation;
  Time happened_at;  ///< The time of the event. It can be long before the request, for example for
                     ///< a client that joins late.
  std::optional<EffectCause> cause{};
};

/// An effect along a line. `effect` is a type id of the registry of hitscan effects.
struct HitscanEffectRequest {
  TypeId effect;
  Vec3 start;
  Vec3 end;
  Time happened_at;
  std::optional<EffectCause> cause{};
};

enum class [[nodiscard]] EffectVerdict : std::uint8_t{
    accepted,
    unknown_effect,  ///< The type id is not assigned.
    missing,         ///< The prefab could not be loaded, and there is no placeholder.
    queue_full,
    not_finite,  ///< A coordinate is infinite or not a number.
    repeated,    ///< The cause has already played an effect of this kind, or is too old.
};

/// An instance of a pool. The game moves its entity to `position` and plays sound and particles.
struct EffectInstance {
  EntityId root;
  bool is_playing = false;
  Time started_at;
  Time ends_at;
  Vec3 position;  ///< The current position; moves from `start` to `end` if the effect is hitscan.
  Quaternion rotation;  ///< Used for spatial effects only.
  Vec3 start;           ///< The start of a hitscan effect's line, which ends at `end`.
  Vec3 end;
};

/// Counters of all requests so far.
struct EffectCounters {
  std::uint64_t requested = 0;
  std::uint64_t repeated = 0;  ///< Requests with the verdict `repeated`.
  std::uint64_t refused = 0;   ///< Requests with any verdict except `accepted` and `repeated`.
  std::uint64_t failed = 0;    ///< Pools whose prefab could not be loaded; see `drain_problems`.
  /// Requests that were dropped because their event was older than `expiry`.
  std::uint64_t too_late = 0;
  std::uint64_t played = 0;
  std::uint64_t stolen = 0;  ///< Effects that replaced an effect that was still playing.
  std::uint64_t ended = 0;
};

/// Options of an `EffectPlayer`. The names are the names of the game's components and of their
/// fields. When an instance begins to play, the player reads these fields from its root, through
/// the descriptions of the components.
struct EffectPlayerOptions {
  Duration expiry = std::chrono::milliseconds(500);
  std::string_view spatial_component = "SpatialEffect";
  std::string_view duration_field = "durationSeconds";
  Duration default_duration = std::chrono::seconds(1);
  std::string_view hitscan_component = "HitscanEffect";
  std::string_view speed_field = "speed";
  float default_speed = 100;            ///< The default speed in metres per second.
  std::uint32_t same_within_ticks = 0;  ///< The argument of `TickTriggers`, in ticks.
  /// The prefab for pools whose own prefab cannot be loaded; null for no placeholder.
  Guid placeholder{};
};

/// Plays effects from pools. There is one pool per registered effect, with the registered size, and
/// `create` fills it. A new effect uses a free instance of its pool; If no instance is free, the
/// new effect replaces the oldest effect. Effects exist only on their client, and are never sent.
/// Only one thread at a time may use the player. `request` and `update` allocate only for new
/// causes.
///
/// If the bundle of an effect is missing or damaged, its pool has placeholders, or is empty, until
/// `retry` can load the bundle. Other effects still play.
///
/// After `PrefabInstances::reload`, new effects use the durations of the new prefabs. Pools keep
/// their sizes, and the end times of playing effects do not change. To change the effects or the
/// sizes, close the player and create another player. The first update after a reload makes the
/// playing instances active and all other instances inactive.
///
/// The player spawns into a world that is never restored, because an effect that was shown cannot
/// be undone. If the game's world can be restored, pass causes to `request`, and call `request`
/// after every computed tick, even after a tick that is computed again. A world stores only the
/// last tick at which something happened, so a skipped tick could lose an effect.
///
///     player.request(SpatialEffectRequest{explosion, where, {}, when});
///     player.update(now);   // once a frame
class EffectPlayer {
 public:
  /// Spawns all pools, inactive. Waits for bundles that are not in the store yet. So call this
  /// function during a loading screen, or load the registries before. Fails with `invalid_argument`
  /// if the catalog's target is the server, and with `limit_exceeded` if a pool is larger than
  /// `kMaxEffectPool`. On failure, all spawned pools are despawned. The spawner and its world must
  /// outlive the player.
  static Result<EffectPlayer> create(Spawner& spawner, const EffectPlayerOptions& options = {});

  EffectVerdict request(const SpatialEffectRequest& request);
  EffectVerdict request(const HitscanEffectRequest& request);
  /// Call this function when an entity that caused effects no longer exists, because another entity
  /// may get its id.
  void forget(EntityReference cause) {
    for (TickTriggers& triggers : triggers_) triggers.forget(cause);
  }

  /// Moves playing effects, ends effects whose time is over, and then plays the requested effects:
  /// first the spatial effects, then the hitscan effects, each kind in the order of its requests.
  /// Drops requests whose event happened `expiry` or longer before `now`.
  void update(Time now);

  /// Tries again to load the prefabs that could not be loaded, and replaces the placeholders in
  /// their pools. Call this function after a disk was mounted again or a build was installed.
  void retry();
  /// Returns the errors since the last call, for the log: one error for each effect that could not
  /// be loaded.
  std::vector<Error> drain_problems() { return std::exchange(problems_, {}); }

  /// Despawns all pools and drops waiting requests. The player cannot be used again.
  void close();

  /// The instances of an effect; empty for an unknown effect.
  std::span<const EffectInstance> instances(EffectKind kind, TypeId effect) const;
  std::uint32_t playing_count() const;
  const EffectCounters& counters() const { return counters_; }

 private:
  struct Pool {
    EffectKind kind = EffectKind::spatial;
    TypeId effect;
    Guid prefab;
    std::uint32_t size = 0;
    bool has_failed = false;
    std::size_t next = 0;
    /// Has `size` instances; empty if the prefab could not be loaded.
    std::vector<EffectInstance> instances;
  };

  /// A float field of a component, if the world has that component.
  struct Setting {
    std::optional<ComponentId> component;
    std::uint32_t offset_bytes = 0;
    float otherwise = 0;  ///< The value for entities that have no positive number in this field.
  };

  EffectPlayer(Spawner& spawner, const EffectPlayerOptions& options);
  static Setting find_setting(const World& world, std::string_view component,
                              std::string_view field, float otherwise);
  float read(const Setting& setting, EntityId entity) const;
  Result<void> add_pool(const CatalogEffect& effect);
  void fill(Pool& pool);
  void empty(Pool& pool);
  std::size_t find_pool(EffectKind kind, TypeId effect) const;
  EffectVerdict verdict(EffectKind kind, TypeId effect, std::size_t waiting, bool is_finite,
                        const std::optional<EffectCause>& cause);
  void follow_reload();
  void advance(Pool& pool, Time now);
  static std::size_t free_or_oldest(const Pool& pool);
  EffectInstance* begin(Pool& pool, Time happened_at, Time now);

  Spawner* spawner_;
  World* world_;
  Guid placeholder_;
  std::uint32_t reloads_;
  Duration expiry_;
  std::array<TickTriggers, 2> triggers_;
  Setting duration_;         ///< The duration of spatial effects, in seconds.
  Setting speed_;            ///< The speed of hitscan effects, in metres per second.
  std::vector<Pool> pools_;  ///< The pools, sorted by kind and type id.
  std::vector<SpatialEffectRequest> spatial_requests_;
  std::vector<HitscanEffectRequest> hitscan_requests_;
  std::vector<Error> problems_;
  EffectCounters counters_;
};

}  // namespace muster
