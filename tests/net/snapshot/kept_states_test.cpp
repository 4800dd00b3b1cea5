// States that a receiver still has after the owner of the world dropped their values.
#include <array>
#include <deque>
#include <vector>

#include <catch2/catch.hpp>

#include "net/snapshot/snapshot_reader.h"
#include "net/snapshot/snapshot_writer.h"
#include "registry/base/seed.h"

namespace muster {
namespace {

SnapshotModel walkers() {
  return untrained_model(
      {{.name = "walker",
        .lanes = {{.name = "x", .maximum = 100'000}, {.name = "y", .maximum = 100'000}}}});
}

/// A world that overwrites a row as soon as writers may no longer read the row.
class ForgetfulWorld {
 public:
  explicit ForgetfulWorld(std::uint32_t entities) : entities_(entities) {}

  std::vector<EntityState> at(std::uint32_t tick, Random& random) {
    if (rows_.size() > kPastTicksMax + 1) {
      // The value differs much from all others, so that a state that is coded against a dropped row
      // does not decode correctly by chance.
      std::vector<LaneValue>& dropped = rows_[rows_.size() - kPastTicksMax - 2];
      for (LaneValue& value : dropped) value = 77'777;
      dropped = std::vector<LaneValue>();  // A sanitizer reports any later read.
    }
    std::vector<LaneValue>& rows = rows_.emplace_back();
    for (std::uint32_t i = 0; i < 2 * entities_; ++i) {
      rows.push_back(static_cast<LaneValue>(40'000 + random.below(tick + 10)));
    }
    std::vector<EntityState> states;
    for (std::uint32_t id = 0; id < entities_; ++id) {
      states.push_back(
          {.id = SliceId{id}, .kind = {}, .values = rows.data() + std::size_t{2} * id});
    }
    return states;
  }
  const LaneValue* row(std::uint32_t tick, std::uint32_t id) const {
    return rows_[tick].data() + std::size_t{2} * id;
  }

 private:
  std::uint32_t entities_;
  std::deque<std::vector<LaneValue>> rows_;
};

}  // namespace

TEST_CASE("An entity is updated against a state that is thousands of ticks old",
          "[net][snapshot][sys-46]") {
  constexpr std::uint32_t kEntities = 40;
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  const std::uint32_t seldom = GENERATE(30U, 400U, 3'000U);
  const auto coder = GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::raw);
  CAPTURE(seed, seldom, coder);
  Random random(seed);
  const SnapshotModel model = walkers();
  SnapshotWriter writer(model, {.coder = coder});
  SnapshotReader reader(model, {}, {.coder = coder});
  ForgetfulWorld world(kEntities);
  std::deque<std::pair<std::uint32_t, SnapshotNumber>> acknowledgements;
  std::array<std::byte, 1200> memory{};
  std::uint32_t updates = 0;
  for (std::uint32_t tick = 0; tick < 6'000; ++tick) {
    std::vector<EntityState> states = world.at(tick, random);
    writer.keep(Tick(tick));
    if (tick % 3 != 0) continue;
    for (EntityState& state : states) {
      state.is_deferred = tick > 0 && random.below(seldom / 3) != 0;
    }
    writer.begin(Tick(tick), states);
    const std::span<const std::byte> bytes = writer.write(memory);
    REQUIRE(writer.is_done());
    const bool arrives = tick < 10 || random.below(10) != 0;
    if (arrives) {
      REQUIRE(reader.read(bytes) == SnapshotVerdict::applied);
      acknowledgements.emplace_back(tick + 6, writer.last_number());
      REQUIRE(reader.entities().size() == kEntities);
      for (const SeenEntity& seen : reader.entities()) {
        if (Tick(tick) - seen.tick > kPastTicksMax) continue;  // The world has dropped the values.
        const LaneValue* truth = world.row(seen.tick.value(), codec_id(seen.id));
        REQUIRE(std::equal(truth, truth + 2, seen.values));
        if (seen.tick == Tick(tick)) ++updates;
      }
    }
    while (!acknowledgements.empty() && acknowledgements.front().first <= tick) {
      writer.acknowledge(acknowledgements.front().second);
      acknowledgements.pop_front();
    }
  }
  CHECK(updates > kEntities * 6'000 / seldom / 2);
}

TEST_CASE("A writer sends the whole state again after a long time without `keep` calls",
          "[net][snapshot]") {
  Random random(4);
  const SnapshotModel model = walkers();
  SnapshotWriter writer(model);
  ForgetfulWorld world(3);
  std::array<std::byte, 1200> memory{};
  std::uint32_t tick = 0;
  std::size_t small = 0;
  for (; tick < 100; ++tick) {
    const std::vector<EntityState> states = world.at(tick, random);
    writer.keep(Tick(tick));
    writer.begin(Tick(tick), states);
    small = writer.write(memory).size();
    writer.acknowledge(writer.last_number());
  }
  for (; tick < 1'000; ++tick) (void)world.at(tick, random);
  const std::vector<EntityState> states = world.at(tick, random);
  const std::size_t memory_before = writer.memory_bytes();
  writer.keep(Tick(tick));
  CHECK(writer.memory_bytes() == memory_before);  // Copies of dropped values would use memory.
  writer.begin(Tick(tick), states);
  SnapshotReader reader(model);
  // A new reader can read this snapshot, because it has no references.
  CHECK(reader.read(writer.write(memory)) == SnapshotVerdict::applied);
  CHECK(small > 0);
}

TEST_CASE("Each call checks a part of the entities for old states, even if ticks are skipped",
          "[net][snapshot]") {
  constexpr std::uint32_t kEntities = 6'400;
  const std::uint32_t step =
      GENERATE(1U, 2U, 3U, 7U, 8U);  // A game server runs at most 8 ticks per frame.
  CAPTURE(step);
  Random random(6);
  const SnapshotModel model = walkers();
  SnapshotWriter writer(model);
  ForgetfulWorld world(kEntities);
  std::vector<std::byte> memory(1U << 20U);
  const std::vector<EntityState> states = world.at(0, random);
  writer.keep(Tick(0));
  writer.begin(Tick(0), states);
  REQUIRE_FALSE(writer.write(memory).empty());
  REQUIRE(writer.is_done());
  writer.acknowledge(writer.last_number());
  std::uint64_t before = writer.checked_count();
  std::uint64_t sum = 0;
  for (std::uint32_t tick = step; tick < 256; tick += step) {
    writer.keep(Tick(tick));
    const std::uint64_t checked = writer.checked_count() - before;
    before = writer.checked_count();
    CAPTURE(tick);
    CHECK(checked <= step * kEntities / 20 + 128);
    sum += checked;
  }
  CHECK(sum >= kEntities);  // Each entity was searched at least once.
}

TEST_CASE("No old states are copied while the receiver acknowledges recent snapshots",
          "[net][snapshot]") {
  const std::uint32_t snapshot_ticks = GENERATE(1U, 3U, 6U);
  const std::uint32_t call_ticks = GENERATE(1U, 3U);
  CAPTURE(snapshot_ticks, call_ticks);
  Random random(7);
  const SnapshotModel model = walkers();
  SnapshotWriter writer(model);
  ForgetfulWorld world(100);
  std::array<std::byte, 1200> memory{};
  std::size_t memory_before = 0;
  for (std::uint32_t tick = 0; tick < 1'000; ++tick) {
    const std::vector<EntityState> states = world.at(tick, random);
    if (tick % call_ticks == 0) writer.keep(Tick(tick));
    if (tick % snapshot_ticks == 0) {
      writer.begin(Tick(tick), states);
      REQUIRE_FALSE(writer.write(memory).empty());
      REQUIRE(writer.is_done());
      writer.acknowledge(writer.last_number());
    }
    if (tick == 150) memory_before = writer.memory_bytes();  // No state is old enough yet.
  }
  CHECK(writer.memory_bytes() == memory_before);
}

TEST_CASE("In an outage at most two old states of an entity are copied", "[net][snapshot]") {
  constexpr std::uint32_t kEntities = 100;
  const std::uint32_t unacknowledged = GENERATE(10U, 48U);
  CAPTURE(unacknowledged);
  Random random(8);
  const SnapshotModel model = walkers();
  SnapshotWriter writer(model);
  ForgetfulWorld world(kEntities);
  std::array<std::byte, 1200> memory{};
  const auto write = [&](std::uint32_t tick, std::span<const EntityState> states) {
    writer.begin(Tick(tick), states);
    REQUIRE_FALSE(writer.write(memory).empty());
    REQUIRE(writer.is_done());
  };
  std::uint32_t tick = 0;
  for (; tick < 100; ++tick) {
    const std::vector<EntityState> states = world.at(tick, random);
    writer.keep(Tick(tick));
    write(tick, states);
    if (tick + unacknowledged < 100) writer.acknowledge(writer.last_number());
  }
  const std::size_t memory_before = writer.memory_bytes();
  for (; tick < 450; ++tick) {
    (void)world.at(tick, random);
    writer.keep(Tick(tick));
  }
  // A copy uses a list node and a row, and the containers grow by doubling.
  constexpr std::size_t kCopyBytes = 2 * (32 + 2 * sizeof(LaneValue) + sizeof(LaneValue*));
  CHECK(writer.memory_bytes() - memory_before <= (2 * kEntities + 64) * kCopyBytes);
  const std::vector<EntityState> states = world.at(tick, random);
  writer.keep(Tick(tick));
  write(tick, states);
  CHECK(writer.unacknowledged_count() <= unacknowledged + 1);  // The receiver still has references.
}

TEST_CASE("An entity with new values in a reused row counts as changed", "[net][snapshot]") {
  // The number of snapshots for which the entity is unchanged.
  const std::uint32_t snapshots = GENERATE(20U, 150U);
  const SnapshotModel model = walkers();
  SnapshotWriter writer(model);
  SnapshotReader reader(model);
  std::array<LaneValue, 2> row{5, 5};
  const std::array<EntityState, 1> world{{{.id = SliceId{3}, .kind = {}, .values = row.data()}}};
  std::array<std::byte, 200> memory{};
  const auto exchange = [&](std::uint32_t tick) {
    writer.begin(Tick(tick), world);
    REQUIRE(reader.read(writer.write(memory)) == SnapshotVerdict::applied);
    writer.acknowledge(writer.last_number());
    return *reader.entities()[0].values;
  };
  std::uint32_t tick = 0;
  for (; tick < snapshots; ++tick) {
    writer.keep(Tick(tick));
    REQUIRE(exchange(tick) == 5);
  }
  for (const std::uint32_t end = tick + 600; tick < end; ++tick) {
    if (tick == end - 300) row = {9, 9};
    writer.keep(Tick(tick));
  }
  CAPTURE(snapshots);
  CHECK(exchange(tick) == 9);
}

}  // namespace muster
