// The center of a volume's sphere is the position of the topmost parent. The radius of the sphere
// is the sum of the distances along the chain of poses. Therefore the volume is inside the sphere
// for all rotations of the poses.
#include "runtime/sync/rewound_view.h"

#include <algorithm>
#include <cmath>

#include "runtime/world/math.h"

namespace muster {
namespace {

/// Spheres are enlarged by this share of the squared distance, because of rounding errors.
constexpr float kSlackShare = 1e-6F;
constexpr std::uint32_t kWidth = PoseHistory::Spheres::kWidth;

/// Appends the indices of the set lanes.
void append(const std::array<std::uint32_t, kWidth>& is_near, std::size_t block,
            std::vector<std::uint32_t>& out) {
  std::uint32_t any = 0;
  for (std::uint32_t lane = 0; lane < kWidth; ++lane) any |= is_near[lane];
  if (any == 0) return;
  for (std::uint32_t lane = 0; lane < kWidth; ++lane) {
    if (is_near[lane] != 0) out.push_back(static_cast<std::uint32_t>(block) * kWidth + lane);
  }
}

}  // namespace

void RewoundView::begin(const PoseHistory& history, const ViewTime& view) {
  if (history.is_empty()) return spheres_.clear();
  moment_ = history.moment(view);
  const std::vector<Spheres>& from = moment_.from->spheres;
  const std::vector<Spheres>& to = moment_.to->spheres;
  spheres_.resize(from.size());
  const Tick from_tick = moment_.from->tick;
  const float fraction = moment_.fraction;
  for (std::size_t block = 0; block < from.size(); ++block) {
    const Spheres& a = from[block];
    const Spheres& b = to[block];
    Spheres& out = spheres_[block];
    std::uint32_t any_cut = 0;
    for (std::uint32_t lane = 0; lane < kWidth; ++lane) {
      out.x[lane] = a.x[lane] + (b.x[lane] - a.x[lane]) * fraction;
      out.y[lane] = a.y[lane] + (b.y[lane] - a.y[lane]) * fraction;
      out.z[lane] = a.z[lane] + (b.z[lane] - a.z[lane]) * fraction;
      out.reach[lane] = std::max(a.reach[lane], b.reach[lane]);
      any_cut |= b.cut_tick[lane].value() > from_tick.value() ? 1U : 0U;
    }
    if (any_cut == 0 || moment_.from == moment_.to) continue;
    for (std::uint32_t lane = 0; lane < kWidth; ++lane) {
      if (b.cut_tick[lane] <= from_tick) continue;
      out.reach[lane] = a.reach[lane];
      const auto index = static_cast<std::uint32_t>(block) * kWidth + lane;
      if (a.reach[lane] >= 0) set_cut_sphere(index);
    }
  }
  volumes_.resize(moment_.from->records.size());
  is_computed_.assign(moment_.from->records.size(), 0);
}

const PoseHistory::Record* RewoundView::later(std::uint32_t index) const {
  if (moment_.fraction <= 0) return nullptr;
  const PoseHistory::Record& record = moment_.to->records[index];
  const bool leads_there = record.is_present && record.cut_tick <= moment_.from->tick;
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
    pose = muster::to_world(local_pose(parent), pose);
    parent = moment_.from->records[parent].parent;
  }
  return pose;
}

void RewoundView::set_cut_sphere(std::uint32_t index) {
  Spheres& spheres = spheres_[index / kWidth];
  const std::uint32_t lane = index % kWidth;
  const PoseHistory::Record* record = &moment_.from->records[index];
  float reach = record->reach;
  for (std::uint32_t depth = 0;
       record->parent != PoseHistory::kNone && depth < PoseHistory::kDepthMax; ++depth) {
    const PoseHistory::Record* const to = later(index);
    const float before = length(record->pose.position);
    reach += to != nullptr ? std::max(before, length(to->pose.position)) : before;
    index = record->parent;
    record = &moment_.from->records[index];
  }
  const Vec3 center = local_pose(index).position;
  spheres.x[lane] = center.x;
  spheres.y[lane] = center.y;
  spheres.z[lane] = center.z;
  spheres.reach[lane] = reach;
}

const WorldVolume& RewoundView::world_volume(std::uint32_t volume) {
  if (is_computed_[volume] == 0) {
    is_computed_[volume] = 1;
    ++computed_count_;
    volumes_[volume] = muster::to_world(record(volume).volume, world_pose(volume));
  }
  return volumes_[volume];
}

void RewoundView::near_line(Vec3 from, Vec3 direction, float metres_max, float radius,
                            std::vector<std::uint32_t>& out) const {
  std::array<std::uint32_t, kWidth> is_near{};
  for (std::size_t block = 0; block < spheres_.size(); ++block) {
    const Spheres& spheres = spheres_[block];
    for (std::uint32_t lane = 0; lane < kWidth; ++lane) {
      const float x = spheres.x[lane] - from.x;
      const float y = spheres.y[lane] - from.y;
      const float z = spheres.z[lane] - from.z;
      const float along = x * direction.x + y * direction.y + z * direction.z;
      const float square = x * x + y * y + z * z;
      const float reach = spheres.reach[lane] + radius;
      // This loop has no branches, so that the compiler computes the eight lanes together.
      const std::uint32_t is_ahead = along >= -reach ? 1U : 0U;
      const std::uint32_t is_before = along <= metres_max + reach ? 1U : 0U;
      const std::uint32_t is_beside =
          square - along * along <= reach * reach + square * kSlackShare ? 1U : 0U;
      is_near[lane] = is_ahead & is_before & is_beside;
    }
    append(is_near, block, out);
  }
}

void RewoundView::near_point(Vec3 center, float metres, std::vector<std::uint32_t>& out) const {
  std::array<std::uint32_t, kWidth> is_near{};
  for (std::size_t block = 0; block < spheres_.size(); ++block) {
    const Spheres& spheres = spheres_[block];
    for (std::uint32_t lane = 0; lane < kWidth; ++lane) {
      const float x = spheres.x[lane] - center.x;
      const float y = spheres.y[lane] - center.y;
      const float z = spheres.z[lane] - center.z;
      const float reach = spheres.reach[lane] + metres;
      is_near[lane] = reach >= 0 && x * x + y * y + z * z <= reach * reach ? 1U : 0U;
    }
    append(is_near, block, out);
  }
}

void RewoundView::all(std::vector<std::uint32_t>& out) const {
  if (spheres_.empty()) return;
  for (std::uint32_t index = 0; index < moment_.from->records.size(); ++index) {
    const PoseHistory::Record& one = record(index);
    if (one.is_present && one.has_volume) out.push_back(index);
  }
}

}  // namespace muster
