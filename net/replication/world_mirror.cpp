#include "net/replication/world_mirror.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace muster {

ReplicatedChange WorldMirror::change(ReplicatedChange::Kind kind, const Listed& listed) const {
  const TypeView& view = views_.view(listed.kind.type);
  return {.kind = kind,
          .id = listed.id,
          .type = view.type,
          .seen_by = view.seen_by,
          .tick = listed.tick};
}

ReplicatedChange WorldMirror::go(const Listed& listed) {
  gone_[gone_count_++ % kGoneMax] = {
      .id = listed.id, .generation = listed.kind.generation, .tick = reader_.tick()};
  return change(ReplicatedChange::Kind::despawned, listed);
}

/// True if both are states of the same entity, in any view of its type.
bool WorldMirror::is_same_entity(const Listed& listed, const SeenEntity& seen) const {
  return listed.kind.generation == seen.kind.generation &&
         views_.view(listed.kind.type).type == views_.view(seen.kind.type).type;
}

const WorldMirror::Listed* WorldMirror::find_listed(NetworkId id) const {
  const auto found = std::ranges::lower_bound(listed_, id, {}, &Listed::id);
  return found != listed_.end() && found->id == id ? &*found : nullptr;
}

/// All slices of an entity that the reader has. `first` is the index of the entity's first slice.
std::span<const SeenEntity> WorldMirror::slices_from(std::size_t first) const {
  const std::span<const SeenEntity> all = reader_.entities();
  const NetworkId id = views_.entity_of(all[first].id);
  std::size_t end = first + 1;
  while (end < all.size() && views_.entity_of(all[end].id) == id) ++end;
  return all.subspan(first, end - first);
}

/// Returns an entity if all its slices have arrived. If there are more slices than the view has,
/// the additional slices belong to an earlier entity.
std::optional<WorldMirror::Listed> WorldMirror::whole_of(std::span<const SeenEntity> slices) const {
  const SeenEntity& first = slices.front();
  const TypeView& view = views_.view(first.kind.type);
  const std::size_t count = views_.slice_count(first.kind.type);
  if (view.slice != kFirstSlice || slices.size() < count) return std::nullopt;
  Listed whole{.id = views_.entity_of(first.id), .kind = first.kind, .tick = first.tick};
  for (std::size_t i = 0; i < count; ++i) {
    const auto slice = static_cast<SliceIndex>(i);
    const bool is_next = slices[i].kind.type == TypeViews::slice_type(first.kind.type, slice) &&
                         slices[i].kind.generation == first.kind.generation &&
                         slices[i].id == views_.slice_id(whole.id, slice);
    if (!is_next) return std::nullopt;
    if (slices[i].tick < whole.tick) whole.tick = slices[i].tick;
    whole.version += slices[i].version;
  }
  return whole;
}

// Compares the entities that the reader shows now with the entities that were listed last. Both
// lists are sorted by id.
void WorldMirror::list_changes(std::vector<ReplicatedChange>& changes) {
  using enum ReplicatedChange::Kind;
  const std::size_t unread = changes.size();
  next_listed_.clear();
  spawned_.clear();
  updated_.clear();
  std::size_t before = 0;
  for (std::size_t at = 0; at < reader_.entities().size();) {
    const std::span<const SeenEntity> slices = slices_from(at);
    at += slices.size();
    const NetworkId id = views_.entity_of(slices.front().id);
    for (; before < listed_.size() && listed_[before].id < id; ++before) {
      changes.push_back(go(listed_[before]));
    }
    const bool had = before < listed_.size() && listed_[before].id == id;
    const Listed* const last = had ? &listed_[before++] : nullptr;
    const auto is_of_last = [&](const SeenEntity& seen) { return is_same_entity(*last, seen); };
    const std::optional<Listed> now = whole_of(slices);
    const bool is_it = now && had && is_of_last(slices.front());
    // If an entity returns to an earlier view, old slices of that view may still be stored.
    const bool is_older = is_it && now->tick < last->tick;
    if (is_it && !is_older) {
      next_listed_.push_back(*now);
      const bool is_other = last->version != now->version || last->kind != now->kind;
      if (is_other) updated_.push_back(change(updated, *now));
    } else if (is_older || (!now && had && std::ranges::any_of(slices, is_of_last))) {
      next_listed_.push_back(
          *last);  // Stays unchanged until the other slices arrive or are removed.
      next_listed_.back().is_complete = false;
    } else {
      if (had) changes.push_back(go(*last));
      if (!now) continue;
      next_listed_.push_back(*now);
      spawned_.push_back(change(spawned, *now));
    }
  }
  for (; before < listed_.size(); ++before) changes.push_back(go(listed_[before]));
  changes.insert(changes.end(), spawned_.begin(), spawned_.end());
  changes.insert(changes.end(), updated_.begin(), updated_.end());
  listed_.swap(next_listed_);
  if (unread > 0 && changes.size() > unread) merge(changes);
}

// Combines two unread lists. The result has, for each entity, the change from the state before both
// lists to the state after both lists.
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
  const std::size_t unread = changes.size();
  for (const Listed& listed : listed_) {
    changes.push_back(change(ReplicatedChange::Kind::despawned, listed));
  }
  if (unread > 0 && changes.size() > unread) merge(changes);
  listed_.clear();
}

const SeenEntity* WorldMirror::find_slice(SliceId slice) const {
  const std::span<const SeenEntity> entities = reader_.entities();
  const auto found = std::ranges::lower_bound(entities, slice, {}, &SeenEntity::id);
  return found != entities.end() && found->id == slice ? &*found : nullptr;
}

bool WorldMirror::is_listed(const SeenEntity& slice) const {
  const Listed* listed = find_listed(views_.entity_of(slice.id));
  return listed != nullptr && listed->is_complete &&
         listed->kind.generation == slice.kind.generation &&
         TypeViews::slice_type(listed->kind.type, views_.view(slice.kind.type).slice) ==
             slice.kind.type;
}

bool WorldMirror::is_of_one_tick(const SeenEntity& slice) const {
  const Listed* listed = find_listed(views_.entity_of(slice.id));
  return listed != nullptr && listed->tick >= slice.tick;
}

SubjectState WorldMirror::state_of(const EventSubject& entity, Tick tick) const {
  const NetworkId id = views_.entity_of(entity.id);
  const Listed* const listed = find_listed(id);
  if (listed != nullptr && listed->kind.generation == entity.generation) return SubjectState::shown;
  const auto end = gone_.begin() + static_cast<std::ptrdiff_t>(std::min(gone_count_, kGoneMax));
  const auto is_it = [&](const Gone& gone) {
    return gone.id == id && gone.generation == entity.generation && tick <= gone.tick;
  };
  if (std::any_of(gone_.begin(), end, is_it)) return SubjectState::shown;
  // Each new entity with an id has a higher generation.
  const bool is_past = listed != nullptr &&
                       static_cast<std::int32_t>(listed->kind.generation - entity.generation) > 0;
  return is_past ? SubjectState::is_past : SubjectState::may_come;
}

bool WorldMirror::holds(NetworkId id) const {
  if (id >= views_.id_end()) return false;
  for (std::uint32_t slice = 0; slice < views_.slice_ids(); ++slice) {
    if (reader_.holds(views_.slice_id(id, SliceIndex{slice}))) return true;
  }
  return false;
}

bool WorldMirror::values(NetworkId id, std::span<std::int64_t> values) const {
  const Listed* listed = find_listed(id);
  if (listed == nullptr || !listed->is_complete) return false;
  assert(values.size() == schema_.value_count(views_.view(listed->kind.type).type));
  const std::size_t count = views_.slice_count(listed->kind.type);
  for (std::uint32_t i = 0; i < count; ++i) {
    const SeenEntity* slice = find_slice(views_.slice_id(id, SliceIndex{i}));
    if (slice == nullptr || !is_listed(*slice)) return false;
    const TypeView& view = views_.view(slice->kind.type);
    view.from_lanes(std::span(slice->values, view.parts.size()), values);
  }
  return true;
}

}  // namespace muster
