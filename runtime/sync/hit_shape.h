// Hit volumes in world space, and their geometry.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/sync/hit_volume.h"
#include "runtime/sync/pose.h"

namespace muster {

/// A hit volume in world space. Lengths are in metres.
struct WorldVolume {
  enum class Shape : std::uint8_t { sphere, capsule, box };
  Shape shape = Shape::sphere;
  Vec3 center{};
  Quaternion rotation{};  ///< Used only by capsules and boxes.
  float radius = 0;
  float half_height = 0;
  Vec3 half_size{};
};

WorldVolume to_world(const HitVolume& volume, const Pose& pose);
/// The radius of the smallest sphere around the volume's center that contains the volume.
float extent(const HitVolume& volume);

/// Moves a sphere from `from` along `direction`, until the sphere touches the volume. A `radius` of
/// 0 makes the sphere a ray. Returns the distance to the touch in metres; 0 if the sphere touches
/// the volume at the start. Returns nothing if the sphere does not touch the volume within
/// `metres_max`. The result is exact also at the edges and corners of a box. Computed in double.
/// Requires: finite values, and a direction of length 1.
std::optional<float> cast(const WorldVolume& volume, Vec3 from, Vec3 direction, float metres_max,
                          float radius);

/// Returns the point of a volume that is nearest to `point`. If `point` is inside the volume,
/// returns `point`.
Vec3 nearest_point(const WorldVolume& volume, Vec3 point);

}  // namespace muster
