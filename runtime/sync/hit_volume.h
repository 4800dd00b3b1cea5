// Data of hit volumes, shots and hits.
#pragma once

#include <cstdint>

#include "registry/components/describe.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// A volume that shots can hit, relative to the entity's pose. Sizes are in metres. If a coordinate
/// of `half_size` is above 0, it is a box. Otherwise, if `half_height` is above 0, it is a capsule
/// along the entity's y axis. Otherwise it is a sphere. An entity has at most one volume; a body of
/// several parts needs child entities.
struct HitVolume {
  Vec3 center{};
  float radius = 0.5F;     ///< Used by spheres and capsules.
  float half_height = 0;   ///< Half the distance between the centers of a capsule's ends.
  Vec3 half_size{};        ///< Half a box's size along the entity's axes.
  std::uint8_t part = 0;   ///< Reported with a hit. The game gives it a meaning, such as "head".
  std::uint8_t layer = 0;  ///< 0 to 31: the index of a bit of `Shot::layers`.
};
consteval auto describe(Type<HitVolume>) {
  return Describe<HitVolume>("HitVolume")
      .field<&HitVolume::center>("center", {.unit = "m", .resolution = 0.001})
      .field<&HitVolume::radius>("radius", {.unit = "m", .resolution = 0.001})
      .field<&HitVolume::half_height>("half_height", {.unit = "m", .resolution = 0.001})
      .field<&HitVolume::half_size>("half_size", {.unit = "m", .resolution = 0.001})
      .field<&HitVolume::part>("part")
      .field<&HitVolume::layer>("layer", {.minimum = 0, .maximum = 31});
}

/// A shot as the shooter saw it. `direction` has length 1; radius 0 is a ray. A volume is hit when
/// the bit of its layer is set in `layers`. The shooter and its children are not hit.
struct Shot {
  EntityId shooter{};
  Vec3 from{};
  Vec3 direction{};
  float metres_max = 1000;
  float radius = 0;
  std::uint32_t layers = 0xFFFFFFFF;
};

/// A hit entity. A body of several parts counts as one entity, with its nearest part.
struct Hit {
  EntityId entity{};
  Vec3 position{};  ///< The point of the volume that is touched.
  /// The way from `Shot::from` until the ray, or the sphere's center, at the moment of the touch.
  float metres = 0;
  std::uint8_t part = 0;
};

/// Damage around a point. The share of the damage is 1 up to `full_metres` from a volume's nearest
/// point, falls linearly to `share_min` at `metres`, and is 0 beyond.
struct Splash {
  EntityId instigator{};
  Vec3 center{};
  float metres = 5;
  float full_metres = 1;
  float share_min = 0;
  /// A factor for the instigator's own share. If it is above 0, the instigator is hit, whatever its
  /// layer is. If it is 0, the instigator is never hit.
  float instigator_share = 1;
  std::uint32_t layers = 0xFFFFFFFF;
};
/// The effect of a splash on one entity.
struct SplashHit {
  Hit hit;          ///< `metres` is from the center to the nearest point; 0 inside a volume.
  float share = 0;  ///< The share of the damage: 0 to 1, times `instigator_share`.
};

}  // namespace muster
