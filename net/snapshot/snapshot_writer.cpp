// A snapshot is written entity by entity; when one does not fit any more, the coder goes back to
// where it stood before and says that the datagram ends. What was not reached is held: for the
// receiver it is as it was, until a later part or tick says more.
#include "net/snapshot/snapshot_writer.h"

#include <algorithm>
#include <cassert>

#include "net/snapshot/snapshot_coder.h"

namespace muster {
namespace {

/// Room kept for the end of a snapshot: one decision, and what the coder still holds back.
constexpr std::size_t kEndBytes = 6;

}  // namespace

void SnapshotWriter::begin(std::uint32_t tick, std::span<const EntityState> world) {
  assert(std::is_sorted(world.begin(), world.end(),
                        [](const EntityState& a, const EntityState& b) { return a.id < b.id; }));
  // What was the truth so long ago may be there no more.
  is_comparable_ = tick - tick_ <= kKnownTicksMax;
  tick_ = tick;
  world_ = world;
  next_id_ = 0;
  is_done_ = false;
  follow_world();
}

void SnapshotWriter::acknowledge(SnapshotNumber number) {
  Sent& sent = sent_[place_of(number)];
  if (sent.is_used && static_cast<SnapshotNumber>(sent.serial) == number) {
    sent.is_acknowledged = true;
  }
}

void SnapshotWriter::disown(SnapshotNumber number) {
  Sent& sent = sent_[place_of(number)];
  if (static_cast<SnapshotNumber>(sent.serial) == number) sent.is_used = false;
}

/// Gives every entity of the world a track, finds since when each is as it is, and drops tracks of
/// which the window knows nothing.
void SnapshotWriter::follow_world() {
  const std::size_t known = tracks_.size();
  std::size_t next = 0;
  bool has_gone = false;
  const auto leave = [&](Followed& followed) {
    has_gone = true;
    followed.state = nullptr;
    followed.values = nullptr;
    followed.track.is_told = false;
  };
  for (const EntityState& state : world_) {
    while (next < known && tracks_[next].track.id < state.id) leave(tracks_[next++]);
    if (next == known || tracks_[next].track.id != state.id) {
      Followed& followed = tracks_.emplace_back();
      followed.track.id = state.id;
      followed.track.place = records_.take();
      follow(followed, state);
      continue;
    }
    follow(tracks_[next++], state);
  }
  for (; next < known; ++next) leave(tracks_[next]);
  if (has_gone) forget_tracks();
  if (tracks_.size() > known || has_gone) {
    std::sort(tracks_.begin(), tracks_.end(),
              [](const Followed& a, const Followed& b) { return a.track.id < b.track.id; });
  }
}

/// Takes over what an entity is now.
void SnapshotWriter::follow(Followed& followed, const EntityState& state) {
  followed.track.is_told = false;
  followed.state = &state;
  if (state.since != kUnknownTick) {
    followed.since = state.since;
  } else if (state.values != followed.values || state.kind != followed.kind) {
    const std::size_t lanes = model_.types[state.kind.type].lanes.size();
    if (!is_comparable_ || followed.values == nullptr || state.kind != followed.kind ||
        !std::equal(state.values, state.values + lanes, followed.values)) {
      followed.since = tick_;
    }
  }
  followed.values = state.values;
  followed.kind = state.kind;
}

void SnapshotWriter::forget_tracks() {
  std::erase_if(tracks_, [&](const Followed& followed) {
    if (followed.values != nullptr || !followed.track.is_forgotten(next_)) return false;
    records_.give_back(followed.track.place);
    return true;
  });
}

SnapshotHead SnapshotWriter::next_head() const {
  SnapshotHead head{.number = static_cast<SnapshotNumber>(next_), .tick = tick_, .references = {}};
  for (std::uint64_t age = 1; age < kSnapshotWindow; ++age) {
    const SnapshotSerial serial = next_ - age;
    const Sent& sent = sent_[place_of(serial)];
    if (!sent.is_used || sent.serial != serial || !sent.is_acknowledged) continue;
    head.references.numbers[head.references.count++] = static_cast<SnapshotNumber>(serial);
    if (head.references.count == kMaxReferences) break;
  }
  head.is_part = next_id_ != 0;
  head.first_id = next_id_;
  return head;
}

std::uint32_t SnapshotWriter::expected(const SnapshotHead& head) const {
  const auto tick = [&](std::size_t i) { return ticks_[place_of(head.references.numbers[i])]; };
  return expected_tick(head.number, head.references, head.references.count > 0 ? tick(0) : 0,
                       head.references.count > 1 ? tick(1) : 0);
}

std::span<const std::byte> SnapshotWriter::write(std::span<std::byte> out) {
  switch (options_.coder) {
    case SnapshotCoder::range:
      return write_with<RangeWriter>(out);
    case SnapshotCoder::mix:
      return write_with<MixWriter>(out);
    case SnapshotCoder::huffman:
    case SnapshotCoder::raw:
    case SnapshotCoder::reference:
      return write_with<PlainWriter>(out);
  }
  return {};
}

template <typename Encoder>
std::span<const std::byte> SnapshotWriter::write_with(std::span<std::byte> out) {
  if (is_done_) return {};
  SnapshotHead head = next_head();
  references_ = reference_states(head.references, next_, ticks_, tick_);
  list_world(head);
  // Where each decision takes a bit, it is first tried whether the world fits as a whole.
  head.is_cut = !PlainCoder<Encoder>;
  // What stands between two entities is seldom long; when it is, more room is left for it.
  for (std::size_t room = kEndBytes; 2 * room < out.size();) {
    Encoder encoder(model_, options_, out, out.size() - room);
    code_even(encoder, head.number, kNumberBits);
    code_references(encoder, head.number, head.references);
    if (head.references.count == 0) code_whole_number(encoder, head.number);
    code_tick(encoder, head.tick, expected(head));
    code_range(encoder, head);
    if (PlainCoder<Encoder>) encoder.even_bit(head.is_cut);
    write_body(encoder, head);
    if (!head.is_cut && (encoder.overflowed() || end_id_ != kEveryId)) {
      head.is_cut = true;
      continue;
    }
    room += kEndBytes;
    const std::span<const std::byte> bytes = encoder.finish();
    if (encoder.overflowed()) continue;
    if (!says_anything()) return {};
    remember();
    return bytes;
  }
  return {};
}

/// False when not even the first entity found room.
bool SnapshotWriter::says_anything() const {
  return end_id_ == kEveryId || new_written_ > 0 ||
         (!listed_.empty() && listed_.front().followed->track.id < end_id_);
}

KnownEntity SnapshotWriter::known_of(const EntityTrack& track) const {
  if (is_steady(track, references_)) return steady_entity(track, references_);
  return known_entity(track, records_[track.place], references_,
                      [&](EntityKind kind) { return model_.types[kind.type].lanes.size(); });
}

/// Whether an entity is as its run is, and the run covers all that is known of it.
bool SnapshotWriter::is_as_known(const Followed& followed) const {
  return followed.state != nullptr && is_steady(followed.track, references_) &&
         followed.since == followed.track.since && followed.kind == followed.track.kind;
}

/// Sorts the world into what the receiver knows and what is new to it.
void SnapshotWriter::list_world(SnapshotHead& head) {
  listed_.clear();
  new_.clear();
  known_.clear();
  changed_quiet_.clear();
  quiet_count_ = 0;
  for (Followed& followed : tracks_) {
    if (followed.track.id < head.first_id || !is_as_known(followed)) {
      list_track(head, followed);
      continue;
    }
    listed_.push_back({.followed = &followed,
                       .state = followed.state,
                       .is_quiet = references_.plain_count > 1,
                       .is_steady = true});
    if (listed_.back().is_quiet) ++quiet_count_;
  }
}

void SnapshotWriter::list_track(SnapshotHead& head, Followed& followed) {
  const EntityState* state = followed.state;
  const EntityTrack& track = followed.track;
  const bool is_said = track.id >= head.first_id;
  Listed listed{.followed = &followed};
  EntityKind kind = track.kind;
  std::uint32_t since = track.since;
  const LaneValue* newest = track.values;
  bool is_known = true;
  if (is_steady(track, references_)) {
    listed.is_steady = true;
    listed.is_quiet = references_.plain_count > 1;
  } else {
    KnownEntity& known = known_.emplace_back(known_of(track));
    is_known = known.states.count > 0;
    kind = known.kind;
    since = known.since;
    newest = known.states.values[0];
    listed.is_quiet = is_quiet(known.states);
    if (!is_known || !is_said) known_.pop_back();
  }
  const bool is_same = state != nullptr && is_known && state->kind == kind;
  if (is_known && is_said) {
    listed.state = is_same ? state : nullptr;
    listed.is_changed =
        !is_same ||
        (followed.since != since && state->values != newest &&
         !std::equal(newest, newest + model_.types[kind.type].lanes.size(), state->values));
    listed.is_held = is_same && state->is_held && listed.is_changed;
    head.holds = head.holds || listed.is_held;
    listed_.push_back(listed);
    if (listed.is_quiet && listed.is_changed) {
      changed_quiet_.push_back(static_cast<std::uint32_t>(quiet_count_));
    }
    if (listed.is_quiet) ++quiet_count_;
  }
  if (state == nullptr || is_same || !is_said || track.is_told) return;
  if (state->is_held) {
    head.holds = true;  // An earlier snapshot may have shown it.
  } else {
    new_.push_back(state);
  }
}

/// Writes the known entities in their order, and before each group of them the new ones whose ids
/// are not above its last.
template <typename Encoder>
void SnapshotWriter::write_body(Encoder& encoder, const SnapshotHead& head) {
  follows_changed_ = false;
  end_id_ = kEveryId;
  new_written_ = 0;
  next_known_ = 0;
  next_changed_ = 0;
  quiet_passed_ = 0;
  quiet_walk_ = QuietWalk(quiet_count_);
  has_new_here_ = false;
  next_listed_ = 0;
  std::uint32_t least_id = head.first_id;
  for (std::size_t& i = next_listed_;; ++i) {
    if (i % kGroupSize == 0 || i == listed_.size()) {
      if (i > 0) least_id = std::max(least_id, id_of(i - 1) + 1);
      if (!write_new(encoder, head, least_id, i)) return;
    }
    if (i == listed_.size() || !write_listed(encoder, head)) return;
  }
}

/// Writes the new entities of the group that begins with a listed one. Returns false when the
/// datagram ends here.
template <typename Encoder>
bool SnapshotWriter::write_new(Encoder& encoder, const SnapshotHead& head, std::uint32_t& least_id,
                               std::size_t first) {
  const std::size_t count = listed_.size();
  const auto has_new = [&](std::uint32_t last_id) {
    return new_written_ < new_.size() && new_[new_written_]->id <= last_id;
  };
  if (begins_block(first)) {
    const std::size_t last = std::min(first + kBlockSize, count) - 1;
    const bool is_last_block = group_of(count) < group_of(first) + kBlockGroups;
    has_new_here_ =
        !is_block(count - first) ||
        encoder.bit(slots::kAnyNew, has_new(is_last_block ? kEveryId - 1 : id_of(last)));
  }
  if (!has_new_here_) return true;
  const std::uint32_t last_id =
      first == count ? kEveryId - 1 : id_of(std::min(first + kGroupSize, count) - 1);
  while (has_new(last_id)) {
    const EntityState& state = *new_[new_written_];
    encoder.bit(slots::kAnotherNew, true);
    code_gap(encoder, state.id - least_id + 1);
    const Encoder before = encoder;
    code_end(encoder, head, false);
    write_new_entity(encoder, state);
    if (encoder.is_full()) {
      encoder = before;
      code_end(encoder, head, true);
      end_id_ = first < count ? std::min(state.id, id_of(first)) : state.id;
      unfit_id_ = state.id;
      return false;
    }
    least_id = state.id + 1;
    ++new_written_;
  }
  encoder.bit(slots::kAnotherNew, false);
  return true;
}

struct SnapshotWriter::QuietView {
  const SnapshotWriter& writer;
  bool is_full;

  bool wakes(std::size_t count) const {
    return is_full || (writer.next_changed_ < writer.changed_quiet_.size() &&
                       writer.changed_quiet_[writer.next_changed_] < writer.quiet_passed_ + count);
  }
  std::size_t others(std::size_t count) const {
    return others_among(std::span(writer.listed_).subspan(writer.next_listed_), count);
  }
};

/// Returns false when the datagram ends here.
template <typename Encoder>
bool SnapshotWriter::write_listed(Encoder& encoder, const SnapshotHead& head) {
  const Listed& listed = listed_[next_listed_];
  if (listed.is_quiet) {
    // Only one that is asked after by itself can end the datagram.
    const bool is_asleep =
        quiet_walk_.asleep(encoder, QuietView{.writer = *this, .is_full = encoder.is_full()}) > 0;
    quiet_walk_.pass(1);
    ++quiet_passed_;
    if (is_asleep) {
      follows_changed_ = false;
      if (!listed.is_steady) ++next_known_;
      return true;
    }
    if (listed.is_changed) ++next_changed_;
  }
  const Encoder before = encoder;
  code_end(encoder, head, false);
  write_entity(encoder, head, listed);
  if (!encoder.is_full()) return true;
  encoder = before;
  code_end(encoder, head, true);
  end_id_ = listed.followed->track.id;
  unfit_id_ = end_id_;
  return false;
}

template <typename Encoder>
void SnapshotWriter::write_entity(Encoder& encoder, const SnapshotHead& head,
                                  const Listed& listed) {
  const KnownEntity* known = listed.is_steady ? nullptr : &known_[next_known_++];
  const EntityKind kind = listed.is_steady ? listed.followed->track.kind : known->kind;
  const TypeModel& type = model_.types[kind.type];
  const bool is_said = listed.is_changed && !listed.is_held;
  KnownEntity steady;
  if (listed.is_steady) steady = steady_entity(listed.followed->track, references_);
  const KnownStates& states = listed.is_steady ? steady.states : known->states;
  code_changed(encoder, type, states, follows_changed_, is_said);
  follows_changed_ = is_said;
  if (!is_said) {
    if (head.holds) encoder.bit(slots::kHeld, listed.is_held);
    return;
  }
  if (encoder.bit(slots::kGone, listed.state == nullptr)) return;
  values_.assign(listed.state->values, listed.state->values + type.lanes.size());
  code_entity_update(encoder, type, scratch_, states, values_);
}

template <typename Encoder>
void SnapshotWriter::write_new_entity(Encoder& encoder, const EntityState& state) {
  const TypeModel& type = model_.types[state.kind.type];
  EntityKind kind = state.kind;
  code_kind(encoder, kind, model_.types.size());
  values_.assign(state.values, state.values + type.lanes.size());
  code_new_entity(encoder, type, scratch_, values_);
}

/// Notes what the receiver will know of every entity once it has this snapshot.
void SnapshotWriter::remember() {
  std::size_t next_listed = 0;
  std::size_t next_new = 0;
  for (Followed& followed : tracks_) {
    EntityTrack& track = followed.track;
    const Listed* listed = nullptr;
    if (next_listed < listed_.size() && listed_[next_listed].followed == &followed) {
      listed = &listed_[next_listed++];
    }
    const bool is_new = next_new < new_written_ && new_[next_new]->id == track.id;
    if (is_new) ++next_new;
    track.is_told = track.is_told || is_new;
    const bool is_said = listed != nullptr && track.id < end_id_ && !listed->is_held;
    const bool is_there = is_new || (is_said && listed->state != nullptr);
    if (is_there && track.has_run() && track.since == followed.since &&
        track.kind == followed.kind) {
      track.run_last = next_;
      track.last = next_;
      track.values = followed.values;
    } else {
      remember_track(followed, is_said, is_there);
    }
  }
  is_done_ = end_id_ == kEveryId;
  next_id_ = end_id_;
  const std::size_t place = place_of(next_);
  ticks_[place] = tick_;
  sent_[place] = Sent{.serial = next_, .is_acknowledged = false, .is_used = true};
  ++next_;
}

/// Ends an entity's run. `is_said`: the snapshot says what it is; `is_there`: and that it is there.
void SnapshotWriter::remember_track(Followed& followed, bool is_said, bool is_there) {
  EntityTrack& track = followed.track;
  if (is_there) {
    end_run(track, records_[track.place], ticks_, next_);
    begin_run(track, next_, followed.kind, followed.since, followed.values);
    return;
  }
  // Entities before and behind this part, and those held, stay as they are known.
  const KnownEntity known = is_said ? KnownEntity{} : known_of(track);
  if (!is_said && known.states.count == 0 && !track.has_run()) return;
  TrackRecords& records = records_[track.place];
  end_run(track, records, ticks_, next_);
  if (!is_said && known.states.count == 0) return;
  track.last = next_;
  records[place_of(next_)] = {.values = known.states.values[0],
                              .serial = next_,
                              .tick = is_said ? tick_ : known.states.ticks[0],
                              .since = known.since,
                              .kind = known.kind,
                              .standing = is_said ? Standing::gone : Standing::there};
}

std::size_t SnapshotWriter::changed_count() const {
  return static_cast<std::size_t>(std::count_if(
      listed_.begin(), listed_.end(), [](const Listed& listed) { return listed.is_changed; }));
}

std::size_t SnapshotWriter::memory_bytes() const {
  return sizeof(*this) + tracks_.capacity() * sizeof(Followed) + records_.memory_bytes() +
         known_.capacity() * sizeof(KnownEntity) + listed_.capacity() * sizeof(Listed) +
         new_.capacity() * sizeof(void*) + scratch_.memory_bytes() +
         values_.capacity() * sizeof(LaneValue);
}

}  // namespace muster
