// Effects: short-lived things that only a client shows.
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

/// The maximum number of requests of one kind between two updates: enough for the shotguns of
/// sixteen players. Further ones are refused.
inline constexpr std::size_t kMaxEffectRequests = 256;

/// The replicated state that caused an effect, such as "fired at tick 90". A cause plays one effect
/// of each kind (the flash and the tracer of a shot), however often its tick is computed or
/// received, and even if a repetition names another effect. Two effects of a kind from one tick,
/// such as the pellets of a volley, need a channel each. If a game sets
/// `EffectPlayerOptions::same_within_ticks`, effects of ticks within that distance also need a
/// channel each.
struct EffectCause {
  TickTriggers::Key key;
  Tick tick;
};

/// An effect at a point, by its type id in the registry of spatial effects.
struct SpatialEffectRequest {
  TypeId effect;
  Vec3 position;
  Quaternion rotation;
  Time happened_at;  ///< The time of the event; it may be long before the request, for a late
                     ///< joiner.
  std::optional<EffectCause> cause{};
};

/// An effect along a line, by its type id in the registry of hitscan effects.
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
    missing,         ///< Its prefab could not be loaded, and there is no placeholder.
    queue_full,
    not_finite,  ///< A coordinate is infinite or not a number.
    repeated,    ///< The cause was played before, or is too old.
};

/// An instance of a pool. The game moves its entity to `position` and plays sound and particles.
struct EffectInstance {
  EntityId root;
  bool is_playing = false;
  Time started_at;
  Time ends_at;
  Vec3 position;        ///< The current one; for a hitscan effect the head of its line.
  Quaternion rotation;  ///< Set for spatial effects.
  Vec3 start;           ///< The line of a hitscan effect.
  Vec3 end;
};

/// Counters of all requests so far.
struct EffectCounters {
  std::uint64_t requested = 0;
  std::uint64_t repeated = 0;  ///< Verdict `repeated`.
  std::uint64_t refused = 0;   ///< All other verdicts except `accepted`.
  std::uint64_t failed = 0;    ///< Pools whose prefab could not be loaded; see `drain_problems`.
  std::uint64_t too_late = 0;  ///< Not played: older than the expiry.
  std::uint64_t played = 0;
  std::uint64_t stolen = 0;  ///< Played by an instance that was still playing.
  std::uint64_t ended = 0;
};

/// Options of an EffectPlayer. The names are those of the game's components: their fields are read
/// through their descriptions from the root of an instance whenever it begins to play.
struct EffectPlayerOptions {
  Duration expiry = std::chrono::milliseconds(500);
  std::string_view spatial_component = "SpatialEffect";
  std::string_view duration_field = "durationSeconds";
  Duration default_duration = std::chrono::seconds(1);
  std::string_view hitscan_component = "HitscanEffect";
  std::string_view speed_field = "speed";
  float default_speed = 100;            ///< In metres per second.
  std::uint32_t same_within_ticks = 0;  ///< See `TickTriggers`.
  /// The prefab for pools whose own prefab cannot be loaded; null for none.
  Guid placeholder{};
};

/// Plays effects from pools: one pool per registered effect, with the registered size, filled on
/// construction. A pool's instances are used in turn; if none is free, the oldest is used. Effects
/// exist only on their client, and are never sent. The caller passes the time to `update`. One
/// thread at a time. `request` and `update` do not allocate, except for new causes.
///
/// An effect whose bundle is missing or damaged does not affect others: its pool has placeholders,
/// or is empty, until `retry` can load it.
///
/// After `PrefabInstances::reload` new effects use the durations of the new prefabs. Pools keep
/// their sizes, and running effects end at the same time as before. For other effects or sizes,
/// close the player and create another one. The next update makes exactly the playing instances
/// active again.
///
/// The world of the player is a view, which is never restored: a shown effect cannot be taken back.
/// If the game's world is restored, call `request` with causes after every computed tick, also
/// after ticks that are computed again: a world stores only when something happened last.
///
///     player.request(SpatialEffectRequest{explosion, where, {}, when});
///     player.update(now);   // once a frame
class EffectPlayer {
 public:
  /// Spawns all pools, inactive. Waits for bundles that are not in the store yet, so call it during
  /// a loading screen, or load the registries before. Fails with `invalid_argument` in a server's
  /// world (by the target of the catalog), and with `limit_exceeded` for a pool larger than
  /// `kMaxEffectPool`; pools that were spawned by then are despawned. The spawner and its world
  /// must outlive the player.
  static Result<EffectPlayer> create(Spawner& spawner, const EffectPlayerOptions& options = {});

  EffectVerdict request(const SpatialEffectRequest& request);
  EffectVerdict request(const HitscanEffectRequest& request);
  /// Call it when an entity that caused effects is gone; its id may be used for another one.
  void forget(EntityReference cause) {
    for (TickTriggers& triggers : triggers_) triggers.forget(cause);
  }

  /// Moves playing effects, ends those that are over, then plays the requested ones: spatial
  /// effects first, each kind in the order of its requests. Requests whose event is `expiry` or
  /// longer ago are dropped.
  void update(Time now);

  /// Loads prefabs again that could not be loaded, and replaces placeholders in their pools. Call
  /// it after a disk was mounted again or a build was installed.
  void retry();
  /// Returns what could not be loaded since the last call, for the log: one error for each effect.
  std::vector<Error> drain_problems() { return std::exchange(problems_, {}); }

  /// Despawns all pools and drops waiting requests. The player cannot be used again.
  void close();

  /// The instances of an effect; empty for an unknown one.
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
    std::vector<EffectInstance> instances;  ///< As many as `size`, or none.
  };

  /// A float field of a component, if the world has that component.
  struct Setting {
    std::optional<ComponentId> component;
    std::uint32_t offset_bytes = 0;
    float otherwise = 0;  ///< For entities without a positive number there.
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
  std::array<TickTriggers, 2> triggers_;  ///< By kind.
  Setting duration_;                      ///< Of spatial effects, in seconds.
  Setting speed_;                         ///< Of hitscan effects.
  std::vector<Pool> pools_;               ///< By kind and type id.
  std::vector<SpatialEffectRequest> spatial_requests_;
  std::vector<HitscanEffectRequest> hitscan_requests_;
  std::vector<Error> problems_;
  EffectCounters counters_;
};

}  // namespace muster
