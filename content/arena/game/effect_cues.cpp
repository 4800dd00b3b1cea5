#include "content/arena/game/effect_cues.h"

#include "content/arena/game/session.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

// Type ids of the registries of effects.
constexpr TypeId kExplosion(1);
constexpr TypeId kMuzzleFlash(2);
constexpr TypeId kSparks(3);
constexpr TypeId kHealPulse(5);
constexpr TypeId kSplash(7);
constexpr TypeId kTracer(1);

// The ticks of an entity.
enum Channel : std::uint32_t { kHurt, kExploded, kFired, kTraced, kHit, kTaken };

}  // namespace

EffectCues::EffectCues(const World& world, const ReplicatedCollection& collection,
                       EffectPlayer& player)
    : world_(world),
      collection_(collection),
      player_(player),
      transform_(world.component<Transform>("Transform")),
      health_(world.component<Health>("Health")),
      explosive_(world.component<Explosive>("Explosive")),
      projectile_(world.component<Projectile>("Projectile")),
      pickup_(world.component<Pickup>("Pickup")) {}

void EffectCues::request(Tick newest, Time now) {
  newest_ = newest;
  now_ = now;
  collection_.each([&](EntityReference id, EntityId entity) { request_of(id, entity); });
}

void EffectCues::request_of(EntityReference id, EntityId entity) {
  const Transform* const transform = world_.get(transform_, entity);
  const Vec3 place = transform != nullptr ? transform->position : Vec3();
  if (const Health* const health = world_.get(health_, entity)) {
    play({id, kHurt, health->damage_tick}, kSparks, place);
  }
  if (const Explosive* const explosive = world_.get(explosive_, entity)) {
    play({id, kExploded, explosive->explode_tick}, kExplosion, place);
  }
  if (const Pickup* const pickup = world_.get(pickup_, entity)) {
    play({id, kTaken, pickup->taken_tick}, kHealPulse, place);
  }
  if (const Projectile* const shot = world_.get(projectile_, entity)) {
    play({id, kFired, shot->start_tick}, kMuzzleFlash, shot->start_position);
    play_line({id, kTraced, shot->start_tick}, kTracer, shot->start_position, shot->end_position);
    play({id, kHit, shot->impact_tick}, kSplash, shot->end_position);
  }
}

// What is refused was played before, or there are too many of it: nothing to be done.
void EffectCues::play(const Moment& moment, TypeId effect, const Vec3& place) {
  if (moment.tick == 0) return;
  (void)player_.request(SpatialEffectRequest{
      .effect = effect,
      .position = place,
      .rotation = {},
      .happened_at = time_of(moment),
      .cause = EffectCause{{moment.entity, moment.channel}, Tick(moment.tick)}});
}

void EffectCues::play_line(const Moment& moment, TypeId effect, const Vec3& start,
                           const Vec3& end) {
  if (moment.tick == 0) return;
  (void)player_.request(HitscanEffectRequest{
      .effect = effect,
      .start = start,
      .end = end,
      .happened_at = time_of(moment),
      .cause = EffectCause{{moment.entity, moment.channel}, Tick(moment.tick)}});
}

Time EffectCues::time_of(const Moment& moment) const {
  constexpr Duration kTick(std::chrono::nanoseconds(std::chrono::seconds(1)) / kTicksPerSecond);
  return now_ - kTick * steps_between(Tick(moment.tick), newest_);
}

}  // namespace arena
