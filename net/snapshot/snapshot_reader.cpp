// A snapshot is decoded whole before anything of it is believed: the changes are gathered first and
// done at the end, so that damage half way through leaves the world as it was.
#include "net/snapshot/snapshot_reader.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

constexpr int kWindow = kSnapshotWindow;

}  // namespace

SnapshotReader::SnapshotReader(const SnapshotModel& model, std::size_t entity_max)
    : model_(model), entity_max_(entity_max) {
  for (const TypeModel& type : model.types) row_lanes_ = std::max(row_lanes_, type.lanes.size());
}

struct SnapshotReader::Decoder {
  static constexpr bool kDecodes = true;
  RangeDecoder range;
  const BitProbability* probabilities;

  bool bit(std::uint32_t slot, bool /*value*/) { return range.decode(probabilities[slot]); }
  bool even_bit(bool /*value*/) { return range.decode(BitProbability{1U << 15}); }
};

SnapshotVerdict SnapshotReader::read(std::span<const std::byte> bytes) {
  Decoder decoder{.range = RangeDecoder(bytes), .probabilities = model_.probabilities.data()};
  SnapshotHead head;
  if (!read_head(decoder, head)) return SnapshotVerdict::malformed;
  const int ahead = has_any_ ? static_cast<std::int16_t>(head.number - newest_) : 1;
  const bool is_here = received_[place_of(head.number)].is_used && ahead > -kWindow && ahead <= 0;
  if (is_here || ahead <= -kWindow) return SnapshotVerdict::late;
  if (!has_references(head)) return SnapshotVerdict::unknown;
  code_tick(decoder, head.tick,
            expected_tick(head.number, head.references,
                          received_[place_of(head.references.numbers[0])].tick,
                          received_[place_of(head.references.numbers[1])].tick));
  code_range(decoder, head);
  const auto later = static_cast<std::int32_t>(head.tick - tick_);
  if (has_any_ && (ahead > 0 ? later < 0 : later > 0)) return SnapshotVerdict::malformed;
  changes_.clear();
  new_.clear();
  values_.clear();
  if (!read_body(decoder, head)) return SnapshotVerdict::malformed;
  if (!decoder.range.is_finished() || slots_.size() + new_.size() > entity_max_) {
    return SnapshotVerdict::malformed;
  }
  if (ahead > 0) {
    forget(head.number);
    newest_ = head.number;
    tick_ = head.tick;
    has_any_ = true;
  }
  apply(head);
  return SnapshotVerdict::applied;
}

bool SnapshotReader::read_head(Decoder& decoder, SnapshotHead& head) const {
  const std::uint32_t low = code_even(decoder, 0, kNumberBits);
  // The number nearest to the newest one that ends in these bits.
  const auto ahead = static_cast<std::uint8_t>(low - newest_);
  head.number = static_cast<SnapshotNumber>(
      newest_ + (has_any_ ? static_cast<std::int8_t>(ahead) : static_cast<int>(low)));
  code_references(decoder, head.number, head.references);
  if (head.references.count == 0) code_whole_number(decoder, head.number);
  return !decoder.range.failed();
}

bool SnapshotReader::has_references(const SnapshotHead& head) const {
  return std::all_of(
      head.references.numbers.begin(),
      head.references.numbers.begin() + static_cast<std::ptrdiff_t>(head.references.count),
      [&](SnapshotNumber number) {
        const Received& received = received_[place_of(number)];
        return received.is_used && received.number == number;
      });
}

bool SnapshotReader::read_body(Decoder& decoder, const SnapshotHead& head) {
  follows_changed_ = false;
  end_id_ = kEveryId;
  std::size_t next = 0;
  std::uint64_t least_id = head.first_id;
  while (true) {
    Group group;
    for (; next < slots_.size() && group.count < kGroupSize; ++next) {
      if (slots_[next].track.id < head.first_id) continue;
      const KnownEntity known = known_entity(slots_[next].track, head.references, head.tick);
      if (known.states.count > 0) group.entities[group.count++] = {.slot = next, .known = known};
    }
    const bool is_last = group.count == 0;
    const auto id_of = [&](std::size_t i) { return slots_[group.entities[i].slot].track.id; };
    const std::uint32_t last_id = is_last ? kEveryId - 1 : id_of(group.count - 1);
    if (!read_new(decoder, least_id, last_id)) return false;
    if (end_id_ != kEveryId) {
      if (!is_last) end_id_ = std::min(end_id_, id_of(0));
      return true;
    }
    if (is_last) return true;
    if (!read_group(decoder, head, group)) return false;
    if (end_id_ != kEveryId) return true;
    least_id = std::max<std::uint64_t>(least_id, std::uint64_t{last_id} + 1);
  }
}

bool SnapshotReader::read_group(Decoder& decoder, const SnapshotHead& head, const Group& group) {
  const auto entities = std::span(group.entities).first(group.count);
  const bool rests = std::all_of(entities.begin(), entities.end(), [&](const Group::Entity& e) {
    return is_quiet(e.known.states, model_.types[e.known.kind.type].lanes.size());
  });
  if (rests && !decoder.bit(slots::kGroupWakes, false)) {
    follows_changed_ = false;
    for (const Group::Entity& entity : entities) {
      changes_.push_back({.what = Change::Kind::same, .slot = entity.slot, .kind = {}});
    }
    return !decoder.range.failed();
  }
  for (const Group::Entity& entity : entities) {
    if (decoder.bit(slots::kEnds, false)) {
      end_id_ = slots_[entity.slot].track.id;
      return !decoder.range.failed();
    }
    if (!read_entity(decoder, head, entity.slot, entity.known)) return false;
  }
  return !decoder.range.failed();
}

bool SnapshotReader::read_entity(Decoder& decoder, const SnapshotHead& head, std::size_t slot,
                                 const KnownEntity& known) {
  Change change{
      .what = Change::Kind::same, .slot = slot, .kind = known.kind, .first_value = values_.size()};
  const TypeModel& type = model_.types[change.kind.type];
  follows_changed_ = decoder.bit(changed_slot(type, known.states, follows_changed_), false);
  if (!follows_changed_) {
    if (head.holds && decoder.bit(slots::kHeld, false)) change.what = Change::Kind::held;
  } else if (decoder.bit(slots::kGone, false)) {
    change.what = Change::Kind::gone;
  } else {
    change.what = Change::Kind::says;
    const LaneValue* newest = known.states.values[0];
    values_.insert(values_.end(), newest, newest + type.lanes.size());
    EntityCode<Decoder> code(decoder, type, scratch_);
    if (!code.code_update(known.states, std::span(values_).subspan(change.first_value)))
      return false;
  }
  changes_.push_back(change);
  return !decoder.range.failed();
}

bool SnapshotReader::read_new(Decoder& decoder, std::uint64_t& least_id, std::uint32_t last_id) {
  while (decoder.bit(slots::kAnotherNew, false)) {
    if (decoder.range.failed() || new_.size() == entity_max_) return false;
    const std::uint64_t id = least_id + code_gap(decoder, 1) - 1;
    if (id > last_id) return false;
    if (decoder.bit(slots::kEnds, false)) {
      end_id_ = static_cast<std::uint32_t>(id);
      return !decoder.range.failed();
    }
    least_id = id + 1;
    NewEntity entity{
        .id = static_cast<std::uint32_t>(id), .kind = {}, .first_value = values_.size()};
    code_kind(decoder, entity.kind, model_.types.size());
    if (entity.kind.type >= model_.types.size()) return false;
    const TypeModel& type = model_.types[entity.kind.type];
    values_.resize(values_.size() + type.lanes.size());
    EntityCode<Decoder> code(decoder, type, scratch_);
    if (!code.code_new(std::span(values_).subspan(entity.first_value))) return false;
    new_.push_back(entity);
  }
  return !decoder.range.failed();
}

SnapshotReader::Slot& SnapshotReader::slot_of(std::uint32_t id) {
  const auto found = std::lower_bound(
      slots_.begin(), slots_.end(), id,
      [](const Slot& slot, std::uint32_t wanted) { return slot.track.id < wanted; });
  if (found != slots_.end() && found->track.id == id) return *found;
  Slot slot;
  slot.track.id = id;
  slot.rows.resize(row_lanes_ * (kSnapshotWindow + 1));
  return *slots_.insert(found, std::move(slot));
}

void SnapshotReader::set(Slot& slot, std::size_t place, const LaneValue* values, std::uint32_t tick,
                         EntityKind kind) {
  LaneValue* row = slot.rows.data() + place * row_lanes_;
  std::copy_n(values, model_.types[kind.type].lanes.size(), row);
  slot.track.set(place, tick, kind, row);
}

/// Makes what a snapshot says of an entity the newest that is known of it. What another part of the
/// tick showed is not gone: it is new, and this part speaks of the one before.
void SnapshotReader::show(Slot& slot, std::size_t place) {
  if (slot.track.standings[place] != Standing::there) {
    slot.is_there = slot.is_there && slot.tick == tick_;
    return;
  }
  slot.is_there = true;
  slot.tick = slot.track.ticks[place];
  slot.kind = slot.track.kinds[place];
  std::copy_n(slot.track.values[place], model_.types[slot.kind.type].lanes.size(),
              slot.rows.data() + kSnapshotWindow * row_lanes_);
}

/// Of an overtaken snapshot only what it leaves behind counts: the newer one has been shown. But
/// one of the newest tick is another part of it.
void SnapshotReader::apply(const SnapshotHead& head) {
  const std::size_t place = place_of(head.number);
  const bool is_shown = head.tick == tick_;
  // What is not mentioned stays as it was known.
  for (Slot& slot : slots_) {
    const KnownEntity known = known_entity(slot.track, head.references, head.tick);
    if (known.states.count == 0) continue;
    set(slot, place, known.states.values[0], known.states.ticks[0], known.kind);
  }
  for (const Change& change : changes_) {
    Slot& slot = slots_[change.slot];
    if (change.what == Change::Kind::gone) {
      slot.track.set_gone(place, head.tick);
    } else if (change.what == Change::Kind::same) {
      slot.track.ticks[place] = head.tick;
    } else if (change.what == Change::Kind::says) {
      set(slot, place, values_.data() + change.first_value, head.tick, change.kind);
    }
    if (is_shown && change.what != Change::Kind::held) show(slot, place);
  }
  for (const NewEntity& entity : new_) {
    Slot& slot = slot_of(entity.id);
    set(slot, place, values_.data() + entity.first_value, head.tick, entity.kind);
    if (is_shown) show(slot, place);
  }
  // Where a snapshot speaks, what it does not have is not there: also what never was acknowledged.
  // One that holds entities may hold such a one, too: that stays while anything is known of it.
  for (Slot& slot : slots_) {
    const bool is_spoken_of = slot.track.id >= head.first_id && slot.track.id < end_id_;
    if (!is_shown || !is_spoken_of || slot.track.standings[place] == Standing::there) continue;
    const bool is_new_to_sender = slot.track.standings[place] == Standing::unknown;
    if (head.holds && is_new_to_sender && !slot.track.is_forgotten()) continue;
    show(slot, place);
  }
  last_ = head.number;
  received_[place] = {.number = head.number, .is_used = true, .tick = head.tick};
  list_entities();
}

/// Empties the places of snapshots that never came, up to and with `number`, and drops entities of
/// which nothing is left.
void SnapshotReader::forget(SnapshotNumber number) {
  const auto steps = has_any_ ? std::min<std::size_t>(static_cast<SnapshotNumber>(number - newest_),
                                                      kSnapshotWindow)
                              : std::size_t{1};
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t place = place_of(static_cast<SnapshotNumber>(number - step));
    received_[place].is_used = false;
    for (Slot& slot : slots_) slot.track.standings[place] = Standing::unknown;
  }
}

void SnapshotReader::list_entities() {
  std::erase_if(slots_,
                [](const Slot& slot) { return !slot.is_there && slot.track.is_forgotten(); });
  entities_.clear();
  for (const Slot& slot : slots_) {
    if (!slot.is_there) continue;
    entities_.push_back({.id = slot.track.id,
                         .kind = slot.kind,
                         .tick = slot.tick,
                         .values = slot.rows.data() + kSnapshotWindow * row_lanes_});
  }
}

}  // namespace muster
