#include "net/replication/world_mirror.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace muster {

ReplicatedChange WorldMirror::change(ReplicatedChange::Kind kind, const Told& told) const {
  const TypeView& view = views_.view(told.kind.type);
  return {
      .kind = kind, .id = told.id, .type = view.type, .seen_by = view.seen_by, .tick = told.tick};
}

/// Another view of the same type is another look at the same entity.
bool WorldMirror::is_same_entity(const Told& told, const SeenEntity& seen) const {
  return told.kind.generation == seen.kind.generation &&
         views_.view(told.kind.type).type == views_.view(seen.kind.type).type;
}

// What the reader shows now against what it showed last time; both are sorted by id.
void WorldMirror::list_changes(std::vector<ReplicatedChange>& changes) {
  using enum ReplicatedChange::Kind;
  const std::size_t listed = changes.size();
  next_told_.clear();
  spawned_.clear();
  updated_.clear();
  std::size_t before = 0;
  for (const SeenEntity& seen : reader_.entities()) {
    for (; before < told_.size() && told_[before].id < seen.id; ++before) {
      changes.push_back(change(despawned, told_[before]));
    }
    const Told now{.id = seen.id, .kind = seen.kind, .tick = seen.tick, .version = seen.version};
    next_told_.push_back(now);
    const bool had = before < told_.size() && told_[before].id == seen.id;
    if (had && is_same_entity(told_[before], seen)) {
      if (told_[before].version != seen.version) updated_.push_back(change(updated, now));
    } else {
      if (had) changes.push_back(change(despawned, told_[before]));
      spawned_.push_back(change(spawned, now));
    }
    if (had) ++before;
  }
  for (; before < told_.size(); ++before) changes.push_back(change(despawned, told_[before]));
  changes.insert(changes.end(), spawned_.begin(), spawned_.end());
  changes.insert(changes.end(), updated_.begin(), updated_.end());
  told_.swap(next_told_);
  if (listed > 0 && changes.size() > listed) merge(changes);
}

// Two lists that nobody has read in between: of each entity, what leads from the state before both
// to the one behind them.
void WorldMirror::merge(std::vector<ReplicatedChange>& changes) {
  using enum ReplicatedChange::Kind;
  order_.resize(changes.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    return changes[a].id != changes[b].id ? changes[a].id < changes[b].id : a < b;
  });
  next_changes_.clear();
  spawned_.clear();
  updated_.clear();
  for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
    const ReplicatedChange& first = changes[order_[begin]];
    bool is_another = false;
    for (end = begin; end < order_.size() && changes[order_[end]].id == first.id; ++end) {
      is_another = is_another || changes[order_[end]].kind != updated;
    }
    ReplicatedChange last = changes[order_[end - 1]];
    const bool was_there = first.kind != spawned;
    const bool is_there = last.kind != despawned;
    if (was_there && is_there && !is_another) {
      updated_.push_back(last);
      continue;
    }
    if (was_there) {
      next_changes_.push_back(first);
      next_changes_.back().kind = despawned;
    }
    if (!is_there) continue;
    last.kind = spawned;
    spawned_.push_back(last);
  }
  next_changes_.insert(next_changes_.end(), spawned_.begin(), spawned_.end());
  next_changes_.insert(next_changes_.end(), updated_.begin(), updated_.end());
  changes.swap(next_changes_);
}

void WorldMirror::list_end(std::vector<ReplicatedChange>& changes) {
  const std::size_t listed = changes.size();
  for (const Told& told : told_) {
    changes.push_back(change(ReplicatedChange::Kind::despawned, told));
  }
  if (listed > 0 && changes.size() > listed) merge(changes);
  told_.clear();
}

const SeenEntity* WorldMirror::find(std::uint32_t id) const {
  const std::span<const SeenEntity> entities = reader_.entities();
  const auto found = std::ranges::lower_bound(entities, id, {}, &SeenEntity::id);
  return found != entities.end() && found->id == id ? &*found : nullptr;
}

bool WorldMirror::values(std::uint32_t id, std::span<std::int64_t> values) const {
  const SeenEntity* entity = find(id);
  if (entity == nullptr) return false;
  const TypeView& view = views_.view(entity->kind.type);
  assert(values.size() == schema_.value_count(view.type));
  view.from_lanes(std::span(entity->values, view.parts.size()), values);
  return true;
}

}  // namespace muster
