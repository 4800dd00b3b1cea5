// The hit volumes at one moment of the past.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/sync/hit_shape.h"
#include "runtime/sync/pose_history.h"

namespace muster {

/// All hit volumes at a moment. `begin` computes only a sphere around each volume. The exact pose
/// of a volume is computed when the volume is first used at this moment. Only one thread at a time
/// may use this object. Reuse the object to avoid allocations.
class RewoundView {
 public:
  /// Rewinds to a moment. `history` must not change while this object is used.
  void begin(const PoseHistory& history, const ViewTime& view);

  /// The index of a volume is the index of its entity in the history. This function and the next
  /// three functions require an index that `near_line`, `near_point` or `all` has appended.
  EntityId target(std::uint32_t volume) const { return record(volume).target; }
  std::uint8_t part(std::uint32_t volume) const { return record(volume).volume.part; }
  std::uint8_t layer(std::uint32_t volume) const { return record(volume).volume.layer; }
  const WorldVolume& world_volume(std::uint32_t volume);
  /// The number of computed exact poses.
  std::uint64_t world_volume_count() const { return computed_count_; }

  /// Appends to `out` the volumes that a moving sphere may touch, ordered by index. The sphere
  /// moves from `from` along `direction` by `metres_max`.
  void near_line(Vec3 from, Vec3 direction, float metres_max, float radius,
                 std::vector<std::uint32_t>& out) const;
  /// Appends to `out` the volumes that may be within `metres` of `center`, ordered by index.
  void near_point(Vec3 center, float metres, std::vector<std::uint32_t>& out) const;
  /// Appends to `out` all volumes that exist at the moment.
  void all(std::vector<std::uint32_t>& out) const;

 private:
  using Spheres = PoseHistory::Spheres;
  const PoseHistory::Record& record(std::uint32_t volume) const {
    return moment_.from->records[volume];
  }
  /// Sets the sphere of an entity if the pose of the entity, or of one of its parents, is not
  /// blended.
  void set_cut_sphere(std::uint32_t index);
  Pose local_pose(std::uint32_t index) const;
  Pose world_pose(std::uint32_t index) const;
  /// Returns the entity's record in the later state, or null if the pose is not blended.
  const PoseHistory::Record* later(std::uint32_t index) const;

  PoseHistory::Moment moment_;
  std::vector<Spheres> spheres_;
  std::vector<WorldVolume> volumes_;
  std::vector<std::uint8_t> is_computed_;
  std::uint64_t computed_count_ = 0;
};

}  // namespace muster
