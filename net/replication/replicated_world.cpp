// Unchanged values keep their row. So a comparison of two row pointers shows that an entity is
// unchanged. A replaced row is kept while an update for any client may refer to it.
#include "net/replication/replicated_world.h"

#include <algorithm>
#include <cassert>

#include "net/snapshot/snapshot_head.h"

namespace muster {

ReplicatedWorld::ReplicatedWorld(const ReplicationSchema& schema, const TypeViews& views)
    : schema_(schema), views_(views), clamped_(schema) {
  std::size_t maximum = 0;
  for (std::size_t i = 0; i < views.count(); ++i) {
    // Pools are used only for first slices, because a row has the lanes of all slices.
    const std::size_t lanes = views.lane_count(static_cast<CodecType>(i));
    pools_.emplace_back(lanes);
    maximum = std::max(maximum, lanes);
  }
  lanes_.resize(maximum);
}

void ReplicatedWorld::begin(Tick tick) {
  assert(tick > tick_);
  tick_ = tick;
  moves_.clear();
  forget_past();
  // The view of a client applies these changes at each snapshot. If a view needs changes that are
  // no longer stored, the view checks every entity once.
  const std::size_t kept = 4 * entities_.size() + 1024;
  if (changes_.size() > 2 * kept) {
    const std::size_t forgotten = changes_.size() - kept;
    changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(forgotten));
    changes_begin_ += forgotten;
  }
}

std::optional<std::span<const NetworkId>> ReplicatedWorld::changes_since(
    std::uint64_t since) const {
  if (since < changes_begin_) return std::nullopt;
  return std::span(changes_).subspan(static_cast<std::size_t>(since - changes_begin_));
}

/// Releases rows to which no client's update can refer any more.
void ReplicatedWorld::forget_past() {
  while (past_begin_ < past_.size() && past_[past_begin_].ended_at + kPastTicksMax < tick_) {
    const Past& past = past_[past_begin_++];
    pools_[codec_index(past.codec_type)].give_back(past.row);
  }
  if (past_begin_ > past_.size() / 2) {
    past_.erase(past_.begin(), past_.begin() + static_cast<std::ptrdiff_t>(past_begin_));
    past_begin_ = 0;
  }
}

/// Returns 2 if owners receive other fields than other clients do, and 1 otherwise.
std::size_t ReplicatedWorld::row_count(SchemaType type) const {
  const bool is_one =
      views_.codec_type(type, SeenBy::others) == views_.codec_type(type, SeenBy::owner);
  return is_one ? 1 : kSeenByCount;
}

void ReplicatedWorld::spawn(NetworkId id, const ReplicatedEntityOptions& options,
                            std::span<const std::int64_t> values) {
  assert(id < views_.id_end());
  assert(schema_index(options.type) < schema_.types.size());
  ReplicatedEntity& entity =
      entities_.add({.id = id, .generation = next_generation(id), .options = options});
  write_rows(entity, values);
  moves_.push_back(id);
  ++version_;
}

/// Returns a generation that no earlier entity with this id had. If a game never reuses ids,
/// `next_generations_` would grow forever. So the map is cleared when it is large, and all later
/// generations are above the highest earlier generation.
std::uint32_t ReplicatedWorld::next_generation(NetworkId id) {
  constexpr std::size_t kGenerationsMin = 4096;
  if (next_generations_.size() >= kGenerationsMin + 2 * entities_.size()) {
    for (const auto& [used, next] : next_generations_) {
      generation_floor_ = std::max(generation_floor_, next);
    }
    next_generations_.clear();
  }
  std::uint32_t& next = next_generations_.try_emplace(id, generation_floor_).first->second;
  return next++;
}

void ReplicatedWorld::despawn(NetworkId id) {
  ReplicatedEntity* entity = entities_.find(id);
  assert(entity != nullptr);
  retire_all(*entity);
  entities_.remove(id);
  moves_.push_back(id);
  ++version_;
}

void ReplicatedWorld::set(NetworkId id, std::span<const std::int64_t> values) {
  ReplicatedEntity* entity = entities_.find(id);
  assert(entity != nullptr);
  write_rows(*entity, values);
}

/// Replaces the rows whose values have changed. A second change in the same tick overwrites the
/// first, which was never sent.
void ReplicatedWorld::write_rows(ReplicatedEntity& entity, std::span<const std::int64_t> values) {
  const SchemaType type = entity.options.type;
  assert(values.size() == schema_.value_count(type));
  const std::size_t count = row_count(type);
  bool is_new = false;
  bool has_clamped = false;
  for (std::size_t i = 0; i < count; ++i) {
    const CodecType codec_type = views_.codec_type(type, static_cast<SeenBy>(i));
    const std::span<LaneValue> lanes = std::span(lanes_).first(views_.lane_count(codec_type));
    has_clamped = views_.to_row(codec_type, values, lanes) || has_clamped;
    LaneValue*& row = entity.rows[i];
    if (row != nullptr && std::ranges::equal(lanes, std::span(row, lanes.size()))) continue;
    entity.changed_at = tick_;
    if (row == nullptr || entity.rows_since[i] != tick_) {
      if (row != nullptr) retire(entity, i);
      row = pools_[codec_index(codec_type)].allocate();
      entity.rows_since[i] = tick_;
      is_new = true;
    }
    std::ranges::copy(lanes, row);
  }
  if (count == 1) {
    entity.rows[1] = entity.rows[0];
    entity.rows_since[1] = entity.rows_since[0];
  }
  if (is_new) changes_.push_back(entity.id);
  if (has_clamped) clamped_.add(entity.id, type, values);
}

void ReplicatedWorld::retire(const ReplicatedEntity& entity, std::size_t seen_by) {
  past_.push_back(
      Past{.id = entity.id,
           .codec_type = views_.codec_type(entity.options.type, static_cast<SeenBy>(seen_by)),
           .began_at = entity.rows_since[seen_by],
           .ended_at = tick_,
           .row = entity.rows[seen_by]});
}

void ReplicatedWorld::retire_all(const ReplicatedEntity& entity) {
  for (std::size_t i = 0; i < row_count(entity.options.type); ++i) retire(entity, i);
}

void ReplicatedWorld::set_position(NetworkId id, const WorldPosition& position) {
  ReplicatedEntity* entity = entities_.find(id);
  assert(entity != nullptr);
  entity->options.position = position;
  moves_.push_back(id);
}

void ReplicatedWorld::set_owner(NetworkId id, PlayerId owner) {
  ReplicatedEntity* entity = entities_.find(id);
  assert(entity != nullptr);
  if (entity->options.owner == owner) return;
  entity->options.owner = owner;
  moves_.push_back(id);
  ++version_;
}

void ReplicatedWorld::set_interest(NetworkId id, Relevance relevance, std::uint8_t team,
                                   std::uint8_t update_class) {
  ReplicatedEntity* entity = entities_.find(id);
  assert(entity != nullptr);
  ReplicatedEntityOptions& options = entity->options;
  const bool is_same_audience = options.relevance == relevance && options.team == team;
  if (is_same_audience && options.update_class == update_class) return;
  options.relevance = relevance;
  options.team = team;
  options.update_class = update_class;
  moves_.push_back(id);
  // A new update class does not change the values that a client receives. The interest grid notices
  // a new class without `version_`.
  if (!is_same_audience) ++version_;
}

void ReplicatedWorld::clear() {
  for (const ReplicatedEntity& entity : entities_) {
    retire_all(entity);
    moves_.push_back(entity.id);
  }
  entities_.clear();
  next_generations_.clear();
  generation_floor_ = 0;
  ++version_;
}

const LaneValue* ReplicatedWorld::row_at(NetworkId id, Tick tick, CodecType codec_type) const {
  const TypeView& view = views_.view(codec_type);
  const auto index = static_cast<std::size_t>(view.seen_by);
  const ReplicatedEntity* entity = find(id);
  if (entity != nullptr && tick <= tick_ && tick >= entity->rows_since[index] &&
      entity->options.type == view.type) {
    return entity->rows[index] + view.first_lane;
  }
  const CodecType first_slice = views_.codec_type(view.type, view.seen_by);
  const auto first =
      std::upper_bound(past_.begin() + static_cast<std::ptrdiff_t>(past_begin_), past_.end(), tick,
                       [](Tick wanted, const Past& past) { return wanted < past.ended_at; });
  const auto found = std::find_if(first, past_.end(), [&](const Past& past) {
    return past.id == id && past.began_at <= tick && past.codec_type == first_slice;
  });
  return found == past_.end() ? nullptr : found->row + view.first_lane;
}

std::size_t ReplicatedWorld::memory_bytes() const {
  std::size_t bytes = sizeof(*this) + entities_.memory_bytes() + past_.capacity() * sizeof(Past) +
                      lanes_.capacity() * sizeof(LaneValue) +
                      (moves_.capacity() + changes_.capacity()) * sizeof(NetworkId);
  // An estimate: a node has the entry, a pointer and the heap's overhead. A bucket is a pointer.
  constexpr std::size_t kNodeBytes = 4 * sizeof(void*);
  bytes += next_generations_.size() * kNodeBytes + next_generations_.bucket_count() * sizeof(void*);
  for (const RowPool& pool : pools_) bytes += pool.memory_bytes();
  return bytes;
}

}  // namespace muster
