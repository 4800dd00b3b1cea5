#include "runtime/sync/hit_batch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <tuple>

#include "runtime/world/math.h"

namespace muster {
namespace {

bool is_finite(Vec3 value) {
  return std::isfinite(value.x) && std::isfinite(value.y) && std::isfinite(value.z);
}

bool is_valid(const Shot& shot) {
  const float square = dot(shot.direction, shot.direction);
  return is_finite(shot.from) && square > 0.98F && square < 1.02F && std::isfinite(shot.radius) &&
         shot.metres_max >= 0;
}

bool has_layer(std::uint32_t layers, std::uint8_t layer) {
  return layer < 32 && ((layers >> layer) & 1U) != 0;
}

/// The order of hits: nearest first. The order is total, so the result does not depend on the order
/// of the input.
bool is_nearer(const Hit& a, const Hit& b) {
  return std::tie(a.metres, a.entity, a.part) < std::tie(b.metres, b.entity, b.part);
}

/// From index `begin` on, keeps only the first element for each entity. Takes quadratic time, which
/// is fast because few entities lie on one line.
template <typename T, typename EntityOf>
void keep_first_of_each(std::vector<T>& sorted, std::size_t begin, EntityOf entity_of) {
  std::size_t kept = begin;
  for (std::size_t i = begin; i < sorted.size(); ++i) {
    bool is_known = false;
    for (std::size_t j = begin; j < kept && !is_known; ++j) {
      is_known = entity_of(sorted[j]) == entity_of(sorted[i]);
    }
    if (!is_known) sorted[kept++] = sorted[i];
  }
  sorted.resize(kept);
}

}  // namespace

float resolve_shot(RewoundView& view, const Shot& shot, const Environment& environment,
                   std::vector<std::uint32_t>& scratch, std::vector<Hit>& out) {
  if (!is_valid(shot)) return 0;
  constexpr float kMetresMax = 1e6F;
  const float radius = std::max(shot.radius, 0.0F);
  float metres = std::min(shot.metres_max, kMetresMax);
  if (environment.metres != nullptr) {
    const float free = environment.metres(environment.context, shot.from, shot.direction, metres);
    metres = std::clamp(free, 0.0F, metres);
  }
  scratch.clear();
  view.near_line(shot.from, shot.direction, metres, radius, scratch);
  const std::size_t begin = out.size();
  for (const std::uint32_t volume : scratch) {
    const EntityId target = view.target(volume);
    if (target == shot.shooter || !has_layer(shot.layers, view.layer(volume))) continue;
    const WorldVolume& body = view.world_volume(volume);
    const std::optional<float> touch = cast(body, shot.from, shot.direction, metres, radius);
    if (!touch) continue;
    const Vec3 center = shot.from + shot.direction * *touch;
    out.push_back({.entity = target,
                   .position = radius > 0 ? nearest_point(body, center) : center,
                   .metres = *touch,
                   .part = view.part(volume)});
  }
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), is_nearer);
  keep_first_of_each(out, begin, [](const Hit& hit) { return hit.entity; });
  return metres;
}

void HitBatch::resolve(const PoseHistory& history, std::span<const ViewedShot> shots,
                       const Environment& environment, WorkerPool* workers) {
  results_.assign(shots.size(), {});
  order_.resize(shots.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    const ViewTime& left = shots[a].view;
    const ViewTime& right = shots[b].view;
    // Compares bits, because NaN has no order. `moment` treats NaN as 0.
    return std::tuple(left.from, left.to, std::bit_cast<std::uint32_t>(left.fraction), a) <
           std::tuple(right.from, right.to, std::bit_cast<std::uint32_t>(right.fraction), b);
  });
  groups_.clear();
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    if (i == 0 || !(shots[order_[i]].view == shots[order_[i - 1]].view)) groups_.push_back(i);
  }
  const auto group_count = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back(static_cast<std::uint32_t>(order_.size()));
  lanes_used_ = workers != nullptr ? std::min(workers->worker_count(), group_count) : 1;
  if (lanes_.size() < lanes_used_) lanes_.resize(lanes_used_);
  auto work = [&](std::uint32_t lane) { run_lane(lane, history, shots, environment); };
  if (lanes_used_ <= 1) {
    if (group_count > 0) work(0);
  } else {
    workers->run(lanes_used_, work);
  }
}

void HitBatch::run_lane(std::uint32_t lane, const PoseHistory& history,
                        std::span<const ViewedShot> shots, const Environment& environment) {
  Lane& own = lanes_[lane];
  own.hits.clear();
  for (std::size_t group = lane; group + 1 < groups_.size(); group += lanes_used_) {
    own.view.begin(history, shots[order_[groups_[group]]].view);
    ++own.rewinds;
    for (std::uint32_t i = groups_[group]; i < groups_[group + 1]; ++i) {
      const std::uint32_t shot = order_[i];
      const auto first = static_cast<std::uint32_t>(own.hits.size());
      const float metres =
          resolve_shot(own.view, shots[shot].shot, environment, own.near, own.hits);
      const auto count = static_cast<std::uint32_t>(own.hits.size()) - first;
      results_[shot] = {.lane = lane, .first = first, .count = count, .metres = metres};
    }
  }
}

std::span<const Hit> HitBatch::hits(std::size_t shot) const {
  const Result& result = results_[shot];
  if (result.count == 0) return {};
  return std::span(lanes_[result.lane].hits).subspan(result.first, result.count);
}

std::uint64_t HitBatch::rewind_count() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.rewinds;
  return sum;
}

std::uint64_t HitBatch::world_volume_count() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.view.world_volume_count();
  return sum;
}

float splash_share(const Splash& splash, float metres) {
  if (!(metres <= splash.metres)) return 0;
  if (metres <= splash.full_metres) return 1;
  const float fade = (metres - splash.full_metres) / (splash.metres - splash.full_metres);
  return 1 + (splash.share_min - 1) * fade;
}

void resolve_splash(RewoundView& view, const Splash& splash, std::vector<std::uint32_t>& scratch,
                    std::vector<SplashHit>& out) {
  if (!is_finite(splash.center) || !std::isfinite(splash.metres) || splash.metres < 0) return;
  scratch.clear();
  view.near_point(splash.center, splash.metres, scratch);
  const std::size_t begin = out.size();
  for (const std::uint32_t volume : scratch) {
    const EntityId target = view.target(volume);
    const bool is_own = !splash.instigator.is_null() && target == splash.instigator;
    const bool is_meant =
        is_own ? splash.instigator_share > 0 : has_layer(splash.layers, view.layer(volume));
    if (!is_meant) continue;
    const Vec3 nearest = nearest_point(view.world_volume(volume), splash.center);
    const float metres = length(nearest - splash.center);
    if (metres > splash.metres) continue;
    out.push_back({.hit = {.entity = target,
                           .position = nearest,
                           .metres = metres,
                           .part = view.part(volume)},
                   .share = splash_share(splash, metres) * (is_own ? splash.instigator_share : 1)});
  }
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
            [](const SplashHit& a, const SplashHit& b) { return is_nearer(a.hit, b.hit); });
  keep_first_of_each(out, begin, [](const SplashHit& hit) { return hit.hit.entity; });
}

}  // namespace muster
