#include "net/replication/world_mirror.h"

#include <algorithm>
#include <cassert>

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
}

void WorldMirror::list_end(std::vector<ReplicatedChange>& changes) {
  for (const Told& told : told_) {
    changes.push_back(change(ReplicatedChange::Kind::despawned, told));
  }
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
