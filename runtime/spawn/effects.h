// Effects: what a client shows and forgets.
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
#include "registry/components/component.h"
#include "registry/components/effect_pool.h"
#include "runtime/spawn/spawner.h"
#include "runtime/spawn/tick_triggers.h"

namespace muster {

/// Requests of one kind that wait for the next update. A volley of sixteen players' shotguns fits;
/// what comes beyond that in one frame, nobody misses.
inline constexpr std::size_t kMaxEffectRequests = 256;

/// What made an effect happen, where that is replicated state: "fired at tick 90". The same cause
/// plays one effect of each kind (the flash and the tracer of a shot), however often its tick is
/// computed or received, and whichever effect it is by then. Two of a kind at once, such as the
/// pellets of a volley, have channels of their own; so have ticks that follow each other faster
/// than `EffectPlayerOptions::same_within_ticks` separates, in games that set it.
struct EffectCause {
  TickTriggers::Key key;
  Tick tick;
};

/// An effect at a point, by its type id in the registry of spatial effects.
struct SpatialEffectRequest {
  TypeId effect;
  Vec3 position;
  Quaternion rotation;
  Time happened_at;  ///< When, not when it was asked for: a late joiner asks for old ones.
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
    not_finite,  ///< A position is not a number.
    repeated,    ///< Its cause has been played, or was too long ago.
};

/// One pooled instance. The game moves its entity to `position` and plays sound and particles.
struct EffectInstance {
  EntityId root;
  bool is_playing = false;
  Time started_at;
  Time ends_at;
  Vec3 position;        ///< Now: of a hitscan effect, the head of its line.
  Quaternion rotation;  ///< Of a spatial effect.
  Vec3 start;           ///< The line of a hitscan effect.
  Vec3 end;
};

/// What has become of all requests so far.
struct EffectCounters {
  std::uint64_t requested = 0;
  std::uint64_t repeated = 0;  ///< Asked for again by a tick that was computed again.
  std::uint64_t refused = 0;   ///< Any other verdict but `accepted`.
  std::uint64_t failed = 0;    ///< Pools whose prefab could not be loaded; see `take_problems`.
  std::uint64_t too_late = 0;  ///< Not played: older than the expiry.
  std::uint64_t played = 0;
  std::uint64_t stolen = 0;  ///< Of those: took an instance that was still playing.
  std::uint64_t ended = 0;
};

/// What an EffectPlayer takes from its environment. The names are those of the game's components:
/// the fields are read through their descriptions, from the root of the instance, whenever it
/// begins to play.
struct EffectPlayerOptions {
  Duration expiry = std::chrono::milliseconds(500);
  std::string_view spatial_component = "SpatialEffect";
  std::string_view duration_field = "durationSeconds";
  Duration default_duration = std::chrono::seconds(1);
  std::string_view hitscan_component = "HitscanEffect";
  std::string_view speed_field = "speed";
  float default_speed = 100;            ///< In metres per second.
  std::uint32_t same_within_ticks = 0;  ///< Of causes; see `TickTriggers`.
  /// A prefab to fill pools with whose own cannot be loaded; null for none.
  Guid placeholder{};
};

/// Plays effects from pools: one pool per registered effect, as large as registered, filled on
/// construction. Requests are taken in rotation; a pool with none free loses the oldest. An effect
/// is on its client only, and never on the wire. Time is what `update` is told. One thread at a
/// time; requesting and updating allocate nothing, but for causes that are new.
///
/// An effect whose bundle is missing or damaged costs no other: its pool has placeholders, or
/// nothing, until `retry` finds it.
///
/// After `PrefabInstances::reload` what begins lasts as its prefab says then. Pools keep their
/// sizes, and what plays its end: for other effects or sizes, close the player and create another.
/// What plays is active and nothing else is, whatever the reload made of it, from the next update.
///
/// Its world is a view: one that never goes back in time, as what has been shown cannot be taken
/// back. A game whose world does, asks with causes, after every tick that it computes: also of
/// those that it computes again, as a world only says when something happened last.
///
///     player.request(SpatialEffectRequest{explosion, where, {}, when});
///     player.update(now);   // once a frame
class EffectPlayer {
 public:
  /// Spawns all pools, inactive, and waits for the bundles that are not in the store yet: for the
  /// loading screen, or request the registries before. Fails with `invalid_argument` in a server's
  /// world (by the target of the catalog), and with `limit_exceeded` for a pool larger than
  /// `kMaxEffectPool`; what was spawned by then is asked to despawn. The spawner and its world must
  /// outlive the player.
  static Result<EffectPlayer> create(Spawner& spawner, const EffectPlayerOptions& options = {});

  EffectVerdict request(const SpatialEffectRequest& request);
  EffectVerdict request(const HitscanEffectRequest& request);
  /// An entity that was the cause of effects has gone; its id may come again for another one.
  void forget(EntityReference cause) {
    for (TickTriggers& triggers : triggers_) triggers.forget(cause);
  }

  /// Moves what plays, ends what is over, then plays what was requested: spatial effects first, in
  /// the order of the requests. Requests that are `expiry` old, or older, are dropped.
  void update(Time now);

  /// Tries again to fill pools whose prefabs could not be loaded, after a disk came back or a build
  /// was put in place. What stands in goes, where it is found.
  void retry();
  /// What could not be loaded since the last call, one message for each effect, for the log.
  std::vector<Error> take_problems() { return std::exchange(problems_, {}); }

  /// Requests the despawn of all pools and drops what waits: the player plays no more.
  void close();

  /// The pool of an effect; empty for an unknown one.
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

  /// A float field of a component, if the world knows it.
  struct Setting {
    std::optional<ComponentId> component;
    std::uint32_t offset_bytes = 0;
    float otherwise = 0;  ///< For what has none, or no positive number there.
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
