// Position and rotation, and what lies between two of them.
#pragma once

#include "registry/components/component.h"

namespace muster {

/// Where something is, in metres: in the world, or relative to a parent's pose.
struct Pose {
  Vec3 position{};
  Quaternion rotation{};  ///< Of any length above 0; shorter ones count as no rotation.
  friend bool operator==(const Pose&, const Pose&) = default;
};

/// `value` turned by `rotation`.
Vec3 rotated(const Quaternion& rotation, Vec3 value);
/// `value` turned back.
Vec3 rotated_back(const Quaternion& rotation, Vec3 value);
/// The pose in the world of one that is relative to `parent`.
Pose placed(const Pose& parent, const Pose& local);
/// The pose at `fraction` of the way: the position along the straight line, the rotation along the
/// shorter arc. Bit for bit what `interpolate` makes of the fields of a component, so that a server
/// gets what its client has drawn. Requires: a fraction of 0 to 1.
Pose between(const Pose& from, const Pose& to, float fraction);

}  // namespace muster
