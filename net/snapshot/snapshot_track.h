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
/// everything again. 32 are half a second at 60 Hz, more than any playable round trip.
inline constexpr std::size_t kSnapshotWindow = 32;

/// A state that is further in the past is known no more: whoever keeps the values can let go of
/// them. Some four seconds at 60 Hz.
inline constexpr std::uint32_t kKnownTicksMax = 255;

/// What an entity is for as long as it lives.
struct EntityKind {
  std::uint16_t type = 0;
  /// Tells an entity from the one that had its id before.
  std::uint8_t generation = 0;
  friend bool operator==(const EntityKind&, const EntityKind&) = default;
};

/// What a snapshot leaves behind about an entity.
enum class Standing : std::uint8_t {
  unknown = 0,
  there = 1,
  gone = 2,
};

/// An entity as a receiver knew it after each of the last snapshots; by snapshot, modulo the
/// window.
struct EntityTrack {
  std::uint32_t id = 0;
  std::array<Standing, kSnapshotWindow> standings{};
  /// The tick at which it was the truth: older than the snapshot's own when that one did not speak
  /// of the entity.
  std::array<std::uint32_t, kSnapshotWindow> ticks{};
  std::array<const LaneValue*, kSnapshotWindow> values{};  ///< Of entities that are there.
  std::array<EntityKind, kSnapshotWindow> kinds{};
  /// A part of the tick being written has it as new. New entities come before the known ones that
  /// they lie between, so the next part begins before some of them.
  bool is_told = false;

  void set(std::size_t place, std::uint32_t tick, EntityKind kind, const LaneValue* row) {
    standings[place] = Standing::there;
    ticks[place] = tick;
    kinds[place] = kind;
    values[place] = row;
  }
  void set_gone(std::size_t place, std::uint32_t tick) {
    standings[place] = Standing::gone;
    ticks[place] = tick;
  }
  bool is_forgotten() const {
    return std::all_of(standings.begin(), standings.end(),
                       [](Standing standing) { return standing == Standing::unknown; });
  }
};

/// The most acknowledged snapshots that one is coded against: more than the states used of each
/// entity, because a world that takes several datagrams speaks of each entity in one of them.
inline constexpr std::size_t kMaxReferences = 24;

/// The acknowledged snapshots against which one is coded; the newest first.
struct SnapshotReferences {
  std::size_t count = 0;
  std::array<SnapshotNumber, kMaxReferences> numbers{};
};

inline std::size_t place_of(SnapshotNumber number) { return number % kSnapshotWindow; }

/// An entity's known states, and what it is. No states: it is new to the receiver, or was gone when
/// it was last spoken of.
struct KnownEntity {
  KnownStates states;
  EntityKind kind;
};

/// Finds the states from which an entity's next one is predicted: the newest of each tick that the
/// references left behind, up to eight, as long as it was the same entity.
inline KnownEntity known_entity(const EntityTrack& track, const SnapshotReferences& references,
                                std::uint32_t now) {
  std::array<std::uint8_t, kMaxKnownStates> places{};  // Sorted by tick, the newest first.
  std::size_t count = 0;
  for (std::size_t i = 0; i < references.count && count < kMaxKnownStates; ++i) {
    const std::size_t place = place_of(references.numbers[i]);
    if (track.standings[place] == Standing::unknown || track.ticks[place] >= now) continue;
    if (now - track.ticks[place] > kKnownTicksMax) continue;
    std::size_t at = count;
    while (at > 0 && track.ticks[places[at - 1]] < track.ticks[place]) --at;
    if (at > 0 && track.ticks[places[at - 1]] == track.ticks[place]) continue;
    for (std::size_t k = count; k > at; --k) places[k] = places[k - 1];
    places[at] = static_cast<std::uint8_t>(place);
    ++count;
  }
  KnownEntity known;
  known.states.now = now;
  if (count == 0 || track.standings[places[0]] == Standing::gone) return known;
  known.kind = track.kinds[places[0]];
  for (std::size_t i = 0; i < count; ++i) {
    if (track.standings[places[i]] != Standing::there || track.kinds[places[i]] != known.kind) {
      break;
    }
    known.states.values[i] = track.values[places[i]];
    known.states.ticks[i] = track.ticks[places[i]];
    ++known.states.count;
  }
  return known;
}

/// Whether all known states are one and the same: such entities are asked after in groups.
inline bool is_quiet(const KnownStates& known, std::size_t lanes) {
  for (std::size_t k = 1; k < known.count; ++k) {
    if (known.values[k] != known.values[0] &&
        !std::equal(known.values[0], known.values[0] + lanes, known.values[k])) {
      return false;
    }
  }
  return known.count > 1;
}

}  // namespace muster
