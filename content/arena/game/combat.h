// The components of combat: health, projectiles, guns, items and explosives.
#pragma once

#include <muster/describe.h>

namespace arena {

struct Health {
  float current = 100;
  float maximum = 100;
  /// The tick of the last damage, from which clients derive the hit effect.
  std::uint32_t damage_tick = 0;
};

/// A shot in flight. Client and server compute its path from the position and tick of its start.
struct Projectile {
  float velocity = 30;
  float impact_damage = 10;
  float impact_impulse = 0;
  float collision_radius = 0.1F;
  std::uint32_t start_tick = 0;
  muster::Vec3 start_position;
  muster::Vec3 end_position;
  std::uint32_t impact_tick = 0;  ///< The tick of the impact; 0 while the projectile flies.
};

/// A character's last shot.
struct Gun {
  std::uint32_t shot_tick = 0;     ///< The tick of the last shot; 0 before the first shot.
  muster::EntityReference target;  ///< The entity that was hit; none for a miss.
};

/// An item in a character's hand.
struct Item {
  muster::AssetReference item_type;  ///< The definition in the item registry.
  std::int32_t slot = 0;
  std::int32_t ammo = 0;
  /// The tick of the last shot, from which clients derive muzzle flash and recoil.
  std::uint32_t fire_tick = 0;
};

struct Explosive {
  float radius = 3;
  float damage = 50;
  float impulse = 10;
  std::uint32_t explode_tick = 0;
};

consteval auto describe(muster::Type<Health>) {
  using enum muster::RollbackClass;
  return muster::Describe<Health>("Health")
      .field<&Health::current>("current", {.unit = "hp",
                                           .minimum = 0,
                                           .maximum = 1000,
                                           .resolution = 0.1,
                                           .tolerance = 0.1,
                                           .rollback = confirmed_only})
      .field<&Health::maximum>("maximum",
                               {.unit = "hp", .minimum = 0, .maximum = 1000, .resolution = 0.1})
      .field<&Health::damage_tick>("damageTick", {.unit = "tick", .rollback = confirmed_only});
}

consteval auto describe(muster::Type<Projectile>) {
  const muster::FieldTraits position_traits = {
      .unit = "m", .minimum = -2048, .maximum = 2048, .resolution = 0.001, .tolerance = 0.01};
  return muster::Describe<Projectile>("Projectile")
      .field<&Projectile::velocity>("velocity", {.unit = "m/s"})
      .field<&Projectile::impact_damage>("impactDamage", {.unit = "hp"})
      .field<&Projectile::impact_impulse>("impactImpulse", {.unit = "N s"})
      .field<&Projectile::collision_radius>("collisionRadius", {.unit = "m"})
      .field<&Projectile::start_tick>("startTick", {.unit = "tick"})
      .field<&Projectile::start_position>("startPosition", position_traits)
      .field<&Projectile::end_position>("endPosition", position_traits)
      .field<&Projectile::impact_tick>(
          "impactTick", {.unit = "tick", .rollback = muster::RollbackClass::confirmed_only});
}

consteval auto describe(muster::Type<Gun>) {
  using enum muster::Receivers;
  return muster::Describe<Gun>("Gun")
      .field<&Gun::shot_tick>("shotTick", {.unit = "tick", .receivers = owner})
      .field<&Gun::target>("target", {.receivers = owner});
}

consteval auto describe(muster::Type<Item>) {
  using enum muster::Receivers;
  return muster::Describe<Item>("Item")
      .field<&Item::item_type>("itemType")
      .field<&Item::slot>("slot", {.minimum = 0, .maximum = 7, .resolution = 1})
      .field<&Item::ammo>("ammo",
                          {.minimum = 0, .maximum = 1023, .resolution = 1, .receivers = owner})
      .field<&Item::fire_tick>("fireTick", {.unit = "tick"});
}

consteval auto describe(muster::Type<Explosive>) {
  return muster::Describe<Explosive>("Explosive")
      .field<&Explosive::radius>("radius", {.unit = "m"})
      .field<&Explosive::damage>("damage", {.unit = "hp"})
      .field<&Explosive::impulse>("impulse", {.unit = "N s"})
      .field<&Explosive::explode_tick>(
          "explodeTick", {.unit = "tick", .rollback = muster::RollbackClass::confirmed_only});
}

}  // namespace arena
