// Volumes in the world, and what touches them.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/sync/hit_volume.h"
#include "runtime/sync/pose.h"

namespace muster {

/// A hit volume that has been placed in the world.
struct PlacedVolume {
  enum class Shape : std::uint8_t { sphere, capsule, box };
  Shape shape = Shape::sphere;
  Vec3 center{};
  Quaternion rotation{};  ///< Used by capsules and boxes.
  float radius = 0;
  float half_height = 0;
  Vec3 half_size{};
};

PlacedVolume placed(const HitVolume& volume, const Pose& pose);
/// The radius of the smallest sphere around the volume's center that holds it.
float extent(const HitVolume& volume);

/// Metres from `from` along `direction` until a sphere of `radius` (0 for a ray) touches the
/// volume; 0 when it does at the start, nothing when it does not within `metres_max`. Exact:
/// for a sphere, a box has rounded edges. Computed in double. Requires: finite values, a direction
/// of length 1.
std::optional<float> cast(const PlacedVolume& volume, Vec3 from, Vec3 direction, float metres_max,
                          float radius);

/// The point of a volume nearest to `point`, which is `point` itself when it lies inside.
Vec3 nearest_point(const PlacedVolume& volume, Vec3 point);

}  // namespace muster
