#include "runtime/sync/pose.h"

#include "registry/components/interpolation.h"
#include "runtime/world/math.h"

namespace muster {
namespace {

constexpr Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

constexpr float square(const Quaternion& q) {
  return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
}

float between(float from, float to, float fraction) {
  const double a = from;
  return static_cast<float>(a + (double{to} - a) * double{fraction});
}

}  // namespace

Vec3 rotated(const Quaternion& rotation, Vec3 value) {
  // A rotation that was rounded for the wire has a length near 1. The division makes the result
  // exact.
  const float length_square = square(rotation);
  if (!(length_square > 1e-12F)) return value;
  const Vec3 axis{rotation.x, rotation.y, rotation.z};
  const Vec3 turned = cross(axis, value) + value * rotation.w;
  return value + cross(axis, turned) * (2 / length_square);
}

Vec3 rotated_back(const Quaternion& rotation, Vec3 value) {
  return rotated({-rotation.x, -rotation.y, -rotation.z, rotation.w}, value);
}

Pose to_world(const Pose& parent, const Pose& local) {
  const Quaternion& p = parent.rotation;
  const Quaternion& l = local.rotation;
  return {.position = parent.position + rotated(p, local.position),
          .rotation = {p.w * l.x + p.x * l.w + p.y * l.z - p.z * l.y,
                       p.w * l.y - p.x * l.z + p.y * l.w + p.z * l.x,
                       p.w * l.z + p.x * l.y - p.y * l.x + p.z * l.w,
                       p.w * l.w - p.x * l.x - p.y * l.y - p.z * l.z}};
}

Pose between(const Pose& from, const Pose& to, float fraction) {
  if (fraction <= 0) return from;
  if (fraction >= 1) return to;
  const Vec3& a = from.position;
  const Vec3& b = to.position;
  return {.position = {between(a.x, b.x, fraction), between(a.y, b.y, fraction),
                       between(a.z, b.z, fraction)},
          .rotation = from.rotation == to.rotation
                          ? from.rotation
                          : shortest_arc(from.rotation, to.rotation, fraction)};
}

}  // namespace muster
