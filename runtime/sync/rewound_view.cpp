// The sphere around a volume has its center where the topmost parent is, and reaches as far as the
// chain of poses below can: whatever turns in between stays inside.
#include "runtime/sync/rewound_view.h"

#include <algorithm>
#include <cmath>

#include "runtime/session/math.h"

namespace muster {
namespace {

/// Metres, and a part of the distance, that spheres are larger than needed: for rounding.
constexpr float kSlackMetres = 0.01F;
constexpr float kSlackShare = 1e-5F;

}  // namespace

void RewoundView::begin(const PoseHistory& history, const ViewTime& view) {
  indices_.clear();
  spheres_.clear();
  if (!history.is_empty()) {
    moment_ = history.moment(view);
    for (std::uint32_t index = 0; index < history.index_count(); ++index) {
      const PoseHistory::Record& record = moment_.from->records[index];
      if (!record.is_present || !record.has_volume) continue;
      indices_.push_back(index);
      spheres_.push_back(sphere_around(index));
    }
  }
  volumes_.resize(indices_.size());
  is_placed_.assign(indices_.size(), 0);
}

const PoseHistory::Record* RewoundView::later(std::uint32_t index) const {
  if (moment_.fraction <= 0) return nullptr;
  const PoseHistory::Record& record = moment_.to->records[index];
  const bool leads_there = record.is_present && record.cut_tick <= moment_.from->tick.value();
  return leads_there ? &record : nullptr;
}

Pose RewoundView::local_pose(std::uint32_t index) const {
  const Pose& from = moment_.from->records[index].pose;
  const PoseHistory::Record* const to = later(index);
  return to != nullptr ? between(from, to->pose, moment_.fraction) : from;
}

Pose RewoundView::world_pose(std::uint32_t index) const {
  Pose pose = local_pose(index);
  std::uint32_t parent = moment_.from->records[index].parent;
  for (std::uint32_t depth = 0; parent != PoseHistory::kNone && depth < PoseHistory::kDepthMax;
       ++depth) {
    pose = muster::placed(local_pose(parent), pose);
    parent = moment_.from->records[parent].parent;
  }
  return pose;
}

RewoundView::Sphere RewoundView::sphere_around(std::uint32_t index) const {
  const PoseHistory::Record* record = &moment_.from->records[index];
  float reach = length(record->volume.center) + extent(record->volume) + kSlackMetres;
  for (std::uint32_t depth = 0;
       record->parent != PoseHistory::kNone && depth < PoseHistory::kDepthMax; ++depth) {
    const PoseHistory::Record* const to = later(index);
    const float before = length(record->pose.position);
    reach += to != nullptr ? std::max(before, length(to->pose.position)) : before;
    index = record->parent;
    record = &moment_.from->records[index];
  }
  const PoseHistory::Record* const to = later(index);
  const Vec3 from = record->pose.position;
  const Vec3 center = to != nullptr ? from + (to->pose.position - from) * moment_.fraction : from;
  return {center.x, center.y, center.z, reach};
}

const PlacedVolume& RewoundView::placed(std::uint32_t volume) {
  if (is_placed_[volume] == 0) {
    is_placed_[volume] = 1;
    ++placed_count_;
    volumes_[volume] = muster::placed(record(volume).volume, world_pose(indices_[volume]));
  }
  return volumes_[volume];
}

void RewoundView::near_line(Vec3 from, Vec3 direction, float metres_max, float radius,
                            std::vector<std::uint32_t>& out) const {
  const auto volumes = static_cast<std::uint32_t>(spheres_.size());
  for (std::uint32_t volume = 0; volume < volumes; ++volume) {
    const Sphere& sphere = spheres_[volume];
    const Vec3 gap{sphere.x - from.x, sphere.y - from.y, sphere.z - from.z};
    const float along = std::clamp(dot(gap, direction), 0.0F, metres_max);
    const Vec3 closest = gap - direction * along;
    const float reach = sphere.radius + radius + along * kSlackShare;
    if (dot(closest, closest) <= reach * reach) out.push_back(volume);
  }
}

void RewoundView::near_point(Vec3 center, float metres, std::vector<std::uint32_t>& out) const {
  const auto volumes = static_cast<std::uint32_t>(spheres_.size());
  for (std::uint32_t volume = 0; volume < volumes; ++volume) {
    const Sphere& sphere = spheres_[volume];
    const Vec3 gap{sphere.x - center.x, sphere.y - center.y, sphere.z - center.z};
    const float reach = sphere.radius + metres;
    if (dot(gap, gap) <= reach * reach) out.push_back(volume);
  }
}

}  // namespace muster
