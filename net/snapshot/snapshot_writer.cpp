// A snapshot is written entity by entity. When an entity does not fit, the coder returns to the
// position before that entity and ends the datagram. The remaining entities are deferred: the
// receiver keeps their state until a later part or tick.
#include "net/snapshot/snapshot_writer.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <optional>

#include "net/snapshot/snapshot_coder.h"

namespace muster {
namespace {

/// Room for the end of a snapshot: one decision, and the bytes that the coder holds back.
constexpr std::size_t kEndBytes = 6;

/// An age in snapshots. An older snapshot is a reference only if its age exceeds the newest
/// reference's age by less than `kSpanMin`. The receiver may no longer have the older snapshot,
/// because newer snapshots may arrive first.
constexpr std::uint32_t kOldestReference = kSnapshotWindow - 17;
constexpr std::uint32_t kSpanMin = 4;

/// An age in ticks. At most one snapshot of this age or older stays a reference. The values of this
/// snapshot are copied at this age, before the owner of the world drops them.
constexpr std::uint32_t kPastAge = 192;
/// Each sweep over all entities takes this many ticks. Each tick visits a share of the entities.
constexpr std::uint32_t kSweepTicks = 20;
/// The maximum delay of a sweep's end, in ticks, when calls of `keep` are several ticks apart. A
/// game server runs up to 8 ticks between two calls.
constexpr std::uint32_t kCallTicksMax = 8;
/// A sweep must end within this many ticks of the start of the previous sweep, because its last
/// entity may have been the first entity of the previous sweep.
constexpr std::uint32_t kTwoSweepsMax = kPastTicksMax - kPastAge;
static_assert(2 * (kSweepTicks + kCallTicksMax) <= kTwoSweepsMax);

/// The first age that is too old for a reference if the newest reference has the age `newest`.
std::uint32_t first_too_old(std::uint32_t newest) {
  const std::uint32_t minimum = std::min(newest + kSpanMin, std::uint32_t{kSnapshotWindow});
  return std::max(minimum, std::min(references_end(newest), kOldestReference + 1));
}

}  // namespace

void SnapshotWriter::begin(Tick tick, std::span<const EntityState> world) {
  assert(std::is_sorted(world.begin(), world.end(),
                        [](const EntityState& a, const EntityState& b) { return a.id < b.id; }));
  tick_ = tick;
  next_id_ = {};
  is_done_ = false;
  followed_.apply(tick, world, next_);
}

void SnapshotWriter::begin(Tick tick, std::span<const EntityState> world,
                           std::span<const std::uint32_t> changed) {
  tick_ = tick;
  next_id_ = {};
  is_done_ = false;
  followed_.apply_changes(tick, world, changed, next_);
}

void SnapshotWriter::acknowledge(SnapshotNumber number) {
  Sent& sent = sent_[window_index(number)];
  if (sent.is_used && static_cast<SnapshotNumber>(sent.serial) == number) {
    sent.is_acknowledged = true;
  }
}

void SnapshotWriter::disown(SnapshotNumber number) {
  Sent& sent = sent_[window_index(number)];
  if (!sent.is_used || static_cast<SnapshotNumber>(sent.serial) != number) return;
  sent.is_used = false;
  for (SnapshotSerial serial = sent.serial + 1; serial < next_; ++serial) {
    Sent& later = sent_[window_index(serial)];
    if (refers_to_disowned(later)) later.is_used = false;
  }
}

bool SnapshotWriter::refers_to_disowned(const Sent& sent) const {
  for (std::uint64_t ages = sent.reference_ages; ages != 0; ages &= ages - 1) {
    const SnapshotSerial serial = sent.serial - 1 - static_cast<unsigned>(std::countr_zero(ages));
    const Sent& reference = sent_[window_index(serial)];
    if (reference.serial == serial && !reference.is_used) return true;
  }
  return false;
}

bool SnapshotWriter::is_reference(SnapshotSerial serial) const {
  const Sent& sent = sent_[window_index(serial)];
  return sent.is_used && !sent.is_past && sent.is_acknowledged && sent.serial == serial;
}

std::size_t SnapshotWriter::unacknowledged_count() const {
  for (std::uint32_t age = 1; age < kSnapshotWindow; ++age) {
    if (is_reference(next_ - age)) return age - 1;
  }
  return kSnapshotWindow;
}

void SnapshotWriter::keep(Tick tick) {
  if (tick - sweep_before_ > kTwoSweepsMax) {
    forget_acknowledged();
    followed_.forget();
  }
  // The values of an idle entity are stored only in the world, and only `begin` notices when they
  // change.
  if (tick - tick_ >= kPastAge && followed_.idle_count() > 0) followed_.activate_all();
  mark_past(tick);
  const std::uint32_t elapsed = tick - sweep_began_;
  if (elapsed >= kSweepTicks) {
    keep_share(tick, {.due = 1, .left = 1});
    followed_.begin_keep();
    // After a long time between two calls, the whole sweep is done at once.
    const bool is_late = elapsed > kSweepTicks + kCallTicksMax;
    sweep_before_ = is_late ? tick : sweep_began_;
    sweep_began_ = tick;
    swept_ticks_ = 0;
    if (is_late) keep_share(tick, {.due = 1, .left = 1});
  }
  // A call also does the shares of the ticks without a call. So the work of a call depends only on
  // the ticks since the last call.
  const std::uint32_t swept_ticks = tick - sweep_began_ + 1;
  keep_share(tick, {.due = swept_ticks - swept_ticks_, .left = kSweepTicks - swept_ticks_});
  swept_ticks_ = swept_ticks;
}

/// Marks old snapshots as past. The newest acknowledged snapshot among them stays a reference until
/// a younger snapshot becomes old.
void SnapshotWriter::mark_past(Tick tick) {
  if (tick.value() < kPastAge) return;
  SnapshotSerial newest = next_;
  for (std::uint32_t age = 1; age < kSnapshotWindow && newest == next_; ++age) {
    if (is_reference(next_ - age)) newest = next_ - age;
  }
  // The oldest snapshot has left the window, but its entry exists until the next snapshot.
  for (std::uint32_t age = 1; age <= kSnapshotWindow; ++age) {
    const SnapshotSerial serial = next_ - age;
    Sent& sent = sent_[window_index(serial)];
    const bool is_old = ticks_[window_index(serial)] <= tick - kPastAge;
    if (sent.serial == serial && serial != newest && is_old) sent.is_past = true;
  }
}

void SnapshotWriter::keep_share(Tick tick, SweepShare share) {
  followed_.keep(tick - kPastAge, ticks_, share, [&](const TrackRecord& record, std::size_t at) {
    const Sent& sent = sent_[at];
    return sent.is_used && !sent.is_past && record.is_of(sent.serial);
  });
}

SnapshotHead SnapshotWriter::next_head() const {
  SnapshotHead head{.number = static_cast<SnapshotNumber>(next_), .tick = tick_, .references = {}};
  std::uint32_t end = kSnapshotWindow;
  for (std::uint32_t age = 1; age < end; ++age) {
    const SnapshotSerial serial = next_ - age;
    if (!is_reference(serial)) continue;
    if (head.references.count == 0) end = first_too_old(age);
    head.references.numbers[head.references.count++] = static_cast<SnapshotNumber>(serial);
    if (head.references.count == kMaxReferences) break;
  }
  head.is_part = next_id_ != SliceId{};
  head.first_id = next_id_;
  return head;
}

Tick SnapshotWriter::expected(const SnapshotHead& head) const {
  const auto tick = [&](std::size_t i) { return ticks_[window_index(head.references.numbers[i])]; };
  return expected_tick(head.number, head.references, head.references.count > 0 ? tick(0) : Tick(),
                       head.references.count > 1 ? tick(1) : Tick());
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
  unfit_id_ = kEveryId;
  if (is_done_) return {};
  SnapshotHead head = next_head();
  references_ = reference_states(head.references, next_, ticks_, tick_);
  followed_.list(head, references_);
  limit_rank_ = kNoLimit;
  limit_id_ = kEveryId;
  has_limit_failed_ = false;
  // For coders that need a bit for each decision, first tries whether the whole world fits.
  head.is_cut = !PlainCoder<Encoder>;
  // If the data between two entities is unusually long, another attempt reserves more room for this
  // data.
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
    if (limit_part()) continue;
    room += kEndBytes;
    const std::span<const std::byte> bytes = encoder.finish();
    if (encoder.overflowed()) continue;
    if (!has_content()) return {};
    remember(head);
    return bytes;
  }
  return {};
}

/// Returns false if the snapshot contains nothing, because the first entity does not fit.
bool SnapshotWriter::has_content() const {
  return end_id_ == kEveryId || new_written_ > 0 || rank_ > 0;
}

/// A part may be full of new entities before it reaches its first known entity. The next parts
/// could then repeat these entities forever. So such a part is written again with a limit: a known
/// entity that the part can reach. Returns false if the part needs no limit.
bool SnapshotWriter::limit_part() {
  const bool is_stuck = rank_ == 0 && end_id_ != kEveryId && !has_limit_failed_;
  if (!is_stuck) return false;
  const auto entities = followed_.listed_new();
  const SliceId last_new = new_written_ > 0 ? entities[new_written_ - 1].state->id : SliceId{};
  if (new_written_ > 0 && last_new < end_id_) return false;
  if (new_written_ == 0 && limit_rank_ == kNoLimit) return false;
  const SliceId bound = std::max(unfit_id_, last_new);
  const std::size_t count = std::min({followed_.known_count(), kGroupSize, limit_rank_});
  limit_rank_ = kNoLimit;
  limit_id_ = kEveryId;
  followed_.rewind();
  for (std::size_t rank = 1; rank < count; ++rank) {
    const SliceId id = followed_.track_of_rank(rank).id;
    if (id > bound) break;
    limit_rank_ = rank;
    limit_id_ = id;
  }
  has_limit_failed_ = limit_rank_ == kNoLimit;
  return true;
}

/// Writes the known entities in groups. Before each group, writes its new entities.
template <typename Encoder>
void SnapshotWriter::write_body(Encoder& encoder, const SnapshotHead& head) {
  rank_ = 0;
  next_listed_ = 0;
  constant_passed_ = 0;
  next_changed_ = 0;
  new_written_ = 0;
  has_new_here_ = false;
  new_generation_ = 0;
  follows_changed_ = false;
  end_id_ = kEveryId;
  constant_walk_ = ConstantWalk(followed_.constant_count());
  deferred_ = DeferredCode(head.deferred_share);
  cost_ = {};
  followed_.rewind();
  const std::size_t count = followed_.known_count();
  SliceId id_min = head.first_id;
  std::size_t boundary = 0;
  while (true) {
    if (rank_ == boundary) {
      if (!write_new_of_group(encoder, head, id_min)) return;
      boundary = next_boundary();
    }
    if (rank_ == count) return;
    const auto listed = followed_.listed();
    const std::size_t active = next_listed_ < listed.size() ? listed[next_listed_].rank : count;
    const bool goes_on = active == rank_
                             ? write_listed(encoder, head)
                             : write_idle(encoder, head, std::min(active, boundary) - rank_);
    if (!goes_on) return;
  }
}

/// The number of known entities up to the next position at which new entities are written.
std::size_t SnapshotWriter::next_boundary() const {
  const std::size_t step = has_new_here_ ? kGroupSize : kBlockSize;
  return std::min((rank_ / step + 1) * step, std::max(followed_.known_count(), rank_ + 1));
}

std::size_t SnapshotWriter::group_of(const ListedNew& entity) const {
  const std::size_t count = followed_.known_count();
  return entity.rank < count ? entity.rank / kGroupSize : muster::group_of(count);
}

/// Writes the new entities of the group that begins here. Returns false when the datagram ends.
template <typename Encoder>
bool SnapshotWriter::write_new_of_group(Encoder& encoder, const SnapshotHead& head,
                                        SliceId& id_min) {
  const std::size_t count = followed_.known_count();
  const std::size_t group = muster::group_of(rank_);
  const auto entities = followed_.listed_new();
  const auto has_new = [&](std::size_t groups) {
    return new_written_ < entities.size() && entities[new_written_].state->id < limit_id_ &&
           group_of(entities[new_written_]) < group + groups;
  };
  if (begins_block(rank_)) {
    has_new_here_ = !is_block(count - rank_) || encoder.bit(slots::kAnyNew, has_new(kBlockGroups));
  }
  if (!has_new_here_) return true;
  if (has_new(1) && rank_ > 0) {
    id_min = std::max(id_min, id_after(followed_.track_of_rank(rank_ - 1).id));
  }
  while (has_new(1)) {
    const EntityState& state = *entities[new_written_].state;
    encoder.bit(slots::kAnotherNew, true);
    code_gap(encoder, codec_id(state.id) - codec_id(id_min) + 1);
    const Encoder before = encoder;
    code_end(encoder, head, false);
    const double begin = encoder.bit_count();
    write_new_entity(encoder, state);
    if (encoder.is_full()) {
      encoder = before;
      code_end(encoder, head, true);
      end_id_ = rank_ < count ? std::min(state.id, followed_.track_of_rank(rank_).id) : state.id;
      unfit_id_ = state.id;
      return false;
    }
    cost_.new_bits += encoder.bit_count() - begin;
    id_min = id_after(state.id);
    ++new_written_;
  }
  encoder.bit(slots::kAnotherNew, false);
  return true;
}

/// The input of decisions about the next constant entities.
struct SnapshotWriter::ConstantView {
  const SnapshotWriter& writer;
  bool is_full;

  /// The datagram can end only at an entity that is coded separately.
  bool changes(std::size_t count) const {
    const auto changed = writer.followed_.changed_constant();
    if (is_full || writer.limit_rank_ != kNoLimit) return true;
    return (writer.next_changed_ < changed.size() &&
            changed[writer.next_changed_] < writer.constant_passed_ + count);
  }
  std::size_t others(std::size_t count) const {
    std::size_t others = 0;
    for (const ListedEntity& entity : writer.followed_.listed().subspan(writer.next_listed_)) {
      if (entity.constant_rank >= writer.constant_passed_ + count) break;
      if (!entity.is_constant && ++others > kGroupSize) break;
    }
    return others;
  }
};

template <typename Encoder>
bool SnapshotWriter::is_next_unchanged(Encoder& encoder) {
  return constant_walk_.unchanged(encoder,
                                  ConstantView{.writer = *this, .is_full = encoder.is_full()}) > 0;
}

void SnapshotWriter::pass_constant(std::size_t count) {
  constant_walk_.pass(count);
  constant_passed_ += count;
}

/// Writes an entity that is not idle. Returns false when the datagram ends here.
template <typename Encoder>
bool SnapshotWriter::write_listed(Encoder& encoder, const SnapshotHead& head) {
  const ListedEntity& listed = followed_.listed()[next_listed_];
  bool is_separate = true;
  if (listed.is_constant) {
    is_separate = !is_next_unchanged(encoder);
    pass_constant(1);
    if (listed.is_changed) ++next_changed_;
  }
  if (is_separate) {
    const Encoder before = encoder;
    code_end(encoder, head, false);
    const double begin = encoder.bit_count();
    write_entity(encoder, head, listed);
    if (encoder.is_full() || rank_ == limit_rank_) {
      encoder = before;
      code_end(encoder, head, true);
      end_id_ = followed_.track(listed.track_index).id;
      unfit_id_ = end_id_;
      return false;
    }
    if (listed.is_changed && !listed.is_deferred) cost_.update_bits += encoder.bit_count() - begin;
  } else {
    follows_changed_ = false;
  }
  ++next_listed_;
  ++rank_;
  return true;
}

/// Writes some of the next entities, which are idle. Returns false when the datagram ends here.
template <typename Encoder>
bool SnapshotWriter::write_idle(Encoder& encoder, const SnapshotHead& head, std::size_t count) {
  if (is_next_unchanged(encoder)) {
    const std::size_t unchanged = std::min(constant_walk_.unchanged_count(), count);
    pass_constant(unchanged);
    rank_ += unchanged;
    follows_changed_ = false;
    return true;
  }
  const EntityTrack& track = followed_.track_of_rank(rank_);
  const Encoder before = encoder;
  code_end(encoder, head, false);
  write_unchanged(encoder, head, followed_.idle_entity(track));
  if (encoder.is_full() || rank_ == limit_rank_) {
    encoder = before;
    code_end(encoder, head, true);
    end_id_ = track.id;
    unfit_id_ = end_id_;
    return false;
  }
  pass_constant(1);
  ++rank_;
  return true;
}

template <typename Encoder>
void SnapshotWriter::write_unchanged(Encoder& encoder, const SnapshotHead& head,
                                     const KnownEntity& known) {
  const TypeModel& type = model_.types[codec_index(known.kind.type)];
  if (head.defers) deferred_.code(encoder, true, known.states, false);
  follows_changed_ = code_changed(encoder, type, known.states, follows_changed_, false);
}

template <typename Encoder>
void SnapshotWriter::write_entity(Encoder& encoder, const SnapshotHead& head,
                                  const ListedEntity& listed) {
  std::optional<KnownEntity> unchanged;
  const bool is_unchanged = listed.known == ListedEntity::kUnchanged;
  if (is_unchanged) unchanged = unchanged_entity(followed_.track(listed.track_index), references_);
  const KnownEntity& known = is_unchanged ? *unchanged : followed_.known()[listed.known];
  const TypeModel& type = model_.types[codec_index(known.kind.type)];
  if (head.defers && deferred_.code(encoder, listed.is_constant, known.states, listed.is_deferred))
    return;
  follows_changed_ = code_changed(encoder, type, known.states, follows_changed_, listed.is_changed);
  if (!listed.is_changed) return;
  if (encoder.bit(slots::kGone, listed.state == nullptr)) return;
  values_.assign(listed.state->values, listed.state->values + type.lanes.size());
  code_entity_update(encoder, type, scratch_, known.states, values_);
}

template <typename Encoder>
void SnapshotWriter::write_new_entity(Encoder& encoder, const EntityState& state) {
  const TypeModel& type = model_.types[codec_index(state.kind.type)];
  EntityKind kind = state.kind;
  code_kind(encoder, kind, model_.types.size(), new_generation_);
  new_generation_ = kind.generation;
  values_.assign(state.values, state.values + type.lanes.size());
  code_new_entity(encoder, type, scratch_, values_);
}

void SnapshotWriter::remember(const SnapshotHead& head) {
  // If a part has only new entities, the next part must not contain them again, because this could
  // continue forever.
  followed_.remember({.first_id = head.first_id,
                      .end_id = end_id_,
                      .new_written = new_written_,
                      .is_listed_again = rank_ > 0},
                     next_);
  is_done_ = end_id_ == kEveryId;
  keeps_unknown_ = head.keeps_unknown;
  next_id_ = end_id_;
  const std::size_t index = window_index(next_);
  ticks_[index] = tick_;
  Sent& sent = sent_[index];
  sent = {.serial = next_, .is_acknowledged = false, .is_used = true, .is_past = false};
  for (std::size_t i = 0; i < head.references.count; ++i) {
    const auto age = static_cast<SnapshotNumber>(head.number - head.references.numbers[i]);
    sent.reference_ages |= std::uint64_t{1} << (age - 1U);
  }
  ++next_;
}

std::size_t SnapshotWriter::changed_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(followed_.listed(), &ListedEntity::is_changed));
}

std::size_t SnapshotWriter::memory_bytes() const {
  return sizeof(*this) + followed_.memory_bytes() + scratch_.memory_bytes() +
         values_.capacity() * sizeof(LaneValue);
}

}  // namespace muster
