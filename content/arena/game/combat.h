// Life and what takes it: health, projectiles, items, things that explode.
#pragma once

#include "registry/vocabulary/component.h"

namespace arena {

struct Health {
  float current = 100;
  float maximum = 100;
  std::uint32_t damage_tick = 0;  ///< When it was last hurt; clients derive the hit effect from it.
};

/// A shot in flight. Both sides compute its path from where and when it started.
struct Projectile {
  float velocity = 30;
  float impact_damage = 10;
  float impact_impulse = 0;
  float collision_radius = 0.1F;
  std::uint32_t start_tick = 0;
  muster::Vec3 start_position;
  muster::Vec3 end_position;
  std::uint32_t impact_tick = 0;  ///< 0 while it flies.
};

/// Something held in a hand.
struct Item {
  muster::AssetReference item_type;  ///< The definition in the item registry.
  std::int32_t slot = 0;
  std::int32_t ammo = 0;
  std::uint32_t fire_tick = 0;  ///< Clients derive muzzle flash and recoil from it.
};

struct Explosive {
  float radius = 3;
  float damage = 50;
  float impulse = 10;
  std::uint32_t explode_tick = 0;
};

inline muster::ComponentDescription describe_health() {
  using enum muster::RollbackClass;
  return muster::Describe<Health>("Health")
      .field("current", &Health::current,
             {.unit = "hp",
              .minimum = 0,
              .maximum = 1000,
              .resolution = 0.1,
              .tolerance = 0.1,
              .rollback = confirmed_only})
      .field("maximum", &Health::maximum,
             {.unit = "hp", .minimum = 0, .maximum = 1000, .resolution = 0.1})
      .field("damageTick", &Health::damage_tick, {.unit = "tick", .rollback = confirmed_only})
      .done();
}

inline muster::ComponentDescription describe_projectile() {
  const muster::FieldTraits place = {
      .unit = "m", .minimum = -2048, .maximum = 2048, .resolution = 0.001, .tolerance = 0.01};
  return muster::Describe<Projectile>("Projectile")
      .field("velocity", &Projectile::velocity, {.unit = "m/s"})
      .field("impactDamage", &Projectile::impact_damage, {.unit = "hp"})
      .field("impactImpulse", &Projectile::impact_impulse, {.unit = "N s"})
      .field("collisionRadius", &Projectile::collision_radius, {.unit = "m"})
      .field("startTick", &Projectile::start_tick, {.unit = "tick"})
      .field("startPosition", &Projectile::start_position, place)
      .field("endPosition", &Projectile::end_position, place)
      .field("impactTick", &Projectile::impact_tick,
             {.unit = "tick", .rollback = muster::RollbackClass::confirmed_only})
      .done();
}

inline muster::ComponentDescription describe_item() {
  using enum muster::Receivers;
  return muster::Describe<Item>("Item")
      .field("itemType", &Item::item_type)
      .field("slot", &Item::slot, {.minimum = 0, .maximum = 7, .resolution = 1})
      .field("ammo", &Item::ammo,
             {.minimum = 0, .maximum = 1023, .resolution = 1, .receivers = owner})
      .field("fireTick", &Item::fire_tick, {.unit = "tick"})
      .done();
}

inline muster::ComponentDescription describe_explosive() {
  return muster::Describe<Explosive>("Explosive")
      .field("radius", &Explosive::radius, {.unit = "m"})
      .field("damage", &Explosive::damage, {.unit = "hp"})
      .field("impulse", &Explosive::impulse, {.unit = "N s"})
      .field("explodeTick", &Explosive::explode_tick,
             {.unit = "tick", .rollback = muster::RollbackClass::confirmed_only})
      .done();
}

}  // namespace arena
