// The intervals are short, so that each kind of event happens within a few seconds.
#include "content/arena/game/rules.h"

#include <muster/math.h>
#include <muster/system_context.h>

#include <algorithm>
#include <cmath>

#include "content/arena/game/components.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game uses most of muster

namespace {

constexpr float kWalkSpeed = 6;  // In metres per second.
constexpr float kJumpSpeed = 5;  // In metres per second.
constexpr float kGravity = 9.81F;
constexpr float kHalfWidth = 40;  // From the centre to a wall, in metres.
constexpr float kGunHeight = 0.9F;
constexpr float kShotMetres = 25;
constexpr float kShotDamage = 10;
constexpr float kCooldown = 1.5F;
constexpr std::uint32_t kShotTicks = 25;    // The time of flight of a projectile, in ticks.
constexpr std::uint32_t kImpactTicks = 12;  // The time from impact to despawn, in ticks.
constexpr std::uint32_t kExplodeInterval = 150;
constexpr std::uint32_t kHurtInterval = 7;

// The type ids in the registries of effects.
constexpr TypeId kExplosion(1);
constexpr TypeId kMuzzleFlash(2);
constexpr TypeId kSparks(3);
constexpr TypeId kHealPulse(5);
constexpr TypeId kSplash(7);
constexpr TypeId kTracer(1);  // A hitscan effect.

bool is_over(const SystemContext& ctx) {
  bool found = false;
  ctx.each_known<const GameMode>(
      [&](const GameMode& mode) { found = found || mode.phase == MatchPhase::over; });
  return found;
}

float number(Random& random, float low, float high) {
  return low + (high - low) * static_cast<float>(random.below(1U << 20U)) / (1U << 20U);
}

/// Returns a different phase for each entity, so that entities of one kind do not all make the same
/// movement at the same time.
float offset_of(const SystemContext& ctx, EntityId self) {
  return 0.13F * static_cast<float>(ctx.reference(self).network_id);
}

/// Returns the position of an entity; the origin for an entity without a position.
Vec3 position_of(const SystemContext& ctx, EntityId self) {
  const auto* const at = ctx.get<Transform>(self);
  return at != nullptr ? at->position : Vec3();
}

// Predicted systems, which run for the entities of a player.

void walk(SystemContext& ctx, EntityId self, CharacterMovement& movement, Transform& at) {
  if (is_over(ctx)) return;
  const Steer& steer = ctx.command<Steer>(self);
  movement.velocity.x = steer.direction.x * kWalkSpeed;
  movement.velocity.z = steer.direction.z * kWalkSpeed;
  if (movement.grounded && steer.jump.is_pressed()) {
    movement.velocity.y = kJumpSpeed;
    movement.grounded = false;
  }
  if (!movement.grounded) movement.velocity.y -= kGravity * ctx.seconds();
  at.position = at.position + movement.velocity * ctx.seconds();
  if (!movement.grounded && at.position.y <= 0) {
    at.position.y = 0;
    movement.velocity.y = 0;
    movement.grounded = true;
  }
  at.position.x = std::clamp(at.position.x, -kHalfWidth, kHalfWidth);
  at.position.z = std::clamp(at.position.z, -kHalfWidth, kHalfWidth);
  // Half of the angle from (0, 0, 1) to the aim.
  const float cosine = std::clamp(normalised({steer.aim.x, 0, steer.aim.z}).z, -1.0F, 1.0F);
  const float sine_half = std::sqrt((1 - cosine) / 2);
  at.rotation = {0, steer.aim.x < 0 ? -sine_half : sine_half, 0, std::sqrt((1 + cosine) / 2)};
}

/// The server tests the shot against the world that the player saw when it fired (lag
/// compensation).
void shoot(SystemContext& ctx, EntityId self, Gun& gun, const Transform& at) {
  const Steer& steer = ctx.command<Steer>(self);
  if (!steer.fire.is_pressed() || is_over(ctx)) return;
  const Vec3 muzzle = at.position + Vec3{0, kGunHeight, 0};
  const Vec3 aim = normalised({steer.aim.x, 0, steer.aim.z});
  gun = {.shot_tick = ctx.tick().value(), .target = {}};
  Projectile shot;
  shot.start_tick = ctx.tick().value();
  shot.start_position = muzzle;
  shot.end_position = muzzle + aim * kShotMetres;
  const std::span<const Hit> hits =
      ctx.hits({.shooter = self, .from = muzzle, .direction = aim, .metres_max = kShotMetres});
  if (!hits.empty()) {
    const Hit hit = hits.front();
    gun.target = ctx.reference(hit.entity);
    shot.end_position = hit.position;
    if (auto* const health = ctx.edit_on_server<Health>(hit.entity)) {
      // A shot leaves at least 1 hp. Only `hurt_things` destroys entities.
      health->current = std::min(health->current, std::max(1.0F, health->current - kShotDamage));
      health->damage_tick = ctx.tick().value();
    }
    ctx.play(kSparks, {.position = hit.position, .cause = self});
  }
  // The projectile is not predicted, because no component identifies a predicted projectile.
  if (ctx.is_server()) ctx.spawn(types::kProjectile, {}, shot);
  ctx.play(kMuzzleFlash, {.position = shot.start_position});
  ctx.play(kTracer, {.position = shot.start_position, .line_end = shot.end_position});
}

void use_ability(SystemContext& ctx, EntityId self, AbilityState& ability) {
  if (is_over(ctx)) return;
  ability.cooldown_seconds = std::max(0.0F, ability.cooldown_seconds - ctx.seconds());
  if (!ctx.command<Steer>(self).fire.is_pressed()) return;
  ability.activated_tick = ctx.tick().value();
  ability.cooldown_seconds = kCooldown;
  ability.slot = (ability.slot + 1) % 4;
}

// Systems of the server.

void fly(SystemContext& ctx, EntityId self, Projectile& shot) {
  if (is_over(ctx)) return;
  const std::uint32_t age = ctx.tick().value() - shot.start_tick;
  if (age == kShotTicks) {
    shot.impact_tick = ctx.tick().value();
    ctx.play(kSplash, {.position = shot.end_position});
  }
  if (age >= kShotTicks + kImpactTicks) ctx.despawn(self);
}

void move_platform(SystemContext& ctx, EntityId self, Platform& platform) {
  if (is_over(ctx)) return;
  const float seconds = static_cast<float>(ctx.tick().value()) * ctx.seconds();
  platform.phase = std::fmod(seconds / platform.period_seconds + offset_of(ctx, self), 1.0F);
}

void move_door(SystemContext& ctx, EntityId self, Door& door) {
  if (is_over(ctx)) return;
  const float seconds = static_cast<float>(ctx.tick().value()) * ctx.seconds();
  door.is_open = std::fmod(seconds + 10 * offset_of(ctx, self), 5.0F) < 2.5F;
  const float step = ctx.seconds() / door.open_seconds;
  door.opening = std::clamp(door.opening + (door.is_open ? step : -step), 0.0F, 1.0F);
}

void contest_point(SystemContext& ctx, EntityId self, CapturePoint& point) {
  if (is_over(ctx)) return;
  const float seconds = static_cast<float>(ctx.tick().value()) * ctx.seconds();
  point.progress = std::sin(seconds * 0.7F + 8 * offset_of(ctx, self));
  point.owning_team = point.progress > 0.7F ? 1 : point.progress < -0.7F ? 0 : -1;
}

/// At intervals, damages a random entity. If the entity is destroyed, spawns a crate at a random
/// position.
void hurt_things(SystemContext& ctx) {
  if (ctx.tick().value() % kHurtInterval != 0 || is_over(ctx)) return;
  const auto can_break = [&](EntityId id) {
    return ctx.owner(id) == PlayerId::none && ctx.get<Explosive>(id) == nullptr;
  };
  std::uint32_t count = 0;
  ctx.each<const Health>([&](EntityId id, const Health&) { count += can_break(id) ? 1U : 0U; });
  if (count == 0) return;
  Random random = ctx.random();
  auto chosen = static_cast<std::uint32_t>(random.below(count));
  ctx.each<Health>([&](EntityId id, Health& health) {
    if (!can_break(id) || chosen-- != 0) return;
    health.current = std::max(0.0F, health.current - number(random, 5, 30));
    health.damage_tick = ctx.tick().value();
    ctx.play(kSparks, {.position = position_of(ctx, id), .cause = id});
    if (health.current > 0) return;
    ctx.despawn(id);
    Transform at;
    const float x = number(random, -30, 30);
    at.position = {x, 0, number(random, -30, 30)};
    ctx.spawn(types::kCrate, {}, at);
  });
}

void explode(SystemContext& ctx, EntityId self, Explosive& explosive) {
  const auto id = static_cast<std::uint32_t>(ctx.reference(self).network_id);
  if ((ctx.tick().value() + 17 * id) % kExplodeInterval != 0 || is_over(ctx)) return;
  explosive.explode_tick = ctx.tick().value();
  ctx.play(kExplosion, {.position = position_of(ctx, self)});
}

void use_pickup(SystemContext& ctx, EntityId self, Pickup& pickup) {
  if (ctx.random(self).below(240) != 0 || is_over(ctx)) return;
  pickup.taken_tick = pickup.taken_tick == 0 ? ctx.tick().value() : 0;
  if (pickup.taken_tick != 0) ctx.play(kHealPulse, {.position = position_of(ctx, self)});
}

void keep_score(SystemContext& ctx, GameMode& mode) {
  const std::uint32_t tick = ctx.tick().value();
  if (mode.phase == MatchPhase::over) return;
  if (mode.phase == MatchPhase::warm_up && tick > kTicksPerSecond) {
    mode.phase = MatchPhase::running;
    mode.phase_tick = tick;
  }
  if (tick % 97 == 0) ++mode.team_scores[tick % 2];
}

void score(SystemContext& ctx, EntityId self, PlayerState& state) {
  if (!is_over(ctx) && ctx.random(self).below(200) == 0) ++state.score;
}

}  // namespace

Game make_game() {
  return {.application = 0x61'72'65'6E'61'00'00'02,  // Identifies this game.
          .ticks_per_second = kTicksPerSecond,
          .components = {arena_components()},
          .commands = commands<Steer>(),
          .messages = messages<Announcement>(),
          .systems = systems<walk, shoot, use_ability>(),
          .server_systems = systems<fly, move_platform, move_door, contest_point, hurt_things,
                                    explode, use_pickup, keep_score, score>(),
          .sync = OwnerPrediction{}};
}

}  // namespace arena
