// The states of each entity that one receiver knows after each snapshot. Both ends keep equal
// records.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/codec_type.h"
#include "net/snapshot/known_states.h"
#include "net/snapshot/slice_id.h"
#include "registry/base/tick.h"

namespace muster {

/// The number of a snapshot. Numbers begin at 0 and wrap.
using SnapshotNumber = std::uint16_t;

/// Both ends keep the state of each entity in this many snapshots. A snapshot refers to
/// acknowledged snapshots of this window. A receiver that acknowledged none of these snapshots gets
/// the whole state. 64 snapshots cover one second at 60 Hz, or a quarter of a second with four
/// datagrams per tick.
inline constexpr std::size_t kSnapshotWindow = 64;

/// The number of ticks for which the owner of the world keeps replaced values. A sender copies
/// values that a receiver may need for longer (`kept_rows.h`). 255 ticks are about four seconds at
/// 60 Hz.
inline constexpr std::uint32_t kPastTicksMax = 255;

/// The constant properties of an entity.
struct EntityKind {
  CodecType type{};
  /// Entities that use the same id one after another have different generations.
  std::uint32_t generation = 0;
  friend bool operator==(const EntityKind&, const EntityKind&) = default;
};

/// The state of an entity in a snapshot.
enum class Presence : std::uint8_t {
  unknown = 0,
  present = 1,
  gone = 2,
};

/// The first of an entity's links (`BaselineLinks`); 0 if the entity has no links.
using LinkList = std::uint32_t;

/// A snapshot's number that does not wrap. Its low 16 bits are the `SnapshotNumber`.
using SnapshotSerial = std::uint64_t;
inline std::size_t window_index(SnapshotSerial serial) { return serial % kSnapshotWindow; }

/// Identifies the values of an entity. Equal stamps of one entity mean equal values. Different
/// stamps may have equal or different values. The writer and the reader count differently: a writer
/// stamps values with the tick since which they are unchanged, and a reader stamps values with the
/// serial of the snapshot that contained them.
enum class StateStamp : std::uint32_t {};
constexpr StateStamp stamp_of_tick(Tick since) { return StateStamp{since.value()}; }
constexpr StateStamp stamp_of_serial(SnapshotSerial serial) {
  return StateStamp{static_cast<std::uint32_t>(serial)};
}

/// The state of an entity that a receiver knew after one snapshot. An entity has many records, so
/// the members have no initial values.
struct TrackRecord {
  const LaneValue* values;  ///< The entity's values; null if `presence` is not `present`.
  StateStamp stamp;         ///< The stamp of `values`; unused if `presence` is not `present`.
  std::uint32_t generation;
  CodecType type;
  /// The number of ticks from the state's tick to the snapshot's tick, at most `kAgeMax`. The age
  /// is more than 0 if the snapshot did not list the entity.
  std::uint16_t age;
  /// The bits of the snapshot's serial above the bits of the record's index. These bits distinguish
  /// snapshots with the same index, and repeat only after years.
  std::uint32_t serial_above : 26;
  Presence presence : 2;

  static constexpr std::uint32_t kAgeMax = 0xFFFF;
  static constexpr std::uint32_t kSerialMask = (1U << 26U) - 1;

  EntityKind kind() const { return {.type = type, .generation = generation}; }
  bool is_of(SnapshotSerial snapshot) const { return serial_above == above(snapshot); }
  static std::uint32_t above(SnapshotSerial snapshot) {
    return static_cast<std::uint32_t>(static_cast<std::uint32_t>(snapshot) / kSnapshotWindow);
  }
};
static_assert(kSnapshotWindow == 64);
static_assert(sizeof(TrackRecord) <= 24);  // Records are most of a server's memory per client.
inline TrackRecord record_of(SnapshotSerial snapshot, EntityKind kind, Presence presence) {
  TrackRecord record{};
  record.generation = kind.generation;
  record.type = kind.type;
  record.serial_above = TrackRecord::above(snapshot) & TrackRecord::kSerialMask;
  record.presence = presence;
  return record;
}
/// `age` is stored in `TrackRecord::age`. An age above `kAgeMax` is stored as `kAgeMax`.
inline TrackRecord record_of(SnapshotSerial snapshot, EntityKind kind, const LaneValue* values,
                             std::uint32_t age, StateStamp stamp) {
  TrackRecord record = record_of(snapshot, kind, Presence::present);
  record.values = values;
  record.age = static_cast<std::uint16_t>(std::min(age, TrackRecord::kAgeMax));
  record.stamp = stamp;
  return record;
}
/// An entity's records, indexed by the snapshot's serial modulo the window.
using TrackRecords = std::array<TrackRecord, kSnapshotWindow>;

/// The states of an entity that a receiver knew after each of the last snapshots. Successive
/// snapshots in which the entity is unchanged are stored as one run, so that another such snapshot
/// only moves the end of the run.
struct EntityTrack {
  SliceId id{};
  std::uint32_t records_index = kNoRecords;  ///< The index of its records in the `TrackStore`.
  LinkList links = 0;
  SnapshotSerial run_first = 1;
  SnapshotSerial run_last = 0;  ///< Less than `run_first` if there is no run.
  const LaneValue* values = nullptr;
  StateStamp stamp{};
  EntityKind kind;
  /// True if a part of the current tick contains this entity as new. Later parts of the tick then
  /// omit the entity. Their range may include its id, because a part codes new entities before the
  /// known entities around them.
  bool is_listed = false;
  SnapshotSerial last = 0;  ///< The newest snapshot with a record or in the run.

  static constexpr std::uint32_t kNoRecords = 0xFFFF'FFFF;
  bool has_records() const { return records_index != kNoRecords; }
  bool has_run() const { return run_first <= run_last; }
  bool is_forgotten(SnapshotSerial newest) const { return last + kSnapshotWindow <= newest; }
};

/// Stores the records of tracks. Records are stored separately from the tracks, because records are
/// used less often. Freed indices are reused.
class TrackStore {
 public:
  TrackRecords& operator[](std::uint32_t index) { return records_[index]; }
  const TrackRecords& operator[](std::uint32_t index) const { return records_[index]; }
  std::uint32_t allocate() {
    if (free_.empty()) {
      records_.push_back(TrackRecords{});
      free_.reserve(records_.capacity());
      return static_cast<std::uint32_t>(records_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    records_[index] = TrackRecords{};
    return index;
  }
  /// Reserves memory for `count` indices. Unused memory is not touched.
  void reserve(std::size_t count) {
    if (records_.capacity() >= count) return;
    records_.reserve(std::max(count, records_.capacity() + records_.capacity() / 2));
    free_.reserve(records_.capacity());
  }
  void give_back(std::uint32_t index) { free_.push_back(index); }
  std::size_t memory_bytes() const {
    return records_.capacity() * sizeof(TrackRecords) + free_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::vector<TrackRecords> records_;
  std::vector<std::uint32_t> free_;
};

/// The ticks of the last snapshots, indexed by `window_index`.
using SnapshotTicks = std::array<Tick, kSnapshotWindow>;

/// Ends an entity's run before snapshot `next`, and writes a record for each snapshot of the run
/// that may still be needed.
inline void end_run(EntityTrack& track, TrackRecords& records, SnapshotSerial next) {
  SnapshotSerial serial = track.run_first;
  if (serial + kSnapshotWindow <= next) serial = next - kSnapshotWindow + 1;
  for (; serial <= track.run_last; ++serial) {
    records[window_index(serial)] = record_of(serial, track.kind, track.values, 0, track.stamp);
  }
  track.run_first = track.run_last + 1;
}

inline void begin_run(EntityTrack& track, SnapshotSerial serial, EntityKind kind, StateStamp stamp,
                      const LaneValue* values) {
  track.run_first = serial;
  track.run_last = serial;
  track.last = serial;
  track.kind = kind;
  track.stamp = stamp;
  track.values = values;
}

/// The maximum number of references of a snapshot. This number exceeds `kMaxKnownStates`, because a
/// world may need several datagrams per tick, and each entity is in only one of these datagrams.
inline constexpr std::size_t kMaxReferences = 24;
/// The newest and the oldest reference differ by less than this number of snapshots. So a sender
/// with few references does not write a bit for each snapshot of the window.
inline constexpr std::size_t kReferenceSpan = 32;

/// The acknowledged snapshots that a snapshot refers to, newest first.
struct SnapshotReferences {
  std::size_t count = 0;
  std::array<SnapshotNumber, kMaxReferences> numbers{};
};

/// The references of a snapshot, with their serials and ticks.
struct ReferenceStates {
  std::size_t count = 0;
  std::array<SnapshotSerial, kMaxReferences> serials{};
  std::array<Tick, kMaxReferences> ticks{};
  Tick now;
  /// True if there are at least two references, and the ticks of the newest `known_count`
  /// references fall strictly and are before `now`. Then `unchanged` has the known states of every
  /// entity that is unchanged in these references, and no search is needed.
  bool has_distinct_ticks = false;
  std::size_t known_count = 0;
  KnownStates unchanged;  ///< The known states of an unchanged entity, without values.
};
inline ReferenceStates reference_states(const SnapshotReferences& references, SnapshotSerial serial,
                                        const SnapshotTicks& ticks, Tick now) {
  ReferenceStates states;
  states.count = references.count;
  states.now = now;
  for (std::size_t i = 0; i < references.count; ++i) {
    const auto age = static_cast<SnapshotNumber>(serial - references.numbers[i]);
    states.serials[i] = serial - age;
    states.ticks[i] = ticks[window_index(states.serials[i])];
  }
  states.known_count = std::min(states.count, kMaxKnownStates);
  states.has_distinct_ticks = states.count > 1 && states.ticks[0] < now;
  for (std::size_t i = 1; i < states.known_count; ++i) {
    states.has_distinct_ticks = states.has_distinct_ticks && states.ticks[i] < states.ticks[i - 1];
  }
  states.unchanged.count = states.known_count;
  states.unchanged.now = now;
  std::copy_n(states.ticks.begin(), states.known_count, states.unchanged.ticks.begin());
  return states;
}

/// An entity's known states and kind. There are no states if the entity is new to the receiver, or
/// if the entity was removed by the last snapshot that listed it.
struct KnownEntity {
  KnownStates states;
  EntityKind kind;
  StateStamp stamp{};  ///< The stamp of the newest state.
  /// True if the references contain so few states of the entity that `BaselineLinks` is searched
  /// for more.
  bool is_sparse = false;
};

/// True when the entity is unchanged in the newest `known_count` references, so that all its known
/// states are equal.
inline bool is_unchanged(const EntityTrack& track, const ReferenceStates& references) {
  return references.has_distinct_ticks &&
         track.run_first <= references.serials[references.known_count - 1] &&
         references.serials[0] <= track.run_last;
}
/// The known states of an entity for which `is_unchanged` returns true.
inline KnownEntity unchanged_entity(const EntityTrack& track, const ReferenceStates& references) {
  KnownEntity known{.states = references.unchanged, .kind = track.kind, .stamp = track.stamp};
  std::fill_n(known.states.values.begin(), references.known_count, track.values);
  return known;
}

/// True when two rows are equal. The comparison usually ends early, because rows of moving entities
/// mostly differ in one of the first lanes.
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

/// Finds the known states in the usual case: each of the newest references contains a state of the
/// reference's own tick. Returns false in other cases. Requires: `references.has_distinct_ticks`.
template <typename LanesOf>
bool find_distinct_states(const EntityTrack& track, const TrackRecords& records,
                          const ReferenceStates& references, const LanesOf& lanes_of,
                          KnownEntity& known) {
  std::size_t lanes = 0;
  const LaneValue* newest = nullptr;
  for (std::size_t i = 0; i < references.known_count; ++i) {
    const SnapshotSerial serial = references.serials[i];
    const LaneValue* values = track.values;
    StateStamp stamp = track.stamp;
    EntityKind kind = track.kind;
    if (serial < track.run_first || serial > track.run_last) {
      const TrackRecord& record = records[window_index(serial)];
      if (!record.is_of(serial) || record.presence != Presence::present || record.age != 0) {
        return false;
      }
      values = record.values;
      stamp = record.stamp;
      kind = record.kind();
    }
    if (i == 0) {
      newest = values;
      known.stamp = stamp;
      known.kind = kind;
      lanes = lanes_of(kind);
    } else if (kind != known.kind) {
      return false;
    } else if (stamp == known.stamp || is_same_row(newest, values, lanes)) {
      values = newest;
    }
    known.states.values[i] = values;
  }
  return true;
}

/// Finds the states from which an entity's next state is predicted: the newest states in the
/// references, at most eight, with different ticks and the same kind. `lanes_of(kind)` returns the
/// number of lanes of a kind.
template <typename LanesOf>
KnownEntity known_entity(const EntityTrack& track, const TrackRecords& records,
                         const ReferenceStates& references, const LanesOf& lanes_of) {
  KnownEntity known;
  known.states = references.unchanged;
  if (references.has_distinct_ticks &&
      find_distinct_states(track, records, references, lanes_of, known)) {
    return known;
  }
  known = {};
  // The found records, sorted by tick, newest first. Null represents the run, which has no record.
  std::array<const TrackRecord*, kMaxKnownStates> found;
  std::array<Tick, kMaxKnownStates> ticks;
  std::size_t count = 0;
  for (std::size_t i = 0; i < references.count && count < kMaxKnownStates; ++i) {
    const SnapshotSerial serial = references.serials[i];
    const TrackRecord* record = nullptr;
    Tick tick = references.ticks[i];
    if (serial < track.run_first || serial > track.run_last) {
      record = &records[window_index(serial)];
      if (!record->is_of(serial) || record->presence == Presence::unknown) continue;
      tick = tick - record->age;
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
  const TrackRecord run = record_of(track.run_last, track.kind, track.values, 0, track.stamp);
  const auto state = [&](std::size_t i) -> const TrackRecord& {
    return found[i] == nullptr ? run : *found[i];
  };
  if (count == 0 || state(0).presence == Presence::gone) return known;
  known.kind = state(0).kind();
  known.stamp = state(0).stamp;
  const LaneValue* newest = state(0).values;
  const std::size_t lanes = lanes_of(known.kind);
  for (std::size_t i = 0; i < count; ++i) {
    const TrackRecord& is = state(i);
    if (is.presence != Presence::present || is.kind() != known.kind) break;
    const bool is_same = is.stamp == known.stamp || is_same_row(newest, is.values, lanes);
    known.states.values[i] = is_same ? newest : is.values;
    known.states.ticks[i] = ticks[i];
    ++known.states.count;
  }
  return known;
}

/// Prefetches the records that `known_entity` will read. There are many records. They are rarely
/// used and far apart in memory. Waiting for the records would take longer than all other work for
/// an entity that moves little. The records are prefetched `kExpectRecords` entities ahead, and the
/// values `kExpectRows` entities ahead.
inline constexpr std::size_t kExpectRecords = 8;
inline constexpr std::size_t kExpectRows = 4;
inline void expect_records(const EntityTrack& track, const TrackStore& records,
                           const ReferenceStates& references) {
  if (!track.has_records() || is_unchanged(track, references)) return;
  const TrackRecords& all = records[track.records_index];
  const std::size_t count = std::min(references.count, kMaxKnownStates);
  for (std::size_t i = 0; i < count; i += 2) {
    __builtin_prefetch(&all[window_index(references.serials[i])]);
  }
}
/// Prefetches the values of these records.
inline void expect_rows(const EntityTrack& track, const TrackStore& records,
                        const ReferenceStates& references) {
  if (!track.has_records() || is_unchanged(track, references)) return;
  const TrackRecords& all = records[track.records_index];
  const std::size_t count = std::min(references.count, kMaxKnownStates);
  for (std::size_t i = 0; i < count; ++i) {
    const TrackRecord& record = all[window_index(references.serials[i])];
    if (record.is_of(references.serials[i])) __builtin_prefetch(record.values);
  }
}

/// True when there are at least two known states and all of them are equal. Such entities are coded
/// in groups. Requires: equal states share a row, as in the result of `known_entity`.
inline bool is_constant(const KnownStates& known) {
  for (std::size_t k = 1; k < known.count; ++k) {
    if (known.values[k] != known.values[0]) return false;
  }
  return known.count > 1;
}

}  // namespace muster
