// The hit volumes of one moment.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/sync/hit_shape.h"
#include "runtime/sync/pose_history.h"

namespace muster {

/// All hit volumes as they were at a moment. Going there computes a sphere around each; its exact
/// place is computed when a shot comes near, once per moment. One thread at a time; reuse it, so
/// that it allocates nothing.
class RewoundView {
 public:
  /// Goes to a moment. `history` must not change while this is used.
  void begin(const PoseHistory& history, const ViewTime& view);

  /// A volume's index is that of its entity in the history. Requires, here and below: an index that
  /// `near_line`, `near_point` or `all` has returned.
  EntityId target(std::uint32_t volume) const { return record(volume).target; }
  std::uint8_t part(std::uint32_t volume) const { return record(volume).volume.part; }
  std::uint8_t layer(std::uint32_t volume) const { return record(volume).volume.layer; }
  const PlacedVolume& placed(std::uint32_t volume);
  /// Volumes whose exact place was computed, since the beginning.
  std::uint64_t placed_count() const { return placed_count_; }

  /// Appends the volumes that a sphere may touch on its way, in the order of their indices, to
  /// `out`.
  void near_line(Vec3 from, Vec3 direction, float metres_max, float radius,
                 std::vector<std::uint32_t>& out) const;
  /// The same for those within a distance of a point.
  void near_point(Vec3 center, float metres, std::vector<std::uint32_t>& out) const;
  /// Appends all that exist at the moment.
  void all(std::vector<std::uint32_t>& out) const;

 private:
  using Spheres = PoseHistory::Spheres;
  const PoseHistory::Record& record(std::uint32_t volume) const {
    return moment_.from->records[volume];
  }
  /// The sphere of an entity of which a pose, or a parent's, does not lead to the later state.
  void set_cut_sphere(std::uint32_t index);
  Pose local_pose(std::uint32_t index) const;
  Pose world_pose(std::uint32_t index) const;
  /// Whether the entity goes to its later pose without a cut.
  const PoseHistory::Record* later(std::uint32_t index) const;

  PoseHistory::Moment moment_;
  std::vector<Spheres> spheres_;
  std::vector<PlacedVolume> volumes_;
  std::vector<std::uint8_t> is_placed_;
  std::uint64_t placed_count_ = 0;
};

}  // namespace muster
