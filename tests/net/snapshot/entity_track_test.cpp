#include "net/snapshot/entity_track.h"

#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

namespace muster {
namespace {

constexpr std::size_t kLanes = 6;

/// An entity with random history: it moves, is unchanged, is not covered, or is replaced.
struct Life {
  EntityTrack track;
  TrackRecords records{};
  SnapshotTicks ticks{};
  std::vector<std::vector<LaneValue>> rows;
  SnapshotSerial newest = 0;

  explicit Life(Random& random) {
    rows.reserve(kSnapshotWindow);
    std::vector<LaneValue> values(kLanes);
    EntityKind kind{};
    const std::uint64_t restlessness = random.below(5);
    for (SnapshotSerial serial = 100; serial < 100 + kSnapshotWindow; ++serial) {
      const auto tick = static_cast<std::uint32_t>(3 * serial);
      ticks[window_index(serial)] = Tick(tick);
      newest = serial;
      if (random.below(40) == 0) continue;  // This snapshot has no record of the entity.
      if (random.below(40) == 0) kind.generation ^= 1;
      if (random.below(4) < restlessness) values[random.below(kLanes)] = random.below(3) != 0;
      rows.push_back(values);
      TrackRecord& record = records[window_index(serial)];
      record = record_of(serial, kind, rows.back().data(), random.below(30) == 0 ? 3 : 0,
                         stamp_of_serial(serial));
      if (random.below(60) == 0) record.presence = Presence::gone;
    }
    if (random.below(2) == 0) return;
    rows.push_back(values);
    track.run_first = newest - random.below(6);
    track.run_last = newest - random.below(2);
    track.values = rows.back().data();
    track.stamp = stamp_of_serial(track.run_first);
    track.kind = kind;
  }
};

TEST_CASE("The fast search for states at distinct ticks finds the same states as the full search",
          "[net][snapshot]") {
  Random random(11);
  std::size_t found_plainly = 0;
  for (int i = 0; i < 4000; ++i) {
    const Life life(random);
    SnapshotReferences references;
    const std::uint64_t wanted = 1 + random.below(kMaxReferences);
    for (SnapshotSerial serial = life.newest; references.count < wanted; --serial) {
      if (random.below(10) != 0) {
        references.numbers[references.count++] = static_cast<SnapshotNumber>(serial);
      }
      if (serial + kSnapshotWindow == life.newest + 1) break;
    }
    const SnapshotSerial next = life.newest + 1;
    ReferenceStates states =
        reference_states(references, next, life.ticks, Tick(static_cast<std::uint32_t>(3 * next)));
    REQUIRE(states.has_distinct_ticks == (references.count > 1));
    const auto lanes_of = [](EntityKind) { return kLanes; };
    KnownEntity plain;
    plain.states = states.unchanged;
    if (states.has_distinct_ticks &&
        find_distinct_states(life.track, life.records, states, lanes_of, plain)) {
      ++found_plainly;
    }
    const KnownEntity known = known_entity(life.track, life.records, states, lanes_of);
    states.has_distinct_ticks = false;
    const KnownEntity slow = known_entity(life.track, life.records, states, lanes_of);
    CAPTURE(i, references.count);
    REQUIRE(known.states.count == slow.states.count);
    REQUIRE(known.states.now == slow.states.now);
    if (slow.states.count == 0) continue;
    REQUIRE(known.kind == slow.kind);
    REQUIRE(known.stamp == slow.stamp);
    for (std::size_t k = 0; k < slow.states.count; ++k) {
      REQUIRE(known.states.values[k] == slow.states.values[k]);
      REQUIRE(known.states.ticks[k] == slow.states.ticks[k]);
    }
  }
  CHECK(found_plainly > 1000);
  CHECK(found_plainly < 3900);
}

TEST_CASE("Two rows are equal when all their lanes are equal", "[net][snapshot]") {
  for (std::size_t lanes = 0; lanes < 14; ++lanes) {
    std::vector<LaneValue> left(lanes, 7);
    std::vector<LaneValue> right(lanes, 7);
    CAPTURE(lanes);
    CHECK(is_same_row(left.data(), right.data(), lanes));
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      right[lane] = 0x8000'0007;
      CHECK_FALSE(is_same_row(left.data(), right.data(), lanes));
      right[lane] = 7;
    }
  }
}

}  // namespace
}  // namespace muster
