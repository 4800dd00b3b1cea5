// The states are a ring. Each state has one record per entity index, so a rewind reads two arrays
// from front to back. An index is given to another entity only when no state contains the index's
// previous entity.
#include "runtime/sync/pose_history.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "runtime/sync/hit_shape.h"
#include "runtime/world/math.h"

namespace muster {
namespace {

/// Spheres are enlarged by this distance, because of rounding errors.
constexpr float kSlackMetres = 0.01F;

void clear_sphere(PoseHistory::State& state, std::uint32_t index) {
  constexpr std::uint32_t kWidth = PoseHistory::Spheres::kWidth;
  PoseHistory::Spheres& spheres = state.spheres[index / kWidth];
  spheres.reach[index % kWidth] = PoseHistory::kNowhere;
  spheres.cut_tick[index % kWidth] = PoseHistory::kAlwaysCut;
}

}  // namespace

std::uint32_t states_for(Duration span, std::uint32_t ticks_per_second,
                         std::uint32_t stride_ticks) {
  assert(ticks_per_second > 0 && stride_ticks > 0);
  const double ticks = std::chrono::duration<double>(span).count() * ticks_per_second;
  // Two more states are needed: the state before the oldest moment, and the newest state.
  return static_cast<std::uint32_t>(std::ceil(std::max(ticks, 0.0) / stride_ticks)) + 2;
}

PoseHistory::PoseHistory(const PoseHistoryOptions& options) : options_(options) {
  options_.states = std::max(options_.states, 2U);
  states_.resize(options_.states);
}

void PoseHistory::begin(Tick tick) {
  assert(!is_open_);
  if (state_count_ > 0 && tick <= newest()) clear();
  if (state_count_ == options_.states) {
    first_ = (first_ + 1) % options_.states;
    --state_count_;
  }
  State& open = states_[(first_ + state_count_) % options_.states];
  open.tick = tick;
  for (Record& record : open.records) record.is_present = false;
  std::ranges::fill(parents_, EntityId());
  std::ranges::fill(teleported_, std::uint8_t{0});
  is_open_ = true;
  ++number_;
  for (std::uint32_t index = 0; index < entities_.size(); ++index) {
    Entity& entity = entities_[index];
    if (entity.id.is_null() || number_ - entity.last_use < options_.states) continue;
    if (by_slot_[entity.id.slot()] == index) by_slot_[entity.id.slot()] = kNone;
    entity.id = {};
    free_.push_back(index);
  }
}

std::uint32_t PoseHistory::index_of(EntityId entity) const {
  if (entity.is_null() || entity.slot() >= by_slot_.size()) return kNone;
  const std::uint32_t index = by_slot_[entity.slot()];
  return index != kNone && entities_[index].id == entity ? index : kNone;
}

std::uint32_t PoseHistory::make_index(EntityId entity) {
  std::uint32_t index = kNone;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else if (entities_.size() < options_.entities_max) {
    index = static_cast<std::uint32_t>(entities_.size());
    entities_.emplace_back();
    parents_.emplace_back();
    teleported_.emplace_back();
    free_.reserve(entities_.size());
    for (State& one : states_) {
      one.records.emplace_back();
      one.spheres.resize(index / Spheres::kWidth + 1);
    }
  } else {
    return kNone;
  }
  entities_[index].id = entity;
  // Older states do not have this entity.
  for (State& one : states_) {
    one.records[index].is_present = false;
    clear_sphere(one, index);
  }
  if (by_slot_.size() <= entity.slot()) by_slot_.resize(std::size_t{entity.slot()} + 1, kNone);
  by_slot_[entity.slot()] = index;
  return index;
}

bool PoseHistory::note(const NotedPose& noted) {
  assert(is_open_);
  if (noted.entity.is_null()) return false;
  std::uint32_t index = index_of(noted.entity);
  if (index == kNone) index = make_index(noted.entity);
  if (index == kNone) {
    ++refused_;
    return false;
  }
  entities_[index].last_use = number_;
  parents_[index] = noted.parent;
  teleported_[index] = noted.is_teleported ? 1 : 0;
  Record& record = states_[(first_ + state_count_) % options_.states].records[index];
  record.pose = noted.pose;
  record.target = noted.target.is_null() ? noted.entity : noted.target;
  record.is_present = true;
  record.has_volume = noted.volume != nullptr;
  if (record.has_volume) {
    record.volume = *noted.volume;
    record.reach = length(noted.volume->center) + extent(*noted.volume) + kSlackMetres;
  }
  return true;
}

void PoseHistory::find_cut(Record& record, const Record* before, Tick previous) const {
  const Tick now = states_[(first_ + state_count_) % options_.states].tick;
  if (before == nullptr || !before->is_present || before->parent != record.parent) {
    record.cut_tick = now;
    return;
  }
  const Vec3 step = record.pose.position - before->pose.position;
  const auto ticks = static_cast<float>(steps_between(previous, now));
  const float metres_max = options_.metres_per_tick_max * ticks;
  // `is_near` is false for NaN.
  const bool is_near = dot(step, step) <= metres_max * metres_max;
  record.cut_tick = is_near ? before->cut_tick : now;
}

void PoseHistory::find_sphere(State& open, std::uint32_t index) const {
  const Record* record = &open.records[index];
  if (!record->is_present || !record->has_volume) return clear_sphere(open, index);
  float reach = record->reach;
  Tick cut_tick = record->cut_tick;
  for (std::uint32_t depth = 0; record->parent != kNone && depth < kDepthMax; ++depth) {
    reach += length(record->pose.position);
    record = &open.records[record->parent];
    cut_tick = std::max(cut_tick, record->cut_tick);
  }
  Spheres& spheres = open.spheres[index / Spheres::kWidth];
  const std::uint32_t lane = index % Spheres::kWidth;
  spheres.x[lane] = record->pose.position.x;
  spheres.y[lane] = record->pose.position.y;
  spheres.z[lane] = record->pose.position.z;
  spheres.reach[lane] = reach;
  spheres.cut_tick[lane] = cut_tick;
}

void PoseHistory::end() {
  assert(is_open_);
  is_open_ = false;
  State& open = states_[(first_ + state_count_) % options_.states];
  const State* const before = state_count_ > 0 ? &state(state_count_ - 1) : nullptr;
  for (std::uint32_t index = 0; index < open.records.size(); ++index) {
    Record& record = open.records[index];
    if (!record.is_present) continue;
    const std::uint32_t parent = index_of(parents_[index]);
    record.parent = parent != kNone && open.records[parent].is_present ? parent : kNone;
    find_cut(record, before != nullptr ? &before->records[index] : nullptr,
             before != nullptr ? before->tick : Tick());
    if (teleported_[index] != 0) record.cut_tick = open.tick;
  }
  for (std::uint32_t index = 0; index < open.records.size(); ++index) find_sphere(open, index);
  ++state_count_;
}

void PoseHistory::clear() {
  state_count_ = 0;
  first_ = 0;
  is_open_ = false;
  entities_.clear();
  free_.clear();
  by_slot_.clear();
  parents_.clear();
  teleported_.clear();
  for (State& one : states_) {
    one.records.clear();
    one.spheres.clear();
  }
}

PoseHistory::Moment PoseHistory::moment(const ViewTime& view) const {
  assert(state_count_ > 0);
  // Finds the newest state at or before `from`, and the oldest state at or after `to`. States are
  // at least one tick apart, so the first of these two states has at most the index `since`.
  const std::uint32_t since = view.from > oldest() ? view.from.value() - oldest().value() : 0;
  std::uint32_t from = std::min(state_count_ - 1, since);
  while (from > 0 && state(from).tick > view.from) --from;
  std::uint32_t to = from;
  while (to + 1 < state_count_ && state(to).tick < view.to) ++to;
  Moment found{.from = &state(from), .to = &state(to)};
  if (view.from == found.from->tick && view.to == found.to->tick) {
    found.fraction = view.fraction;
  } else if (found.to != found.from) {
    const double begin = found.from->tick.value();
    const double end = found.to->tick.value();
    found.fraction =
        static_cast<float>(std::clamp((view.ticks() - begin) / (end - begin), 0.0, 1.0));
  }
  if (!(found.fraction > 0)) found.fraction = 0;  // The condition is also true for NaN.
  if (found.fraction >= 1) found.from = found.to;
  if (found.from == found.to) found.fraction = 0;
  return found;
}

std::size_t PoseHistory::memory_bytes() const {
  std::size_t bytes = entities_.capacity() * sizeof(Entity) + by_slot_.capacity() * 4 +
                      free_.capacity() * 4 + parents_.capacity() * sizeof(EntityId) +
                      teleported_.capacity();
  for (const State& one : states_) {
    bytes += sizeof(State) + one.records.capacity() * sizeof(Record) +
             one.spheres.capacity() * sizeof(Spheres);
  }
  return bytes;
}

}  // namespace muster
