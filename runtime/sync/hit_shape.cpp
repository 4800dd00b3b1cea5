// A sphere touches a volume when its center touches the volume enlarged by the sphere's radius.
// Therefore a sphere cast is a ray cast against the enlarged volume. An enlarged sphere is a
// sphere, and an enlarged capsule is a capsule. An enlarged box is three boxes and a capsule along
// each edge. (Ericson, Real-Time Collision Detection, 5.3 and 5.5.7.) Quadratic equations are
// solved around the point of closest approach, so results are exact to 1 mm at a distance of
// kilometres.
#include "runtime/sync/hit_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/world/math.h"

namespace muster {
namespace {

struct Wide {
  std::array<double, 3> at{};
  double& operator[](std::size_t axis) { return at[axis]; }
  double operator[](std::size_t axis) const { return at[axis]; }
};

constexpr double kNever = std::numeric_limits<double>::infinity();

Wide wide(Vec3 value) { return {{value.x, value.y, value.z}}; }
Wide plus(const Wide& a, const Wide& b, double times) {
  return {{a[0] + b[0] * times, a[1] + b[1] * times, a[2] + b[2] * times}};
}
double dot(const Wide& a, const Wide& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Returns the distance to a sphere around the origin. Requires: `from` is outside the sphere.
double cast_sphere(const Wide& from, const Wide& direction, double radius) {
  const double along = -dot(from, direction);
  const Wide closest = plus(from, direction, along);
  const double inside = radius * radius - dot(closest, closest);
  if (inside < 0) return kNever;
  const double metres = along - std::sqrt(inside);
  return metres >= 0 ? metres : kNever;
}

/// Returns the distance to a capsule around the origin, along a coordinate axis. Requires: `from`
/// is outside the capsule.
double cast_capsule(const Wide& from, const Wide& direction, std::size_t axis, double half_height,
                    double radius) {
  double first = kNever;
  Wide flat_from = from;
  Wide flat_direction = direction;
  flat_from[axis] = 0;
  flat_direction[axis] = 0;
  const double speed = dot(flat_direction, flat_direction);
  if (speed > 1e-18) {
    const double along = -dot(flat_from, flat_direction) / speed;
    const Wide closest = plus(flat_from, flat_direction, along);
    const double inside = radius * radius - dot(closest, closest);
    if (inside >= 0) {
      const double metres = along - std::sqrt(inside / speed);
      const double height = from[axis] + direction[axis] * metres;
      if (metres >= 0 && std::abs(height) <= half_height) first = metres;
    }
  }
  for (const double end : {-half_height, half_height}) {
    Wide to_end = from;
    to_end[axis] -= end;
    first = std::min(first, cast_sphere(to_end, direction, radius));
  }
  return first;
}

/// Returns the distance to a box around the origin.
double cast_slabs(const Wide& from, const Wide& direction, const Wide& half) {
  double enter = 0;
  double leave = kNever;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::abs(direction[axis]) < 1e-15) {
      if (std::abs(from[axis]) > half[axis]) return kNever;
      continue;
    }
    const double low = (-half[axis] - from[axis]) / direction[axis];
    const double high = (half[axis] - from[axis]) / direction[axis];
    enter = std::max(enter, std::min(low, high));
    leave = std::min(leave, std::max(low, high));
  }
  return enter <= leave ? enter : kNever;
}

double cast_round_box(const Wide& from, const Wide& direction, const Wide& half, double radius) {
  if (radius <= 0) return cast_slabs(from, direction, half);
  double first = kNever;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Wide grown = half;
    grown[axis] += radius;
    first = std::min(first, cast_slabs(from, direction, grown));
    const std::size_t u = (axis + 1) % 3;
    const std::size_t v = (axis + 2) % 3;
    for (const double side : {-1.0, 1.0}) {
      for (const double other : {-1.0, 1.0}) {
        Wide to_edge = from;
        to_edge[u] -= side * half[u];
        to_edge[v] -= other * half[v];
        first = std::min(first, cast_capsule(to_edge, direction, axis, half[axis], radius));
      }
    }
  }
  return first;
}

Vec3 local(const WorldVolume& volume, Vec3 point) {
  return rotated_back(volume.rotation, point - volume.center);
}

Vec3 clamped(Vec3 value, Vec3 half) {
  return {std::clamp(value.x, -half.x, half.x), std::clamp(value.y, -half.y, half.y),
          std::clamp(value.z, -half.z, half.z)};
}

}  // namespace

WorldVolume to_world(const HitVolume& volume, const Pose& pose) {
  using Shape = WorldVolume::Shape;
  const Vec3 size{std::max(volume.half_size.x, 0.0F), std::max(volume.half_size.y, 0.0F),
                  std::max(volume.half_size.z, 0.0F)};
  const bool is_box = size.x > 0 || size.y > 0 || size.z > 0;
  const bool is_capsule = !is_box && volume.half_height > 0;
  return {.shape = is_box       ? Shape::box
                   : is_capsule ? Shape::capsule
                                : Shape::sphere,
          .center = pose.position + rotated(pose.rotation, volume.center),
          .rotation = pose.rotation,
          .radius = is_box ? 0 : std::max(volume.radius, 0.0F),
          .half_height = is_capsule ? volume.half_height : 0,
          .half_size = size};
}

float extent(const HitVolume& volume) {
  const WorldVolume at_origin = to_world(volume, {});
  return at_origin.radius + at_origin.half_height + length(at_origin.half_size);
}

Vec3 nearest_point(const WorldVolume& volume, Vec3 point) {
  if (volume.shape == WorldVolume::Shape::box) {
    const Vec3 inside = clamped(local(volume, point), volume.half_size);
    return inside == local(volume, point) ? point
                                          : volume.center + rotated(volume.rotation, inside);
  }
  Vec3 core = volume.center;
  if (volume.shape == WorldVolume::Shape::capsule) {
    const Vec3 up = rotated(volume.rotation, {0, 1, 0});
    const float height = dot(point - core, up);
    core = core + up * std::clamp(height, -volume.half_height, volume.half_height);
  }
  const Vec3 out = point - core;
  const float metres = length(out);
  return metres <= volume.radius ? point : core + out * (volume.radius / metres);
}

std::optional<float> cast(const WorldVolume& volume, Vec3 from, Vec3 direction, float metres_max,
                          float radius) {
  if (length(nearest_point(volume, from) - from) <= radius) return 0.0F;
  Wide start = wide(from);
  const Wide center = wide(volume.center);
  start = plus(start, center, -1);
  double metres = kNever;
  switch (volume.shape) {
    case WorldVolume::Shape::sphere:
      metres = cast_sphere(start, wide(direction), double{volume.radius} + double{radius});
      break;
    case WorldVolume::Shape::capsule:
      metres =
          cast_capsule(wide(local(volume, from)), wide(rotated_back(volume.rotation, direction)), 1,
                       volume.half_height, double{volume.radius} + double{radius});
      break;
    case WorldVolume::Shape::box:
      metres =
          cast_round_box(wide(local(volume, from)), wide(rotated_back(volume.rotation, direction)),
                         wide(volume.half_size), radius);
      break;
  }
  if (!(metres <= double{metres_max})) return std::nullopt;
  return static_cast<float>(metres);
}

}  // namespace muster
