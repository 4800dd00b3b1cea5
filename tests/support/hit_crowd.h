// Moving targets with their history, and shots at them.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "registry/base/seed.h"
#include "runtime/sync/pose_history.h"
#include "runtime/world/math.h"

namespace muster::samples {

/// Returns a random number in [0, 1).
inline double unit(Random& random) { return static_cast<double>(random.next() >> 11U) * 0x1p-53; }
inline float within(Random& random, double size) {
  return static_cast<float>((unit(random) * 2 - 1) * size);
}
inline Vec3 random_vector(Random& random, double size) {
  const float x = within(random, size);
  const float y = within(random, size);
  return {x, y, within(random, size)};
}
inline Quaternion random_rotation(Random& random) {
  const Vec3 axis = random_vector(random, 1);
  return {axis.x, axis.y, axis.z, within(random, 1) + 1.1F};
}
inline Pose random_pose(Random& random) {
  const Vec3 position = random_vector(random, 3);
  return {position, random_rotation(random)};
}
inline HitVolume random_volume(Random& random) {
  HitVolume volume;
  volume.center = random_vector(random, 1);
  volume.radius = 0.2F + static_cast<float>(unit(random));
  const std::uint64_t kind = random.below(3);
  if (kind == 1) volume.half_height = static_cast<float>(unit(random)) + 0.1F;
  if (kind == 2) {
    const Vec3 size = random_vector(random, 1);
    volume.half_size = {std::abs(size.x), std::abs(size.y), std::abs(size.z)};
  }
  volume.part = static_cast<std::uint8_t>(random.below(4));
  return volume;
}

/// Targets that run at 20 m/s in circles inside a square. A quarter of the targets are on turning
/// lifts.
class HitCrowd {
 public:
  static constexpr std::uint32_t kFirstTick = 1000;
  PoseHistory history;

  HitCrowd(Random& random, std::uint32_t targets, std::uint32_t ticks, double square_metres = 60)
      : history({.states = ticks}), ticks_(ticks), targets_(targets), square_(square_metres) {
    for (std::uint32_t i = 0; i < targets; ++i) {
      volumes_.push_back(random_volume(random));
      centers_.push_back(random_vector(random, square_metres));
    }
    for (std::uint32_t tick = 0; tick < ticks; ++tick) note(tick);
  }

  EntityId target(std::uint32_t index) const { return {index, 1}; }
  /// Returns a random time of the history.
  ViewTime random_view(Random& random) const {
    const auto tick = static_cast<std::uint32_t>(random.below(ticks_ - 1));
    return ViewTime::at(Tick(kFirstTick + tick), static_cast<float>(unit(random)));
  }
  /// Returns a shot by one target that hits or misses another target.
  Shot random_shot(Random& random, const ViewTime& view) const {
    const auto at = static_cast<std::uint32_t>(random.below(targets_));
    const Vec3 aimed = centers_[at] + circle(at, view.ticks() - kFirstTick);
    Shot shot;
    shot.shooter = target(static_cast<std::uint32_t>(random.below(targets_)));
    shot.from = random_vector(random, square_);
    shot.direction = normalised(aimed + random_vector(random, 1.5) - shot.from);
    if (random.below(2) == 0) shot.radius = static_cast<float>(unit(random));
    return shot;
  }

 private:
  /// Returns a position on a circle, at 20 m/s and 60 ticks per second.
  static Vec3 circle(std::uint32_t target, double tick) {
    const double angle = tick / 60 * 20 / 8 + target;
    return {static_cast<float>(8 * std::cos(angle)), 0, static_cast<float>(8 * std::sin(angle))};
  }
  void note(std::uint32_t tick) {
    history.begin(Tick(kFirstTick + tick));
    for (std::uint32_t i = 0; i < targets_; ++i) {
      const double turned = tick * 0.3 + i;
      Pose pose{circle(i, tick),
                {0, static_cast<float>(std::sin(turned)), 0, static_cast<float>(std::cos(turned))}};
      EntityId parent;
      if (i % 4 == 0) {
        parent = EntityId(targets_ + i, 1);
        const Pose lift{centers_[i],
                        {0, static_cast<float>(std::sin(tick * 0.05)), 0,
                         static_cast<float>(std::cos(tick * 0.05))}};
        history.note({.entity = parent, .pose = lift});
      } else {
        pose.position = pose.position + centers_[i];
      }
      history.note({.entity = target(i), .parent = parent, .pose = pose, .volume = &volumes_[i]});
    }
    history.end();
  }

  std::uint32_t ticks_;
  std::uint32_t targets_;
  double square_;
  std::vector<HitVolume> volumes_;
  std::vector<Vec3> centers_;
};

}  // namespace muster::samples
