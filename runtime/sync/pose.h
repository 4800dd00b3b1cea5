// Position and rotation, and their interpolation.
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
/// The pose in the world of `local`, which is relative to `parent`.
Pose placed(const Pose& parent, const Pose& local);
/// The pose at `fraction` of the way from `from` to `to`: the position on the straight line, the
/// rotation on the shorter arc. The result has the same bits as `interpolate` of a component's
/// fields, so a server computes the pose that its client has drawn. Requires: a fraction of 0 to 1.
Pose between(const Pose& from, const Pose& to, float fraction);

}  // namespace muster
