// Each entity has one bit, which is 1 if the entity is idle. So 64 entities are tested at a time.
// Bits and tracks are in the order of ids. A snapshot forms groups in the same order, so the
// entities of a group are counted by counting bits.
#include "net/snapshot/followed_world.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace muster {
namespace {

using Word = std::uint64_t;

std::size_t count_below(Word word, std::size_t bit) {
  return static_cast<std::size_t>(std::popcount(word & ((Word{1} << bit) - 1)));
}

}  // namespace

void FollowedWorld::apply(Tick tick, std::span<const EntityState> world, SnapshotSerial next) {
  // After a longer time, the previous values may no longer be readable.
  is_comparable_ = tick - tick_ <= kPastTicksMax;
  tick_ = tick;
  next_ = next;
  passed_over_.clear();
  checked_count_ += world.size();
  const std::size_t known = tracks_.size();
  std::size_t at = 0;
  has_gone_ = false;
  for (const EntityState& state : world) {
    while (at < known && tracks_[at].track.id < state.id) leave(at++);
    if (at == known || tracks_[at].track.id != state.id) {
      Followed& followed = tracks_.emplace_back();
      followed.track.id = state.id;
      follow(tracks_.size() - 1, state);
      continue;
    }
    follow(at++, state);
  }
  while (at < known) leave(at++);
  if (tracks_.size() > known || has_gone_) put_in_order();
}

void FollowedWorld::apply_changes(Tick tick, std::span<const EntityState> world,
                                  std::span<const std::uint32_t> changed, SnapshotSerial next) {
  is_comparable_ = tick - tick_ <= kPastTicksMax;
  tick_ = tick;
  next_ = next;
  passed_over_.clear();
  for_active(0, idle_.size(), [&](std::size_t index) { tracks_[index].track.is_listed = false; });
  const bool is_one = tracks_.size() == world.size();  // Tracks and world have equal indices.
  for (const std::uint32_t i : changed) follow(is_one ? i : index_of_id(world[i].id), world[i]);
  checked_count_ += changed.size();
  if (has_gone_ && next_ % kSnapshotWindow == 0) put_in_order();
}

/// Applies an entity's current state.
void FollowedWorld::follow(std::size_t index, const EntityState& state) {
  Followed& followed = tracks_[index];
  followed.track.is_listed = false;
  followed.state = &state;
  if (state.since != kUnknownTick) {
    followed.stamp = stamp_of_tick(state.since);
  } else if (!is_comparable_ || state.values != followed.values || state.kind != followed.kind) {
    // If the previous values are not readable, the same row may already contain other values.
    if (!is_comparable_ || followed.values == nullptr || state.kind != followed.kind ||
        !std::equal(state.values, state.values + lanes_of(state.kind), followed.values)) {
      followed.stamp = stamp_of_tick(tick_);
    }
  }
  followed.values = state.values;
  followed.kind = state.kind;
  if (!followed.is_idle) return;
  if (followed.stamp != followed.track.stamp || followed.kind != followed.track.kind) {
    activate(index);
  } else {
    followed.track.values = followed.values;
  }
}

void FollowedWorld::leave(std::size_t index) {
  Followed& followed = tracks_[index];
  if (followed.is_idle) activate(index);
  has_gone_ = true;
  followed.state = nullptr;
  followed.values = nullptr;
  followed.track.is_listed = false;
}

/// Drops the tracks of removed entities that have no state in the window. Inserts new tracks.
void FollowedWorld::put_in_order() {
  std::erase_if(tracks_, [&](Followed& followed) {
    if (followed.values != nullptr || !followed.track.is_forgotten(next_)) return false;
    if (followed.track.has_records()) records_.give_back(followed.track.records_index);
    kept_.drop(followed.kept);
    links_.drop(followed.track.links);
    return true;
  });
  records_.reserve(tracks_.size());
  merge_new();
  idle_.assign((tracks_.size() + kWordBits - 1) / kWordBits, 0);
  known_bits_.resize(idle_.size());
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (tracks_[i].is_idle) idle_[i / kWordBits] |= Word{1} << (i % kWordBits);
  }
}

/// New tracks are at the end, sorted by id. Old tracks move back to make room for the new tracks.
void FollowedWorld::merge_new() {
  const auto is_before = [](const Followed& a, const Followed& b) {
    return a.track.id < b.track.id;
  };
  const auto first_new = std::is_sorted_until(tracks_.begin(), tracks_.end(), is_before);
  added_.assign(first_new, tracks_.end());
  auto old_end = first_new;
  auto end = tracks_.end();
  while (!added_.empty()) {
    const bool is_old = old_end != tracks_.begin() && is_before(added_.back(), *std::prev(old_end));
    *--end = is_old ? *--old_end : added_.back();
    if (!is_old) added_.pop_back();
  }
}

/// Ends the idle state of a track. Until now every snapshot reported the entity as unchanged.
void FollowedWorld::activate(std::size_t index) {
  Followed& followed = tracks_[index];
  followed.is_idle = false;
  followed.track.run_last = next_ - 1;
  followed.track.last = next_ - 1;
  if (index / kWordBits < idle_.size()) {
    idle_[index / kWordBits] &= ~(Word{1} << (index % kWordBits));
  }
}

void FollowedWorld::make_idle(std::size_t index) {
  tracks_[index].is_idle = true;
  idle_[index / kWordBits] |= Word{1} << (index % kWordBits);
}

void FollowedWorld::activate_all() {
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (tracks_[i].is_idle) activate(i);
  }
  checked_count_ += tracks_.size();
}

void FollowedWorld::forget() {
  activate_all();
  for (Followed& followed : tracks_) {
    followed.track.run_first = followed.track.run_last + 1;
    kept_.drop(followed.kept);
    links_.drop(followed.track.links);
  }
}

std::size_t FollowedWorld::idle_count() const {
  std::size_t count = 0;
  for (const Word word : idle_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

std::size_t FollowedWorld::index_of_id(SliceId id) const {
  const auto found = std::lower_bound(
      tracks_.begin(), tracks_.end(), id,
      [](const Followed& followed, SliceId wanted) { return followed.track.id < wanted; });
  return static_cast<std::size_t>(found - tracks_.begin());
}

/// Returns the records of a track. Most tracks have no records, because their entities are new or
/// were always unchanged.
const TrackRecords& FollowedWorld::records_of(const EntityTrack& track) const {
  static constexpr TrackRecords kNone{};
  return track.has_records() ? records_[track.records_index] : kNone;
}

TrackRecords& FollowedWorld::make_records(EntityTrack& track) {
  if (!track.has_records()) track.records_index = records_.allocate();
  return records_[track.records_index];
}

KnownEntity FollowedWorld::known_of(const EntityTrack& track) const {
  if (is_unchanged(track, references_)) return unchanged_entity(track, references_);
  KnownEntity known = known_entity(track, records_of(track), references_,
                                   [&](EntityKind kind) { return lanes_of(kind); });
  known.is_sparse = is_sparse(known.states);
  if (known.is_sparse) links_.extend(track.links, known.kind, known.states);
  return known;
}

KnownEntity FollowedWorld::idle_entity(const EntityTrack& track) const {
  KnownEntity known = idle_known_;
  known.kind = track.kind;
  known.stamp = track.stamp;
  for (std::size_t i = 0; i < known.states.count; ++i) known.states.values[i] = track.values;
  return known;
}

void FollowedWorld::list(SnapshotHead& head, const ReferenceStates& references) {
  references_ = references;
  listed_.clear();
  known_.clear();
  new_.clear();
  passed_over_.clear();
  changed_constant_.clear();
  known_count_ = 0;
  constant_count_ = 0;
  // The known states of an entity that is unchanged in all references.
  EntityTrack always;
  always.run_first = 0;
  always.run_last = ~SnapshotSerial{0};
  idle_known_ = known_entity(always, TrackRecords{}, references_,
                             [](EntityKind /*kind*/) { return std::size_t{0}; });
  // Idle entities must be constant, because other entities are coded separately.
  if (!is_constant(idle_known_.states) && idle_count() > 0) activate_all();
  list_words(head, index_of_id(head.first_id));
  head.deferred_share = share_of_deferred();
  rewind();
}

/// The share of deferred entities among the entities that are not constant. Such entities are
/// always listed.
std::uint32_t FollowedWorld::share_of_deferred() const {
  std::size_t moving = 0;
  std::size_t deferred = 0;
  for (const ListedEntity& listed : listed_) {
    if (listed.is_constant) continue;
    ++moving;
    if (listed.is_deferred) ++deferred;
  }
  return deferred_share(deferred, moving);
}

void FollowedWorld::list_words(SnapshotHead& head, std::size_t first) {
  std::fill_n(known_bits_.begin(), first / kWordBits, 0);
  std::size_t idle_before = 0;  // The number of idle entities in earlier words.
  for (std::size_t w = first / kWordBits; w < idle_.size(); ++w) {
    const Word from = w == first / kWordBits ? ~Word{0} << (first % kWordBits) : ~Word{0};
    const Word idle = idle_[w] & from;
    known_bits_[w] = idle;
    for (Word active = ~idle_[w] & from; active != 0; active &= active - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(active));
      const std::size_t index = w * kWordBits + bit;
      if (index >= tracks_.size()) break;
      if (index + kExpectRecords < tracks_.size()) {
        expect_records(tracks_[index + kExpectRecords].track, records_, references_);
        expect_rows(tracks_[index + kExpectRows].track, records_, references_);
      }
      const std::size_t before = idle_before + count_below(idle, bit);
      list_track(head, index, before + known_count_, before + constant_count_);
    }
    idle_before += static_cast<std::size_t>(std::popcount(idle));
  }
  known_count_ += idle_before;
  constant_count_ += idle_before;
}

/// Until all entities are listed, `known_count_` and `constant_count_` do not include idle
/// entities.
void FollowedWorld::list_track(SnapshotHead& head, std::size_t index, std::size_t rank,
                               std::size_t constant_rank) {
  ++checked_count_;
  const Followed& followed = tracks_[index];
  const EntityState* state = followed.state;
  const EntityTrack& track = followed.track;
  ListedEntity listed{.track_index = static_cast<std::uint32_t>(index),
                      .rank = static_cast<std::uint32_t>(rank),
                      .constant_rank = static_cast<std::uint32_t>(constant_rank),
                      .known = ListedEntity::kUnchanged};
  EntityKind kind = track.kind;
  StateStamp stamp = track.stamp;
  const LaneValue* newest = track.values;
  bool is_known = true;
  if (is_unchanged(track, references_)) {
    listed.is_constant = references_.known_count > 1;
  } else {
    const KnownEntity& known = known_.emplace_back(known_of(track));
    listed.known = static_cast<std::uint32_t>(known_.size() - 1);
    is_known = known.states.count > 0;
    kind = known.kind;
    stamp = known.stamp;
    newest = known.states.values[0];
    listed.is_constant = is_constant(known.states);
    if (!is_known) known_.pop_back();
  }
  const bool is_same_entity = state != nullptr && is_known && state->kind == kind;
  if (is_known) {
    listed.state = is_same_entity ? state : nullptr;
    listed.is_changed =
        !is_same_entity || (followed.stamp != stamp && state->values != newest &&
                            !std::equal(newest, newest + lanes_of(kind), state->values));
    // A deferred entity keeps its earlier state even if the receiver now gets another view of it.
    // The earlier state also stays if the id now belongs to a new entity that an earlier snapshot
    // contained, because the receiver may already show the new entity.
    const bool is_here = state != nullptr && (state->kind.generation == kind.generation ||
                                              state->kind.generation == track.kind.generation);
    listed.is_deferred = is_here && state->is_deferred && listed.is_changed;
    head.defers = head.defers || listed.is_deferred;
    if (listed.is_constant && listed.is_changed) changed_constant_.push_back(listed.constant_rank);
    listed_.push_back(listed);
    known_bits_[index / kWordBits] |= Word{1} << (index % kWordBits);
    ++known_count_;
    if (listed.is_constant) ++constant_count_;
  }
  if (state == nullptr || is_same_entity) return;
  if (track.is_listed) {
    passed_over_.push_back(track.id);
  } else if (state->is_deferred) {
    head.defers = true;
    // An earlier snapshot may have contained this entity.
    head.keeps_unknown = head.keeps_unknown || state->may_be_shown;
  } else {
    new_.push_back({.state = state, .rank = listed.rank});
  }
}

void FollowedWorld::rewind() {
  cursor_word_ = 0;
  cursor_rank_ = 0;
}

const EntityTrack& FollowedWorld::track_of_rank(std::size_t rank) {
  assert(rank < known_count_ && rank >= cursor_rank_);
  Word word = known_bits_[cursor_word_];
  for (auto count = static_cast<std::size_t>(std::popcount(word)); rank - cursor_rank_ >= count;
       count = static_cast<std::size_t>(std::popcount(word))) {
    cursor_rank_ += count;
    word = known_bits_[++cursor_word_];
  }
  for (std::size_t left = rank - cursor_rank_; left > 0; --left) word &= word - 1;
  return tracks_[cursor_word_ * kWordBits + static_cast<std::size_t>(std::countr_zero(word))].track;
}

void FollowedWorld::remember(const SnapshotReach& reach, SnapshotSerial serial) {
  assert(serial == next_);
  activate_outside(reach);
  std::size_t next_listed = 0;
  std::size_t next_new = 0;
  for_active(0, idle_.size(), [&](std::size_t index) {
    Followed& followed = tracks_[index];
    EntityTrack& track = followed.track;
    const ListedEntity* listed = nullptr;
    if (next_listed < listed_.size() && listed_[next_listed].track_index == index) {
      listed = &listed_[next_listed++];
    }
    const bool is_new = next_new < reach.new_written && new_[next_new].state->id == track.id;
    if (is_new) ++next_new;
    const bool comes_again = reach.is_listed_again && track.id >= reach.end_id;
    track.is_listed = track.is_listed || (is_new && !comes_again);
    const bool is_certain = listed != nullptr && track.id < reach.end_id && !listed->is_deferred;
    const bool is_there = is_new || (is_certain && listed->state != nullptr);
    if (is_there && !is_new) add_link(*listed, track);
    if (!is_there || !track.has_run() || track.stamp != followed.stamp ||
        track.kind != followed.kind) {
      remember_track(followed, listed, is_certain, is_there);
      return;
    }
    track.run_last = serial;
    track.last = serial;
    track.values = followed.values;
    // An entity that a part of this tick contained as new must stay listed until the next tick.
    if (track.run_first + kSnapshotWindow <= serial && !track.is_listed) make_idle(index);
  });
  next_ = serial + 1;
}

void FollowedWorld::add_link(const ListedEntity& listed, EntityTrack& track) {
  if (!listed.is_changed || listed.known == ListedEntity::kUnchanged) return;
  const KnownEntity& known = known_[listed.known];
  if (!known.is_sparse) return;
  links_.add(track.links, known.kind, tick_, known.states.ticks[0], known.states.values[0]);
}

/// Ends the idle state of all entities outside the snapshot's range, because the snapshot does not
/// report them as unchanged.
void FollowedWorld::activate_outside(const SnapshotReach& reach) {
  const std::size_t first = index_of_id(reach.first_id);
  const std::size_t end = reach.end_id == kEveryId ? tracks_.size() : index_of_id(reach.end_id);
  for (std::size_t index = 0; index < tracks_.size(); ++index) {
    if (index == first) index = std::max(index, end);
    if (index < tracks_.size() && tracks_[index].is_idle) activate(index);
  }
}

/// Ends an entity's run. `is_certain` is true if the snapshot contains the entity's state.
/// `is_there` is true if the entity exists.
void FollowedWorld::remember_track(Followed& followed, const ListedEntity* listed, bool is_certain,
                                   bool is_there) {
  EntityTrack& track = followed.track;
  if (is_there) {
    if (track.has_run()) end_run(track, make_records(track), next_);
    begin_run(track, next_, followed.kind, followed.stamp, followed.values);
    return;
  }
  // Deferred entities and entities outside this part keep their known state.
  const bool is_found = listed != nullptr && listed->known != ListedEntity::kUnchanged;
  const KnownEntity known = is_certain ? KnownEntity{}
                            : is_found ? known_[listed->known]
                                       : known_of(track);
  if (!is_certain && known.states.count == 0 && !track.has_run()) return;
  TrackRecords& records = make_records(track);
  end_run(track, records, next_);
  if (!is_certain && known.states.count == 0) return;
  track.last = next_;
  TrackRecord& record = records[window_index(next_)];
  record = record_of(next_, known.kind, known.states.values[0],
                     is_certain ? 0 : tick_ - known.states.ticks[0], known.stamp);
  if (is_certain) record.presence = Presence::gone;
}

std::size_t FollowedWorld::memory_bytes() const {
  return (tracks_.capacity() + added_.capacity()) * sizeof(Followed) + records_.memory_bytes() +
         kept_.memory_bytes() + links_.memory_bytes() +
         (idle_.capacity() + known_bits_.capacity()) * sizeof(Word) +
         known_.capacity() * sizeof(KnownEntity) + listed_.capacity() * sizeof(ListedEntity) +
         new_.capacity() * sizeof(ListedNew) +
         (passed_over_.capacity() + changed_constant_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace muster
