// Numbers here are only such that something of every kind happens within a few seconds.
#include "content/arena/game/course.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

constexpr float kTwoPi = 6.2831853F;
constexpr std::uint32_t kShotTicks = 25;     // A projectile flies so long, ...
constexpr std::uint32_t kImpactTicks = 12;   // ... and lies there so long.
constexpr std::uint32_t kFireInterval = 40;  // Of a player.
constexpr std::uint32_t kExplodeInterval = 150;
constexpr std::uint32_t kHurtInterval = 7;

}  // namespace

Course::Course(Population& population, std::uint64_t seed)
    : population_(population),
      world_(population.world()),
      random_(seed),
      transform_(world_.component<Transform>("Transform")),
      movement_(world_.component<CharacterMovement>("CharacterMovement")),
      ability_(world_.component<AbilityState>("AbilityState")),
      state_(world_.component<PlayerState>("PlayerState")),
      health_(world_.component<Health>("Health")),
      explosive_(world_.component<Explosive>("Explosive")),
      projectile_(world_.component<Projectile>("Projectile")),
      door_(world_.component<Door>("Door")),
      platform_(world_.component<Platform>("Platform")),
      point_(world_.component<CapturePoint>("CapturePoint")),
      pickup_(world_.component<Pickup>("Pickup")),
      mode_(world_.component<GameMode>("GameMode")) {}

float Course::number(float low, float high) {
  return low + (high - low) * static_cast<float>(random_.below(1U << 20U)) / (1U << 20U);
}

EntityId Course::place(TypeId type) {
  const EntityId entity = population_.spawn(type);
  if (Transform* const transform = world_.get(transform_, entity)) {
    transform->position = {number(-30, 30), 0, number(-30, 30)};
  }
  return entity;
}

void Course::begin(std::span<const PlacedEntity> placed) {
  for (const PlacedEntity& one : placed) {
    if (world_.get(explosive_, one.entity) != nullptr) {
      barrels_.push_back(one.entity);
    } else if (world_.get(health_, one.entity) != nullptr) {
      crates_.push_back(one.entity);
    }
  }
  population_.spawn(types::kGameMode);
  const auto place_all = [&](TypeId type, int count) {
    for (int i = 0; i < count; ++i) place(type);
  };
  for (int i = 0; i < 24; ++i) crates_.push_back(place(types::kCrate));
  for (int i = 0; i < 6; ++i) barrels_.push_back(place(types::kBarrel));
  for (int i = 0; i < 2; ++i) barrels_.push_back(place(types::kToxicBarrel));
  place_all(types::kDoor, 4);
  place_all(types::kCapturePoint, 3);
  place_all(types::kHealthPickup, 4);
  place_all(types::kAmmoPickup, 4);
  place_all(types::kPlatform, 6);
  place_all(types::kFlag, 2);
}

void Course::join(PlayerId player) {
  Walker walker{.player = player,
                .character = population_.spawn(types::kCharacter, player),
                .abilities = population_.spawn(types::kAbilities, player),
                .angle = number(0, kTwoPi)};
  if (PlayerState* const state =
          world_.get(state_, population_.spawn(types::kPlayerState, player))) {
    state->player_id = static_cast<std::int32_t>(player);
    state->controlled_entity = population_.id_of(walker.character);
    const std::string name = "player " + std::to_string(static_cast<int>(player));
    std::ranges::copy(name, state->player_name.bytes.begin());
  }
  walkers_.push_back(walker);
}

void Course::leave(PlayerId player) {
  population_.despawn_all_of(player);
  std::erase_if(walkers_, [&](const Walker& walker) { return walker.player == player; });
}

GameModule Course::module() {
  return [this](World&, LoopSystems& systems) {
    systems.add_server(
        {.name = "course", .reads = {}, .writes = {}, .run = [this](ScheduleContext& context) {
           if (!stands_still_) tick(context.tick);
         }});
  };
}

void Course::tick(Tick tick) {
  walk(tick.value());
  end_shots(tick.value());
  move_things(tick.value());
  hurt_things(tick.value());
  play_match(tick.value());
}

void Course::walk(std::uint32_t tick) {
  for (Walker& walker : walkers_) {
    const auto number = static_cast<std::uint32_t>(walker.player);
    walker.angle += 0.015F;
    const float radius = 6 + 2 * static_cast<float>(number % 8);
    const float x = radius * std::cos(walker.angle);
    const float z = radius * std::sin(walker.angle);
    if (Transform* const transform = world_.get(transform_, walker.character)) {
      transform->position = {x, 0.2F * std::abs(std::sin(walker.angle * 8)), z};
      transform->rotation = {0, std::sin(-walker.angle / 2), 0, std::cos(-walker.angle / 2)};
    }
    if (CharacterMovement* const movement = world_.get(movement_, walker.character)) {
      movement->velocity = {-z * 0.9F, 0, x * 0.9F};
      movement->grounded = tick % 90 > 12;
    }
    if (AbilityState* const ability = world_.get(ability_, walker.abilities)) {
      ability->cooldown_seconds = std::max(0.0F, ability->cooldown_seconds - 1.0F / 60);
    }
    if ((tick + number * 5) % kFireInterval == 0) fire(walker, tick);
  }
}

void Course::fire(const Walker& walker, std::uint32_t tick) {
  if (AbilityState* const ability = world_.get(ability_, walker.abilities)) {
    ability->activated_tick = tick;
    ability->cooldown_seconds = 1.5F;
    ability->slot = static_cast<std::int32_t>(random_.below(4));
  }
  Vec3 from{number(-20, 20), 1.5F, number(-20, 20)};
  if (const Transform* const transform = world_.get(transform_, walker.character)) {
    from = transform->position;
    from.y += 1.5F;
  }
  const EntityId entity = population_.spawn(types::kProjectile);
  Projectile* const projectile = world_.get(projectile_, entity);
  if (projectile == nullptr) return;
  projectile->start_tick = tick;
  projectile->start_position = from;
  projectile->end_position = {from.x + number(-15, 15), 0, from.z + number(-15, 15)};
  shots_.push_back({.projectile = entity, .ends_tick = tick + kShotTicks});
}

void Course::end_shots(std::uint32_t tick) {
  for (const Shot& shot : shots_) {
    if (shot.ends_tick == tick) world_.get(projectile_, shot.projectile)->impact_tick = tick;
    if (shot.ends_tick + kImpactTicks == tick) population_.despawn(shot.projectile);
  }
  std::erase_if(shots_, [&](const Shot& shot) { return shot.ends_tick + kImpactTicks <= tick; });
}

void Course::move_things(std::uint32_t tick) {
  const float seconds = static_cast<float>(tick) / 60;
  float offset = 0;
  for (Platform& platform : world_.values(platform_)) {
    platform.phase = std::fmod(seconds / platform.period_seconds + offset, 1.0F);
    offset += 0.13F;
  }
  for (Door& door : world_.values(door_)) {
    door.is_open = std::fmod(seconds + 10 * offset, 5.0F) < 2.5F;
    const float step = 1.0F / 60 / door.open_seconds;
    door.opening = std::clamp(door.opening + (door.is_open ? step : -step), 0.0F, 1.0F);
    offset += 0.13F;
  }
  for (CapturePoint& point : world_.values(point_)) {
    point.progress = std::sin(seconds * 0.7F + offset);
    point.owning_team = point.progress > 0.7F ? 1 : point.progress < -0.7F ? 0 : -1;
    offset += 1;
  }
}

void Course::hurt_things(std::uint32_t tick) {
  if (tick % kHurtInterval == 0 && !crates_.empty()) {
    EntityId& crate = crates_[random_.below(crates_.size())];
    Health* const health = world_.get(health_, crate);
    if (health != nullptr) {
      health->current = std::max(0.0F, health->current - number(5, 30));
      health->damage_tick = tick;
    }
    if (health == nullptr || health->current == 0) {  // Broken: another one stands elsewhere.
      population_.despawn(crate);
      crate = place(types::kCrate);
    }
  }
  for (std::size_t i = 0; i < barrels_.size(); ++i) {
    if ((tick + 17 * i) % kExplodeInterval != 0) continue;
    if (Explosive* const explosive = world_.get(explosive_, barrels_[i]))
      explosive->explode_tick = tick;
  }
  for (Pickup& pickup : world_.values(pickup_)) {
    if (random_.below(240) == 0) pickup.taken_tick = pickup.taken_tick == 0 ? tick : 0;
  }
}

void Course::play_match(std::uint32_t tick) {
  for (GameMode& mode : world_.values(mode_)) {
    if (mode.phase == MatchPhase::warm_up && tick > 60) {
      mode.phase = MatchPhase::running;
      mode.phase_tick = tick;
    }
    if (tick % 97 == 0) ++mode.team_scores[tick % 2];
  }
  for (PlayerState& state : world_.values(state_)) {
    if (random_.below(200) == 0) ++state.score;
  }
}

}  // namespace arena
