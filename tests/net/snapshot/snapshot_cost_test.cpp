// Tests that snapshots of an unchanged world are small, and that snapshots of a world that does not
// grow allocate nothing.
#include <array>
#include <deque>

#include <catch2/catch.hpp>

#include "net/snapshot/snapshot_reader.h"
#include "net/snapshot/snapshot_writer.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/snapshot_samples.h"

namespace muster {
namespace {

using Values = std::vector<LaneValue>;

SnapshotModel model_of_walkers() {
  return untrained_model(
      {{.name = "walker",
        .lanes = {{.name = "x", .maximum = 65'535},
                  {.name = "y", .maximum = 65'535},
                  {.name = "yaw", .kind = LaneKind::angle, .maximum = 360, .period = 360},
                  {.name = "state", .kind = LaneKind::symbol, .maximum = 7},
                  {.name = "shot", .kind = LaneKind::tick, .maximum = 255}}}});
}

/// The maximum bytes of a snapshot of an unchanged world, after a time in which each snapshot is
/// acknowledged `ack_ticks` later.
std::size_t idle_bytes(std::size_t entities, std::uint32_t ack_ticks) {
  const SnapshotModel model = model_of_walkers();
  SnapshotWriter writer(model);
  SnapshotReader reader(model);
  const Values values = {500, 600, 90, 1, 3};
  std::vector<EntityState> world;
  for (std::uint32_t id = 1; id <= entities; ++id) {
    world.push_back({.id = SliceId{id}, .kind = {}, .values = values.data()});
  }
  std::deque<SnapshotNumber> acks;
  std::vector<std::byte> memory(100'000);
  std::size_t bytes_max = 0;
  for (std::uint32_t tick = 1; tick <= 600; ++tick) {
    writer.begin(Tick(tick), world);
    const std::span<const std::byte> bytes = writer.write(memory);
    REQUIRE(writer.is_done());
    if (tick > 100) bytes_max = std::max(bytes_max, bytes.size());
    REQUIRE(reader.read(bytes) == SnapshotVerdict::applied);
    acks.push_back(writer.last_number());
    while (!acks.empty() &&
           static_cast<SnapshotNumber>(writer.last_number() - acks.front()) + 1U >= ack_ticks) {
      writer.acknowledge(acks.front());
      acks.pop_front();
    }
  }
  REQUIRE(reader.entities().size() == entities);
  return bytes_max;
}

TEST_CASE("An unchanged world costs at most four bytes per snapshot", "[net][snapshot]") {
  const std::size_t entities = GENERATE(0U, 1U, 16U, 100U, 1000U, 10'000U);
  const std::uint32_t ack_ticks = GENERATE(1U, 6U, 24U, 60U);
  const std::size_t bytes = idle_bytes(entities, ack_ticks);
  CAPTURE(entities, ack_ticks, bytes);
  CHECK(bytes <= 4);
}

TEST_CASE("Snapshots of a world that does not grow allocate nothing", "[net][snapshot]") {
  const std::size_t datagram_bytes = GENERATE(200U, 1200U);
  const SnapshotCoder coder =
      GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman, SnapshotCoder::raw,
               SnapshotCoder::reference);
  CAPTURE(datagram_bytes, coder);
  const SnapshotModel model = model_of_walkers();
  SnapshotWriter writer(model, {.coder = coder});
  SnapshotReader reader(model, {}, {.coder = coder});
  Random random(2);
  const EntitySchema& schema = model.types[0].schema;
  constexpr std::size_t kEntities = 60;
  constexpr std::size_t kTicks = 600;
  // All states are prepared, so that the loop below runs only the codec.
  std::vector<std::vector<Values>> states(kTicks, std::vector<Values>(kEntities));
  for (std::size_t tick = 0; tick < kTicks; ++tick) {
    for (std::size_t id = 0; id < kEntities; ++id) {
      for (std::size_t lane = 0; lane < schema.lanes.size(); ++lane) {
        states[tick][id].push_back(
            tick == 0 ? random_value(random, schema.lanes[lane])
                      : next_value(random, schema.lanes[lane], states[tick - 1][id][lane]));
      }
    }
  }
  std::vector<EntityState> world(kEntities);
  std::array<std::byte, 1200> memory{};
  std::uint64_t settled = 0;
  for (std::uint32_t tick = 0; tick < kTicks; ++tick) {
    for (std::uint32_t id = 0; id < kEntities; ++id) {
      world[id] = {.id = SliceId{id + 1}, .kind = {}, .values = states[tick][id].data()};
    }
    if (tick == kTicks / 2) settled = allocation_count();
    writer.begin(Tick(tick), world);
    while (!writer.is_done()) {
      const auto bytes = writer.write(std::span(memory).first(datagram_bytes));
      const bool is_lost = random.below(100) < 10;
      if (is_lost || reader.read(bytes) != SnapshotVerdict::applied) continue;
      writer.acknowledge(reader.last_number());
    }
  }
  CHECK(allocation_count() == settled);
  CHECK(reader.entities().size() == kEntities);
}

}  // namespace
}  // namespace muster
