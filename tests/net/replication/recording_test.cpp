#include "net/replication/recording.h"

#include <map>

#include <catch2/catch.hpp>

#include "tests/support/replication_course.h"

namespace muster {
namespace {

using Worlds = std::map<Tick, std::map<NetworkId, std::vector<std::int64_t>>>;

/// A recording of a seeded world, and the world at each recorded tick.
struct Recorded {
  NetBytes file;
  Worlds worlds;
  std::vector<Tick> events;
};

Recorded record(std::uint64_t seed, int ticks, bool is_finished = true) {
  Recorded recorded;
  ReplicationStage stage(seed);
  ReplicationCourse course(stage);
  RecordingWriter writer({.keyframe_ticks = 30}, stage.server.world().schema());
  for (int i = 0; i < ticks; ++i) {
    stage.step([&] {
      const std::uint64_t maps = course.maps();
      course.live();
      if (course.maps() != maps) writer.begin_map(bytes_of({7, 7}));
    });
    if (i % 3 != 0) continue;
    if (stage.random.below(5) == 0) {
      writer.add_event(Tick(stage.tick), bytes_of({1, 2}));
      recorded.events.push_back(Tick(stage.tick));
    }
    writer.add(stage.server.world());
    recorded.worlds[Tick(stage.tick)] = stage.values;
    const auto pending = writer.pending();
    recorded.file.insert(recorded.file.end(), pending.begin(), pending.end());
    writer.clear_pending();
  }
  if (is_finished) {
    writer.finish();
    recorded.file.insert(recorded.file.end(), writer.pending().begin(), writer.pending().end());
  }
  return recorded;
}

/// A viewer's world, built from a recording's changes.
struct Viewed {
  std::map<NetworkId, std::vector<std::int64_t>> world;

  void apply(RecordingReader& reader) {
    for (const ReplicatedChange& change : reader.changes()) {
      if (change.kind == ReplicatedChange::Kind::despawned) {
        REQUIRE(world.erase(change.id) == 1);
        continue;
      }
      REQUIRE(world.contains(change.id) == (change.kind == ReplicatedChange::Kind::updated));
      world[change.id].resize(reader.schema().value_count(change.type));
      REQUIRE(reader.mirror().values(change.id, world[change.id]));
    }
    reader.clear();
  }
};

}  // namespace

TEST_CASE("A recording plays every field of every entity at every tick", "[net][replication]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const Recorded recorded = record(seed, 600);
    std::string error;
    const auto reader = RecordingReader::open(recorded.file, error);
    REQUIRE(reader != nullptr);
    Viewed viewed;
    std::vector<Tick> events;
    std::size_t ticks = 0;
    RecordingStatus status = reader->step();
    for (; status == RecordingStatus::tick; status = reader->step()) {
      for (const TimedEvent& event : reader->events()) events.push_back(event.tick);
      viewed.apply(*reader);
      REQUIRE(recorded.worlds.contains(reader->tick()));
      REQUIRE(viewed.world == recorded.worlds.at(reader->tick()));
      ++ticks;
    }
    CHECK(status == RecordingStatus::end);
    CHECK(ticks == recorded.worlds.size());
    CHECK(events == recorded.events);
  }
}

TEST_CASE("A recording can be played from any tick", "[net][replication]") {
  const bool is_finished =
      GENERATE(true, false);  // Without an index, the reader searches for keyframes.
  const Recorded recorded = record(3, 600, is_finished);
  std::string error;
  const auto reader = RecordingReader::open(recorded.file, error);
  REQUIRE(reader != nullptr);
  Viewed viewed;
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Tick tick(static_cast<std::uint32_t>(1 + random.below(600)));
    CAPTURE(tick.value());
    REQUIRE(reader->seek(tick) == RecordingStatus::tick);
    const auto expected = std::prev(recorded.worlds.upper_bound(tick));
    CHECK(reader->tick() == expected->first);
    viewed.apply(*reader);
    REQUIRE(viewed.world == expected->second);
    // The next steps continue from the current tick.
    if (reader->step() != RecordingStatus::tick) continue;
    viewed.apply(*reader);
    REQUIRE(viewed.world == recorded.worlds.at(reader->tick()));
  }
  CHECK(reader->seek(Tick(0)) == RecordingStatus::end);
  // A seek after the end goes to the last tick.
  CHECK(reader->seek(Tick(100'000)) == RecordingStatus::tick);
  viewed.apply(*reader);
  CHECK(reader->tick() == recorded.worlds.rbegin()->first);
  CHECK(viewed.world == recorded.worlds.rbegin()->second);
  CHECK(reader->step() == RecordingStatus::end);
}

TEST_CASE("A seek in a recording gives the map of the tick", "[net][replication]") {
  ReplicationStage stage(1);
  RecordingWriter writer({.keyframe_ticks = 5}, stage.server.world().schema());
  for (unsigned map = 1; map <= 3; ++map) {
    writer.begin_map(bytes_of({map}));
    for (int i = 0; i < 20; ++i) {
      stage.step();
      writer.add(stage.server.world());
    }
  }
  writer.finish();
  std::string error;
  const auto reader = RecordingReader::open(writer.pending(), error);
  REQUIRE(reader != nullptr);
  for (const std::uint32_t tick : {50U, 10U, 30U, 59U}) {
    REQUIRE(reader->seek(Tick(tick)) == RecordingStatus::tick);
    REQUIRE(reader->map_info().size() == 1);
    CHECK(std::to_integer<std::uint32_t>(reader->map_info()[0]) == (tick - 1) / 20 + 1);
  }
}

TEST_CASE("A recording whose writer was stopped plays up to that point", "[net][replication]") {
  const Recorded recorded = record(5, 60, false);
  for (std::size_t size = 0; size < recorded.file.size(); size += 1 + size / 16) {
    CAPTURE(size);
    std::string error;
    const auto reader = RecordingReader::open(std::span(recorded.file).first(size), error);
    if (reader == nullptr) {
      CHECK_FALSE(error.empty());
      continue;
    }
    Viewed viewed;
    RecordingStatus status = reader->step();
    for (; status == RecordingStatus::tick; status = reader->step()) {
      viewed.apply(*reader);
      REQUIRE(viewed.world == recorded.worlds.at(reader->tick()));
    }
    CHECK((status == RecordingStatus::cut || status == RecordingStatus::end));
  }
}

TEST_CASE("A damaged recording ends with a status and does not crash", "[net][replication]") {
  const Recorded recorded = record(6, 40);
  for (std::size_t at = 0; at < recorded.file.size(); ++at) {
    NetBytes damaged = recorded.file;
    damaged[at] ^= std::byte{0x10};
    std::string error;
    const auto reader = RecordingReader::open(damaged, error);
    if (reader == nullptr) continue;
    std::size_t steps = 0;
    while (reader->step() == RecordingStatus::tick) REQUIRE(++steps < 1000);
    static_cast<void>(reader->seek(Tick(20)));
  }
}

}  // namespace muster
