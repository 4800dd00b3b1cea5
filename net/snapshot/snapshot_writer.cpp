// A snapshot is written entity by entity; when one does not fit any more, the coder goes back to
// where it stood before and says that the datagram ends. What was not reached is held: for the
// receiver it is as it was, until a later part or tick says more.
#include "net/snapshot/snapshot_writer.h"

#include <algorithm>
#include <cassert>

namespace muster {
namespace {

/// Room kept for the end of a snapshot: one decision, and what the coder still holds back.
constexpr std::size_t kEndBytes = 6;

}  // namespace

struct SnapshotWriter::Encoder {
  static constexpr bool kDecodes = false;
  RangeEncoder range;
  const BitProbability* probabilities;
  std::size_t limit;

  bool bit(std::uint32_t slot, bool value) {
    range.encode(value, probabilities[slot]);
    return value;
  }
  bool even_bit(bool value) {
    range.encode(value, BitProbability{1U << 15});
    return value;
  }
  bool is_full() const { return range.overflowed() || range.byte_count() > limit; }
};

void SnapshotWriter::begin(std::uint32_t tick, std::span<const EntityState> world) {
  assert(std::is_sorted(world.begin(), world.end(),
                        [](const EntityState& a, const EntityState& b) { return a.id < b.id; }));
  tick_ = tick;
  world_ = world;
  next_id_ = 0;
  is_done_ = false;
  for (EntityTrack& track : tracks_) track.is_told = false;
  add_tracks();
}

void SnapshotWriter::acknowledge(SnapshotNumber number) {
  Sent& sent = sent_[place_of(number)];
  if (sent.is_used && sent.number == number) sent.is_acknowledged = true;
}

/// Gives every entity of the world a track, and drops those of which the window knows nothing.
void SnapshotWriter::add_tracks() {
  const std::size_t known = tracks_.size();
  std::size_t next = 0;
  bool has_gone = false;
  bool has_new = false;
  for (const EntityState& state : world_) {
    while (next < known && tracks_[next].id < state.id) {
      has_gone = true;
      ++next;
    }
    if (next < known && tracks_[next].id == state.id) {
      ++next;
    } else {
      has_new = true;
      tracks_.push_back(EntityTrack{.id = state.id});
    }
  }
  has_gone = has_gone || next < known;
  if (has_gone) {
    tracks_.erase(
        std::remove_if(tracks_.begin(), tracks_.begin() + static_cast<std::ptrdiff_t>(known),
                       [&](const EntityTrack& track) {
                         const auto found =
                             std::lower_bound(world_.begin(), world_.end(), track.id,
                                              [](const EntityState& state, std::uint32_t id) {
                                                return state.id < id;
                                              });
                         const bool lives = found != world_.end() && found->id == track.id;
                         return !lives && track.is_forgotten();
                       }),
        tracks_.begin() + static_cast<std::ptrdiff_t>(known));
  }
  if (has_new) {
    std::sort(tracks_.begin(), tracks_.end(),
              [](const EntityTrack& a, const EntityTrack& b) { return a.id < b.id; });
  }
}

SnapshotHead SnapshotWriter::next_head() const {
  SnapshotHead head{.number = next_number_, .tick = tick_, .references = {}};
  for (std::uint16_t age = 1; age < kSnapshotWindow; ++age) {
    const auto number = static_cast<SnapshotNumber>(next_number_ - age);
    const Sent& sent = sent_[place_of(number)];
    if (!sent.is_used || sent.number != number || !sent.is_acknowledged) continue;
    head.references.numbers[head.references.count++] = number;
    if (head.references.count == kMaxReferences) break;
  }
  head.is_part = next_id_ != 0;
  head.first_id = next_id_;
  return head;
}

std::uint32_t SnapshotWriter::expected(const SnapshotHead& head) const {
  const auto tick = [&](std::size_t i) { return sent_[place_of(head.references.numbers[i])].tick; };
  return expected_tick(head.number, head.references, head.references.count > 0 ? tick(0) : 0,
                       head.references.count > 1 ? tick(1) : 0);
}

std::span<const std::byte> SnapshotWriter::write(std::span<std::byte> out) {
  if (is_done_) return {};
  SnapshotHead head = next_head();
  list_world(head);
  // What stands between two entities is seldom long; when it is, more room is left for it.
  for (std::size_t room = kEndBytes; 2 * room < out.size(); room += kEndBytes) {
    Encoder encoder{.range = RangeEncoder(out),
                    .probabilities = model_.probabilities.data(),
                    .limit = out.size() - room};
    code_even(encoder, head.number, kNumberBits);
    code_references(encoder, head.number, head.references);
    if (head.references.count == 0) code_whole_number(encoder, head.number);
    code_tick(encoder, head.tick, expected(head));
    code_range(encoder, head);
    write_body(encoder, head);
    const std::span<const std::byte> bytes = encoder.range.finish();
    if (encoder.range.overflowed()) continue;
    if (!says_anything()) return {};
    remember(head);
    return bytes;
  }
  return {};
}

/// False when not even the first entity found room.
bool SnapshotWriter::says_anything() const {
  return end_id_ == kEveryId || new_written_ > 0 ||
         (!listed_.empty() && listed_.front().track->id < end_id_);
}

/// Sorts the world into what the receiver knows and what is new to it.
void SnapshotWriter::list_world(SnapshotHead& head) {
  listed_.clear();
  new_.clear();
  known_.clear();
  std::size_t next = 0;
  for (EntityTrack& track : tracks_) {
    while (next < world_.size() && world_[next].id < track.id) ++next;
    const EntityState* state =
        next < world_.size() && world_[next].id == track.id ? &world_[next] : nullptr;
    const KnownEntity& known = known_.emplace_back(known_entity(track, head.references, tick_));
    const bool is_known = known.states.count > 0;
    const bool is_same = state != nullptr && is_known && state->kind == known.kind;
    if (is_known && track.id >= head.first_id) {
      listed_.push_back(listed_of(track, is_same ? state : nullptr, known));
      head.holds = head.holds || listed_.back().is_held;
    }
    if (state == nullptr || is_same || state->id < head.first_id || track.is_told) continue;
    if (state->is_held) {
      head.holds = true;  // An earlier snapshot may have shown it.
    } else {
      new_.push_back(state);
    }
  }
}

SnapshotWriter::Listed SnapshotWriter::listed_of(EntityTrack& track, const EntityState* state,
                                                 const KnownEntity& known) const {
  Listed listed{.track = &track, .state = state, .known = known};
  const std::size_t lanes = model_.types[known.kind.type].lanes.size();
  const LaneValue* newest = known.states.values[0];
  listed.is_quiet = is_quiet(known.states, lanes);
  listed.is_changed = state == nullptr || (state->values != newest &&
                                           !std::equal(newest, newest + lanes, state->values));
  listed.is_held = state != nullptr && state->is_held && listed.is_changed;
  return listed;
}

/// Writes groups of known entities, and before each the new ones whose ids are not above its last.
void SnapshotWriter::write_body(Encoder& encoder, const SnapshotHead& head) {
  follows_changed_ = false;
  end_id_ = kEveryId;
  new_written_ = 0;
  std::uint32_t least_id = head.first_id;
  std::span<const Listed> rest(listed_);
  while (true) {
    const auto group = rest.first(std::min(kGroupSize, rest.size()));
    rest = rest.subspan(group.size());
    const std::uint32_t last_id = group.empty() ? kEveryId - 1 : group.back().track->id;
    if (!write_new(encoder, least_id, last_id)) {
      if (!group.empty()) end_id_ = std::min(end_id_, group.front().track->id);
      return;
    }
    if (group.empty() || !write_group(encoder, head, group)) return;
    least_id = std::max(least_id, last_id + 1);
  }
}

/// Returns false when the datagram ends here.
bool SnapshotWriter::write_new(Encoder& encoder, std::uint32_t& least_id, std::uint32_t last_id) {
  while (new_written_ < new_.size() && new_[new_written_]->id <= last_id) {
    const EntityState& state = *new_[new_written_];
    encoder.bit(slots::kAnotherNew, true);
    code_gap(encoder, state.id - least_id + 1);
    const Encoder before = encoder;
    encoder.bit(slots::kEnds, false);
    write_new_entity(encoder, state);
    if (encoder.is_full()) {
      encoder = before;
      encoder.bit(slots::kEnds, true);
      end_id_ = state.id;
      return false;
    }
    least_id = state.id + 1;
    ++new_written_;
  }
  encoder.bit(slots::kAnotherNew, false);
  return true;
}

/// Returns false when the datagram ends here.
bool SnapshotWriter::write_group(Encoder& encoder, const SnapshotHead& head,
                                 std::span<const Listed> group) {
  if (std::all_of(group.begin(), group.end(), [](const Listed& l) { return l.is_quiet; })) {
    // Only a group that wakes can end the datagram.
    const bool wakes =
        encoder.is_full() ||
        std::any_of(group.begin(), group.end(), [](const Listed& l) { return l.is_changed; });
    if (!encoder.bit(slots::kGroupWakes, wakes)) {
      follows_changed_ = false;
      return true;
    }
  }
  for (const Listed& listed : group) {
    const Encoder before = encoder;
    encoder.bit(slots::kEnds, false);
    write_entity(encoder, head, listed);
    if (!encoder.is_full()) continue;
    encoder = before;
    encoder.bit(slots::kEnds, true);
    end_id_ = listed.track->id;
    return false;
  }
  return true;
}

void SnapshotWriter::write_entity(Encoder& encoder, const SnapshotHead& head,
                                  const Listed& listed) {
  const TypeModel& type = model_.types[listed.known.kind.type];
  const bool is_said = listed.is_changed && !listed.is_held;
  encoder.bit(changed_slot(type, listed.known.states, follows_changed_), is_said);
  follows_changed_ = is_said;
  if (!is_said) {
    if (head.holds) encoder.bit(slots::kHeld, listed.is_held);
    return;
  }
  if (encoder.bit(slots::kGone, listed.state == nullptr)) return;
  values_.assign(listed.state->values, listed.state->values + type.lanes.size());
  EntityCode<Encoder> code(encoder, type, scratch_);
  code.code_update(listed.known.states, values_);
}

void SnapshotWriter::write_new_entity(Encoder& encoder, const EntityState& state) {
  const TypeModel& type = model_.types[state.kind.type];
  EntityKind kind = state.kind;
  code_kind(encoder, kind, model_.types.size());
  values_.assign(state.values, state.values + type.lanes.size());
  EntityCode<Encoder> code(encoder, type, scratch_);
  code.code_new(values_);
}

/// Notes what the receiver will know of every entity once it has this snapshot.
void SnapshotWriter::remember(const SnapshotHead& head) {
  const std::size_t place = place_of(head.number);
  // Entities before and behind this part, and those held, stay as they are known.
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    EntityTrack& track = tracks_[i];
    const KnownEntity& known = known_[i];
    track.standings[place] = Standing::unknown;
    if (known.states.count == 0) continue;
    track.set(place, known.states.ticks[0], known.kind, known.states.values[0]);
  }
  for (const Listed& listed : listed_) {
    EntityTrack& track = *listed.track;
    if (track.id >= end_id_) break;
    if (listed.state == nullptr) {
      track.set_gone(place, tick_);
    } else if (!listed.is_held) {
      track.set(place, tick_, listed.known.kind, listed.state->values);
    }
  }
  for (std::size_t i = 0; i < new_written_; ++i) {
    const auto track =
        std::lower_bound(tracks_.begin(), tracks_.end(), new_[i]->id,
                         [](const EntityTrack& left, std::uint32_t id) { return left.id < id; });
    track->set(place, tick_, new_[i]->kind, new_[i]->values);
    track->is_told = true;
  }
  is_done_ = end_id_ == kEveryId;
  next_id_ = end_id_;
  sent_[place] =
      Sent{.number = head.number, .is_acknowledged = false, .is_used = true, .tick = tick_};
  next_number_ = static_cast<SnapshotNumber>(next_number_ + 1);
}

std::size_t SnapshotWriter::changed_count() const {
  return static_cast<std::size_t>(std::count_if(
      listed_.begin(), listed_.end(), [](const Listed& listed) { return listed.is_changed; }));
}

std::size_t SnapshotWriter::memory_bytes() const {
  return sizeof(*this) + tracks_.capacity() * sizeof(EntityTrack) +
         known_.capacity() * sizeof(KnownEntity) + listed_.capacity() * sizeof(Listed) +
         new_.capacity() * sizeof(void*) + scratch_.news.capacity() * sizeof(LaneNews) +
         values_.capacity() * sizeof(LaneValue);
}

}  // namespace muster
