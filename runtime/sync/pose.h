// Poses, and the interpolation of poses.
#pragma once

#include "registry/components/component.h"

namespace muster {

/// A position in metres and a rotation, in the world or relative to a parent's pose.
struct Pose {
  Vec3 position{};
  Quaternion rotation{};  ///< Any length; length 0 counts as no rotation.
  friend bool operator==(const Pose&, const Pose&) = default;
};

/// Rotates `value` by `rotation`.
Vec3 rotated(const Quaternion& rotation, Vec3 value);
/// Rotates `value` by the inverse of `rotation`.
Vec3 rotated_back(const Quaternion& rotation, Vec3 value);
/// Returns the world pose of `local`. `local` is relative to `parent`, which is a world pose.
Pose to_world(const Pose& parent, const Pose& local);
/// Interpolates between two poses: the position on the straight line, and the rotation on the
/// shorter arc. The result has the same bits as the result of `interpolate` for a component.
/// Therefore a server computes exactly the pose that its client has drawn. Requires: a fraction of
/// 0 to 1.
Pose between(const Pose& from, const Pose& to, float fraction);

}  // namespace muster
