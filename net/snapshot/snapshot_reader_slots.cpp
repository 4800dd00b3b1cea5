// A reader's state of every entity, and the effect of a snapshot on it.
#include <algorithm>
#include <utility>

#include "net/snapshot/snapshot_reader.h"

namespace muster {
namespace {

/// Links that are no longer needed are dropped once in this many snapshots.
constexpr SnapshotSerial kLinkSweep = 16;

}  // namespace

const SnapshotReader::Slot* SnapshotReader::find_slot(SliceId id) const {
  const auto found =
      std::lower_bound(slots_.begin(), slots_.end(), id,
                       [](const Slot& slot, SliceId wanted) { return slot.track.id < wanted; });
  return found != slots_.end() && found->track.id == id ? &*found : nullptr;
}

/// Counts the memory of a new entity. Returns false if the memory then exceeds a limit. This
/// function can be called before the entity's values are read, because reading them needs little
/// memory.
bool SnapshotReader::claim(SliceId id, std::size_t lanes) {
  const Slot* slot = find_slot(id);
  if (slot == nullptr) {
    ++newcomers_;
    claimed_bytes_ += kSlotBytes;
  }
  if (slot == nullptr || slot->rows.lanes() < lanes) {
    claimed_bytes_ += StateRows::byte_count(lanes);
  }
  return slots_.size() + newcomers_ <= limits_.entity_max &&
         slot_bytes() + claimed_bytes_ <= limits_.memory_bytes_max;
}

/// Gives every new entity a slot with room for its values.
void SnapshotReader::add_slots() {
  if (slot_bytes() + rows_.spare_bytes() + claimed_bytes_ > limits_.memory_bytes_max) {
    rows_.drop_spare();
  }
  const std::size_t before = slots_.size();
  // The existing slots come first in `slots_`, sorted by id.
  std::size_t next = 0;
  for (const NewEntity& entity : new_) {
    while (next < before && slots_[next].track.id < entity.id) ++next;
    if (next == before || slots_[next].track.id != entity.id) {
      Slot& slot = slots_.emplace_back();
      slot.track.id = entity.id;
      slot.track.records_index = records_.allocate();
      make_room(slot, model_.types[codec_index(entity.kind.type)].lanes.size());
    } else {
      make_room(slots_[next], model_.types[codec_index(entity.kind.type)].lanes.size());
    }
  }
  if (slots_.size() == before) return;
  std::sort(slots_.begin(), slots_.end(),
            [](const Slot& a, const Slot& b) { return a.track.id < b.track.id; });
}

/// Makes longer rows for an id that now belongs to an entity of a larger type. The values of the
/// earlier entity's known states are copied to the new rows.
void SnapshotReader::make_room(Slot& slot, std::size_t lanes) {
  const std::size_t before = slot.rows.lanes();
  if (before >= lanes) return;
  StateRows rows = rows_.allocate(lanes);
  if (before > 0) {
    for (std::size_t i = 0; i <= StateRows::kNewest; ++i) {
      std::copy_n(slot.rows.row(i), before, rows.row(i));
    }
    const auto move = [&](const LaneValue*& values) {
      if (values != nullptr) values = rows.row(slot.rows.index_of_row(values));
    };
    move(slot.track.values);
    for (TrackRecord& record : records_[slot.track.records_index]) move(record.values);
    rows_.give_back(std::move(slot.rows));
  }
  slot.rows = std::move(rows);
}

/// Copies values into a snapshot's row.
const LaneValue* SnapshotReader::keep(Slot& slot, SnapshotSerial serial, EntityKind kind,
                                      const LaneValue* values) const {
  LaneValue* row = slot.rows.row(window_index(serial));
  if (row != values) std::copy_n(values, model_.types[codec_index(kind.type)].lanes.size(), row);
  return row;
}

/// The values of a run are in the row of its first snapshot. At the end of the run, they are copied
/// to the row of the run's last snapshot, because the window reuses the first row earlier.
void SnapshotReader::end_run_of(Slot& slot) {
  EntityTrack& track = slot.track;
  if (!track.has_run()) return;
  track.values = keep(slot, track.run_last, track.kind, track.values);
  end_run(track, records_[track.records_index], newest_);
}

TrackRecord SnapshotReader::run_of(const Slot& slot) const {
  return record_of(serial_, slot.track.kind, slot.track.values, 0, slot.track.stamp);
}

/// Records that the entity has these values in this snapshot.
TrackRecord SnapshotReader::record_values(Slot& slot, EntityKind kind, const LaneValue* values) {
  EntityTrack& track = slot.track;
  // The serial of a snapshot is unique, so equal stamps mean equal values.
  const StateStamp stamp = stamp_of_serial(serial_);
  if (is_overtaken_) {
    return set_apart(slot, record_of(serial_, kind, values, 0, stamp));
  }
  const std::size_t lanes = model_.types[codec_index(kind.type)].lanes.size();
  if (track.has_run() && track.kind == kind && std::equal(values, values + lanes, track.values)) {
    track.run_last = serial_;
    track.last = serial_;
    return run_of(slot);
  }
  end_run_of(slot);
  begin_run(track, serial_, kind, stamp, keep(slot, serial_, kind, values));
  return run_of(slot);
}

/// Records that the entity keeps its known state.
TrackRecord SnapshotReader::go_on(Slot& slot) {
  EntityTrack& track = slot.track;
  if (!is_overtaken_ && is_unchanged(track, references_)) {
    track.run_last = serial_;
    track.last = serial_;
    return run_of(slot);
  }
  const KnownEntity known = known_of(track);
  return record_values(slot, known.kind, known.states.values[0]);
}

/// Stores a record that is not part of a run.
TrackRecord SnapshotReader::set_apart(Slot& slot, const TrackRecord& record) {
  EntityTrack& track = slot.track;
  end_run_of(slot);
  TrackRecord& kept = records_[track.records_index][window_index(serial_)];
  kept = record;
  if (record.presence == Presence::unknown) return kept;
  track.last = std::max(track.last, serial_);
  if (record.presence == Presence::present) {
    kept.values = keep(slot, serial_, record.kind(), record.values);
  }
  return kept;
}

/// Shows a snapshot's state of an entity. If another part of the same tick showed the entity, it is
/// not removed: that entity is new, and the removal concerns the earlier entity with the same id.
void SnapshotReader::show(Slot& slot, const TrackRecord& record) {
  if (record.presence != Presence::present) {
    slot.is_there = slot.is_there && slot.tick == tick_;
    return;
  }
  const bool is_alike = slot.is_there && slot.kind == record.kind();
  const bool is_shown = is_alike && slot.shown_stamp == record.stamp;
  slot.is_there = true;
  slot.tick = read_tick_ - record.age;
  slot.kind = record.kind();
  slot.shown_stamp = record.stamp;
  if (is_shown) return;
  LaneValue* newest = slot.rows.row(StateRows::kNewest);
  const std::size_t lanes = model_.types[codec_index(slot.kind.type)].lanes.size();
  if (is_alike && std::equal(newest, newest + lanes, record.values)) return;
  std::copy_n(record.values, lanes, newest);
  slot.version = ++versions_;
}

/// Applies a snapshot to an entity, which the snapshot need not list. Returns the new record.
TrackRecord SnapshotReader::apply_change(Slot& slot, const Change* change) {
  TrackRecord record = record_of(serial_, {}, Presence::gone);
  record.stamp = stamp_of_serial(serial_);
  if (change != nullptr) {
    switch (change->what) {
      case Change::Kind::unchanged:
        return go_on(slot);
      case Change::Kind::update:
        if (change->baseline != nullptr) {
          links_.add(slot.track.links, change->kind, read_tick_, change->baseline_tick,
                     change->baseline);
        }
        return record_values(slot, change->kind, values_.data() + change->first_value);
      case Change::Kind::gone:
        return set_apart(slot, record);
      case Change::Kind::deferred:
        break;
    }
  }
  // An entity that is not listed keeps its known state.
  const bool is_found = change != nullptr && change->known != kUnchanged;
  const KnownEntity known = is_found ? known_[change->known] : known_of(slot.track);
  record = record_of(serial_, known.kind, known.states.values[0],
                     read_tick_ - known.states.ticks[0], stamp_of_serial(serial_));
  if (known.states.count == 0) record.presence = Presence::unknown;
  return set_apart(slot, record);
}

/// Removes an entity in the snapshot's range that the snapshot does not contain. This includes
/// entities that were never acknowledged, unless `head.keeps_unknown` is set.
void SnapshotReader::remove_unlisted(const SnapshotHead& head, Slot& slot, Presence presence) {
  const bool is_covered = slot.track.id >= head.first_id && slot.track.id < end_id_;
  if (!is_covered || presence == Presence::present) return;
  const bool is_new_to_sender = presence == Presence::unknown;
  if (head.keeps_unknown && is_new_to_sender) return;
  slot.is_there = slot.is_there && slot.tick == tick_;
}

/// An overtaken snapshot only adds records, because a newer snapshot was already shown. But an
/// overtaken snapshot of the newest tick is another part of that tick, and is shown.
void SnapshotReader::apply(const SnapshotHead& head) {
  const bool is_shown = head.tick == tick_;
  ticks_[window_index(serial_)] = head.tick;
  std::size_t next = 0;
  std::size_t next_new = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    const Change* change =
        next < changes_.size() && changes_[next].slot == i ? &changes_[next++] : nullptr;
    while (next_new < new_.size() && new_[next_new].id < slot.track.id) ++next_new;
    // An entity that was replaced by a new entity is handled below.
    if (next_new < new_.size() && new_[next_new].id == slot.track.id) continue;
    const TrackRecord record = apply_change(slot, change);
    if (!is_shown) continue;
    if (change != nullptr && change->what != Change::Kind::deferred) show(slot, record);
    remove_unlisted(head, slot, record.presence);
  }
  add_slots();
  std::size_t at = 0;
  for (const NewEntity& entity : new_) {
    while (slots_[at].track.id != entity.id) ++at;
    Slot& slot = slots_[at];
    const TrackRecord record =
        record_values(slot, entity.kind, values_.data() + entity.first_value);
    if (is_shown) show(slot, record);
  }
  last_ = serial_;
  received_[window_index(serial_)] = {.serial = serial_, .is_used = true};
  // Compares quotients, because a snapshot whose serial is a multiple of `kLinkSweep` may never
  // arrive.
  if (newest_ / kLinkSweep != swept_) drop_links();
  swept_ = newest_ / kLinkSweep;
  list_entities();
}

void SnapshotReader::drop_links() {
  for (Slot& slot : slots_) {
    links_.drop_unneeded(slot.track.links, slot.track, records_[slot.track.records_index], ticks_,
                         [&](const TrackRecord& record, std::size_t index) {
                           const Received& received = received_[index];
                           return received.is_used && record.is_of(received.serial);
                         });
  }
}

void SnapshotReader::list_entities() {
  const auto is_over = [&](const Slot& slot) {
    return !slot.is_there && slot.track.is_forgotten(newest_);
  };
  for (Slot& slot : slots_) {
    if (!is_over(slot)) continue;
    records_.give_back(slot.track.records_index);
    links_.drop(slot.track.links);
    if (slot.rows.lanes() > 0) rows_.give_back(std::move(slot.rows));
  }
  std::erase_if(slots_, is_over);
  entities_.clear();
  for (const Slot& slot : slots_) {
    if (!slot.is_there) continue;
    entities_.push_back({.id = slot.track.id,
                         .kind = slot.kind,
                         .tick = slot.tick,
                         .version = slot.version,
                         .values = slot.rows.row(StateRows::kNewest)});
  }
}

std::size_t SnapshotReader::memory_bytes() const {
  return sizeof(*this) + slots_.capacity() * sizeof(Slot) + records_.memory_bytes() +
         entities_.capacity() * sizeof(SeenEntity) + changes_.capacity() * sizeof(Change) +
         new_.capacity() * sizeof(NewEntity) + listed_.capacity() * sizeof(Listed) +
         known_.capacity() * sizeof(KnownEntity) + scratch_.memory_bytes() + rows_.memory_bytes() +
         links_.memory_bytes() + values_.capacity() * sizeof(LaneValue);
}

}  // namespace muster
