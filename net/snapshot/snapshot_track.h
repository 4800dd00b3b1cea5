// What one receiver knows of each entity, snapshot by snapshot: the same record on both sides.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/known_states.h"

namespace muster {

/// Snapshots are numbered from 0; the number wraps.
using SnapshotNumber = std::uint16_t;

/// The last snapshots of which both sides keep what they made of each entity. A snapshot is coded
/// against acknowledged ones among them; a receiver of which nothing arrived for longer is sent
/// everything again. 64 are a second at 60 Hz, or four datagrams in every tick of a quarter of it.
inline constexpr std::size_t kSnapshotWindow = 64;

/// For how many ticks the owner of the world keeps values that are no longer current. A sender
/// copies what a receiver may need for longer (`kept_rows.h`). Some four seconds at 60 Hz.
inline constexpr std::uint32_t kPastTicksMax = 255;

/// What an entity is for as long as it lives.
struct EntityKind {
  std::uint16_t type = 0;
  /// Different for each entity that uses an id.
  std::uint32_t generation = 0;
  friend bool operator==(const EntityKind&, const EntityKind&) = default;
};

/// What a snapshot leaves behind about an entity.
enum class Standing : std::uint8_t {
  unknown = 0,
  there = 1,
  gone = 2,
};

/// The first of an entity's links (`BaselineLinks`); 0 for none.
using LinkList = std::uint32_t;

/// Snapshots counted without end; the number is the lower part.
using SnapshotSerial = std::uint64_t;
inline std::size_t place_of(SnapshotSerial serial) { return serial % kSnapshotWindow; }

/// An entity as a receiver knew it after one snapshot. Many are gathered for each entity, so they
/// are only cleared where that is needed.
struct TrackRecord {
  const LaneValue* values;  ///< Of entities that are there.
  /// Equal in two records of an entity: so are the values. Different ones say nothing.
  std::uint32_t since;
  std::uint32_t generation;
  std::uint16_t type;
  /// Ticks from when it was the truth to the snapshot's own tick; more than 0 when that snapshot
  /// did not list the entity. Stops at `kAgeMax`.
  std::uint16_t age;
  /// The bits of the snapshot's serial that the record's index does not give. They distinguish the
  /// record from one of an earlier snapshot with the same index; they repeat after years.
  std::uint32_t serial_above : 26;
  Standing standing : 2;

  static constexpr std::uint32_t kAgeMax = 0xFFFF;
  static constexpr std::uint32_t kSerialMask = (1U << 26U) - 1;

  EntityKind kind() const { return {.type = type, .generation = generation}; }
  bool is_of(SnapshotSerial snapshot) const { return serial_above == above(snapshot); }
  static std::uint32_t above(SnapshotSerial snapshot) {
    return static_cast<std::uint32_t>(static_cast<std::uint32_t>(snapshot) / kSnapshotWindow);
  }
};
static_assert(kSnapshotWindow == 64);
static_assert(sizeof(TrackRecord) <= 24);  // Most of what a server holds of a client.
inline TrackRecord record_of(SnapshotSerial snapshot, EntityKind kind, Standing standing) {
  TrackRecord record{};
  record.generation = kind.generation;
  record.type = kind.type;
  record.serial_above = TrackRecord::above(snapshot) & TrackRecord::kSerialMask;
  record.standing = standing;
  return record;
}
/// `age`: as `TrackRecord` has it.
inline TrackRecord record_of(SnapshotSerial snapshot, EntityKind kind, const LaneValue* values,
                             std::uint32_t age, std::uint32_t since) {
  TrackRecord record = record_of(snapshot, kind, Standing::there);
  record.values = values;
  record.age = static_cast<std::uint16_t>(std::min(age, TrackRecord::kAgeMax));
  record.since = since;
  return record;
}
/// By snapshot, modulo the window.
using TrackRecords = std::array<TrackRecord, kSnapshotWindow>;

/// An entity as a receiver knew it after each of the last snapshots. As long as it stays as it is
/// and every snapshot says so, that is one run, and a snapshot costs no more than its end.
struct EntityTrack {
  std::uint32_t id = 0;
  std::uint32_t place = kNoRecords;  ///< Of its records.
  LinkList links = 0;
  SnapshotSerial run_first = 1;
  SnapshotSerial run_last = 0;  ///< Before `run_first`: there is no run.
  const LaneValue* values = nullptr;
  std::uint32_t since = 0;
  EntityKind kind;
  /// A part of the tick being written has it as new, and the later ones pass it over. New entities
  /// come before the known ones that they lie between, so the next part may begin before it.
  bool is_told = false;
  SnapshotSerial last = 0;  ///< The newest snapshot that left anything behind.

  static constexpr std::uint32_t kNoRecords = 0xFFFF'FFFF;
  bool has_records() const { return place != kNoRecords; }
  bool has_run() const { return run_first <= run_last; }
  bool is_forgotten(SnapshotSerial newest) const { return last + kSnapshotWindow <= newest; }
};

/// The tracks' records, which are looked at less often than the tracks; places are used again.
class TrackStore {
 public:
  TrackRecords& operator[](std::uint32_t place) { return records_[place]; }
  const TrackRecords& operator[](std::uint32_t place) const { return records_[place]; }
  std::uint32_t take() {
    if (free_.empty()) {
      records_.push_back(TrackRecords{});
      free_.reserve(records_.capacity());
      return static_cast<std::uint32_t>(records_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    records_[place] = TrackRecords{};
    return place;
  }
  /// So many places can be taken without allocating. Memory that is not taken yet is not touched.
  void reserve(std::size_t count) {
    if (records_.capacity() >= count) return;
    records_.reserve(std::max(count, records_.capacity() + records_.capacity() / 2));
    free_.reserve(records_.capacity());
  }
  void give_back(std::uint32_t place) { free_.push_back(place); }
  std::size_t memory_bytes() const {
    return records_.capacity() * sizeof(TrackRecords) + free_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::vector<TrackRecords> records_;
  std::vector<std::uint32_t> free_;
};

/// The ticks of the last snapshots, by place.
using SnapshotTicks = std::array<std::uint32_t, kSnapshotWindow>;

/// Ends an entity's run before snapshot `next`, and keeps a record of each of its snapshots that
/// can still be asked for.
inline void end_run(EntityTrack& track, TrackRecords& records, SnapshotSerial next) {
  SnapshotSerial serial = track.run_first;
  if (serial + kSnapshotWindow <= next) serial = next - kSnapshotWindow + 1;
  for (; serial <= track.run_last; ++serial) {
    records[place_of(serial)] = record_of(serial, track.kind, track.values, 0, track.since);
  }
  track.run_first = track.run_last + 1;
}

inline void begin_run(EntityTrack& track, SnapshotSerial serial, EntityKind kind,
                      std::uint32_t since, const LaneValue* values) {
  track.run_first = serial;
  track.run_last = serial;
  track.last = serial;
  track.kind = kind;
  track.since = since;
  track.values = values;
}

/// The most acknowledged snapshots that one is coded against: more than the states used of each
/// entity, because a world that takes several datagrams speaks of each entity in one of them.
inline constexpr std::size_t kMaxReferences = 24;
/// They are less than this older than the newest of them: who has few does not say so for each
/// snapshot of the window.
inline constexpr std::size_t kReferenceSpan = 32;

/// The acknowledged snapshots against which one is coded; the newest first.
struct SnapshotReferences {
  std::size_t count = 0;
  std::array<SnapshotNumber, kMaxReferences> numbers{};
};

/// The same with what both sides know of them.
struct ReferenceStates {
  std::size_t count = 0;
  std::array<SnapshotSerial, kMaxReferences> serials{};
  std::array<std::uint32_t, kMaxReferences> ticks{};
  std::uint32_t now = 0;
  /// The newest are of falling ticks before now, as many as states are used
  /// (`plain_count`): what stayed as it was over all of them is known at once.
  bool is_plain = false;
  std::size_t plain_count = 0;
  KnownStates plain;  ///< What is known of that: all but the values.
};
inline ReferenceStates reference_states(const SnapshotReferences& references, SnapshotSerial serial,
                                        const SnapshotTicks& ticks, std::uint32_t now) {
  ReferenceStates states;
  states.count = references.count;
  states.now = now;
  for (std::size_t i = 0; i < references.count; ++i) {
    const auto age = static_cast<SnapshotNumber>(serial - references.numbers[i]);
    states.serials[i] = serial - age;
    states.ticks[i] = ticks[place_of(states.serials[i])];
  }
  states.plain_count = std::min(states.count, kMaxKnownStates);
  states.is_plain = states.count > 1 && states.ticks[0] < now;
  for (std::size_t i = 1; i < states.plain_count; ++i) {
    states.is_plain = states.is_plain && states.ticks[i] < states.ticks[i - 1];
  }
  states.plain.count = states.plain_count;
  states.plain.now = now;
  std::copy_n(states.ticks.begin(), states.plain_count, states.plain.ticks.begin());
  return states;
}

/// An entity's known states, and what it is. No states: it is new to the receiver, or was gone when
/// it was last spoken of.
struct KnownEntity {
  KnownStates states;
  EntityKind kind;
  std::uint32_t since = 0;  ///< Of the newest state.
  /// The snapshots gave so few states that earlier ones were added by links, if there are any.
  bool is_sparse = false;
};

/// Whether the entity was as it is now in all states that are known of it.
inline bool is_steady(const EntityTrack& track, const ReferenceStates& references) {
  return references.is_plain && track.run_first <= references.serials[references.plain_count - 1] &&
         references.serials[0] <= track.run_last;
}
/// What is known of such an entity.
inline KnownEntity steady_entity(const EntityTrack& track, const ReferenceStates& references) {
  KnownEntity known{.states = references.plain, .kind = track.kind, .since = track.since};
  std::fill_n(known.states.values.begin(), references.plain_count, track.values);
  return known;
}

/// Whether two rows are equal. What moves mostly differs in one of its first lanes.
inline bool is_same_row(const LaneValue* left, const LaneValue* right, std::size_t lanes) {
  std::size_t lane = 0;
  for (; lane + 4 <= lanes; lane += 4) {
    const LaneValue* l = left + lane;
    const LaneValue* r = right + lane;
    if (((l[0] ^ r[0]) | (l[1] ^ r[1]) | (l[2] ^ r[2]) | (l[3] ^ r[3])) != 0) return false;
  }
  for (; lane < lanes; ++lane) {
    if (left[lane] != right[lane]) return false;
  }
  return true;
}

/// Finds the known states where each of the newest references left one behind of its own tick, as
/// is usual; false where it is not so. Requires: `references.is_plain`.
template <typename LanesOf>
bool find_plain_states(const EntityTrack& track, const TrackRecords& records,
                       const ReferenceStates& references, const LanesOf& lanes_of,
                       KnownEntity& known) {
  std::size_t lanes = 0;
  const LaneValue* newest = nullptr;
  for (std::size_t i = 0; i < references.plain_count; ++i) {
    const SnapshotSerial serial = references.serials[i];
    const LaneValue* values = track.values;
    std::uint32_t since = track.since;
    EntityKind kind = track.kind;
    if (serial < track.run_first || serial > track.run_last) {
      const TrackRecord& record = records[place_of(serial)];
      if (!record.is_of(serial) || record.standing != Standing::there || record.age != 0) {
        return false;
      }
      values = record.values;
      since = record.since;
      kind = record.kind();
    }
    if (i == 0) {
      newest = values;
      known.since = since;
      known.kind = kind;
      lanes = lanes_of(kind);
    } else if (kind != known.kind) {
      return false;
    } else if (since == known.since || is_same_row(newest, values, lanes)) {
      values = newest;
    }
    known.states.values[i] = values;
  }
  return true;
}

/// Finds the states from which an entity's next one is predicted: the newest of each tick that the
/// references left behind, up to eight, as long as it was the same entity. `lanes_of(kind)` says
/// how many lanes it has.
template <typename LanesOf>
KnownEntity known_entity(const EntityTrack& track, const TrackRecords& records,
                         const ReferenceStates& references, const LanesOf& lanes_of) {
  KnownEntity known;
  known.states = references.plain;
  if (references.is_plain && find_plain_states(track, records, references, lanes_of, known)) {
    return known;
  }
  known = {};
  // Sorted by tick, the newest first; of the run there is no record, so null stands for one.
  std::array<const TrackRecord*, kMaxKnownStates> found;
  std::array<std::uint32_t, kMaxKnownStates> ticks;
  std::size_t count = 0;
  for (std::size_t i = 0; i < references.count && count < kMaxKnownStates; ++i) {
    const SnapshotSerial serial = references.serials[i];
    const TrackRecord* record = nullptr;
    std::uint32_t tick = references.ticks[i];
    if (serial < track.run_first || serial > track.run_last) {
      record = &records[place_of(serial)];
      if (!record->is_of(serial) || record->standing == Standing::unknown) continue;
      tick -= record->age;
    }
    if (tick >= references.now) continue;
    std::size_t at = count;
    while (at > 0 && ticks[at - 1] < tick) --at;
    if (at > 0 && ticks[at - 1] == tick) continue;
    for (std::size_t k = count; k > at; --k) {
      found[k] = found[k - 1];
      ticks[k] = ticks[k - 1];
    }
    found[at] = record;
    ticks[at] = tick;
    ++count;
  }
  known.states.now = references.now;
  const TrackRecord run = record_of(track.run_last, track.kind, track.values, 0, track.since);
  const auto state = [&](std::size_t i) -> const TrackRecord& {
    return found[i] == nullptr ? run : *found[i];
  };
  if (count == 0 || state(0).standing == Standing::gone) return known;
  known.kind = state(0).kind();
  known.since = state(0).since;
  const LaneValue* newest = state(0).values;
  const std::size_t lanes = lanes_of(known.kind);
  for (std::size_t i = 0; i < count; ++i) {
    const TrackRecord& is = state(i);
    if (is.standing != Standing::there || is.kind() != known.kind) break;
    const bool is_same = is.since == known.since || is_same_row(newest, is.values, lanes);
    known.states.values[i] = is_same ? newest : is.values;
    known.states.ticks[i] = ticks[i];
    ++known.states.count;
  }
  return known;
}

/// Asks the processor for the records that `known_entity` will look at: they are many, seldom
/// touched and far apart, and waiting for them takes longer than all else about an entity that
/// moves little. `kExpectRecords` and `kExpectRows` entities ahead is early enough.
inline constexpr std::size_t kExpectRecords = 8;
inline constexpr std::size_t kExpectRows = 4;
inline void expect_records(const EntityTrack& track, const TrackStore& records,
                           const ReferenceStates& references) {
  if (!track.has_records() || is_steady(track, references)) return;
  const TrackRecords& all = records[track.place];
  const std::size_t count = std::min(references.count, kMaxKnownStates);
  for (std::size_t i = 0; i < count; i += 2) {
    __builtin_prefetch(&all[place_of(references.serials[i])]);
  }
}
/// The same of the values that these records lead to.
inline void expect_rows(const EntityTrack& track, const TrackStore& records,
                        const ReferenceStates& references) {
  if (!track.has_records() || is_steady(track, references)) return;
  const TrackRecords& all = records[track.place];
  const std::size_t count = std::min(references.count, kMaxKnownStates);
  for (std::size_t i = 0; i < count; ++i) {
    const TrackRecord& record = all[place_of(references.serials[i])];
    if (record.is_of(references.serials[i])) __builtin_prefetch(record.values);
  }
}

/// Whether all known states are one and the same: such entities are asked after in groups.
/// Requires: equal states are the same rows, as `known_entity` gives them.
inline bool is_quiet(const KnownStates& known) {
  for (std::size_t k = 1; k < known.count; ++k) {
    if (known.values[k] != known.values[0]) return false;
  }
  return known.count > 1;
}

}  // namespace muster
