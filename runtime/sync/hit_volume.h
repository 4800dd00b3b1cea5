// Data of hit volumes, shots and hits.
#pragma once

#include <cstdint>

#include "registry/components/describe.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// A volume that shots can hit, relative to the entity's pose. Sizes are in metres. If a coordinate
/// of `half_size` is above 0, the volume is a box. Otherwise, if `half_height` is above 0, the
/// volume is a capsule along the entity's y axis. Otherwise the volume is a sphere. An entity has
/// at most one volume. A body with several parts needs child entities.
struct HitVolume {
  Vec3 center{};
  float radius = 0.5F;     ///< Used by spheres and capsules.
  float half_height = 0;   ///< Half the distance between the two sphere centers of a capsule.
  Vec3 half_size{};        ///< Half the size of a box along the entity's axes.
  std::uint8_t part = 0;   ///< The number that a hit reports. For example, 1 may mean "head".
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

/// A shot in the world that the shooter saw. `direction` must have length 1. With `radius` 0, the
/// shot is a ray. A shot hits only volumes whose layer's bit is set in `layers`. A shot hits
/// neither the shooter nor the shooter's children.
struct Shot {
  EntityId shooter{};
  Vec3 from{};
  Vec3 direction{};
  float metres_max = 1000;
  float radius = 0;
  std::uint32_t layers = 0xFFFFFFFF;
};

/// An entity that a shot hits. If the shot hits several parts of a body, the result is one hit with
/// the nearest part.
struct Hit {
  EntityId entity{};
  Vec3 position{};  ///< The point at which the shot touches the volume.
  /// The distance in metres from `Shot::from` to the end of the ray, or to the sphere's center,
  /// when the shot touches the volume.
  float metres = 0;
  std::uint8_t part = 0;
};

/// Damage around a point. The share of the damage depends on the distance to a volume's nearest
/// point. The share is 1 up to `full_metres`, falls linearly to `share_min` at `metres`, and is 0
/// beyond `metres`.
struct Splash {
  EntityId instigator{};
  Vec3 center{};
  float metres = 5;
  float full_metres = 1;
  float share_min = 0;
  /// A factor for the instigator's own share. If the factor is above 0, the splash hits the
  /// instigator on any layer. If the factor is 0, the splash never hits the instigator.
  float instigator_share = 1;
  std::uint32_t layers = 0xFFFFFFFF;
};
/// The effect of a splash on one entity.
struct SplashHit {
  Hit hit;          ///< `metres` is the distance from the center to the volume's nearest point.
  float share = 0;  ///< The share of the damage: 0 to 1, times `instigator_share`.
};

}  // namespace muster
