// Hit volumes in world space, and geometry on them.
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
/// The radius of the smallest sphere around the volume's center that contains the volume.
float extent(const HitVolume& volume);

/// Moves a sphere of `radius` (0 for a ray) from `from` along `direction`. Returns the metres until
/// it touches the volume: 0 if it touches it at the start, nothing if it does not touch it within
/// `metres_max`. The result is exact also at the edges and corners of a box. Computed in double.
/// Requires: finite values, a direction of length 1.
std::optional<float> cast(const PlacedVolume& volume, Vec3 from, Vec3 direction, float metres_max,
                          float radius);

/// The point of a volume that is nearest to `point`; `point` itself if it is inside the volume.
Vec3 nearest_point(const PlacedVolume& volume, Vec3 point);

}  // namespace muster
