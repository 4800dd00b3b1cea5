// An entity of low weight is updated after `longest_ticks`, even if more urgent entities need all
// the room.
#include <algorithm>
#include <map>
#include <utility>

#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

constexpr std::uint32_t kUrgent = 40;
constexpr std::uint32_t kPlain = 30;
/// Returns the maximum ticks between two updates of a plain entity at a client. The urgent entities
/// alone need more than the room.
std::uint32_t longest_wait(std::uint16_t longest_ticks, double loss) {
  ReplicationServerOptions options;
  options.classes = {{.weight = 1, .longest_ticks = longest_ticks}, {.weight = 1'000}};
  ReplicationStage stage(4, options);
  const LinkOptions link{.latency = std::chrono::milliseconds(30), .loss = loss};
  ReplicationStage::Client& client =
      stage.join(link, link, {}, {.wish = {.bytes_per_second = 3'000}});
  stage.step([&] {
    for (std::uint32_t id = 0; id < kUrgent + kPlain; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{1},
                                  .relevance = Relevance::always,
                                  .update_class = static_cast<std::uint8_t>(id < kUrgent ? 1 : 0)});
    }
  });
  stage.run(400);
  REQUIRE(stage.difference(client).empty());
  const std::uint32_t begin = stage.tick;  // Nothing changed before this tick.
  std::map<std::uint32_t, std::uint32_t> last;
  std::uint32_t longest = 0;
  std::uint32_t updates = 0;
  for (int i = 0; i < 3'000; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < kUrgent + kPlain; ++id) stage.stir(NetworkId{id});
    });
    for (std::uint32_t id = kUrgent; id < kUrgent + kPlain; ++id) {
      const std::uint32_t updated =
          std::max(client.world.entities.at(NetworkId{id}).tick.value(), begin);
      if (std::exchange(last[id], updated) != updated) ++updates;
      longest = std::max(longest, stage.tick - updated);
    }
  }
  CHECK(client.world.despawned == 0);
  // The plain entities are updated only slightly more often than `longest_ticks` of their class
  // requires.
  CHECK(updates < kPlain * 3'000U / longest_ticks * 5 / 4);
  CHECK(stage.server.view(client.id)->counters().deferred > 10'000);
  return longest;
}

}  // namespace

TEST_CASE("An overdue change is sent even when more urgent changes need all the space",
          "[net][replication][sys-31]") {
  const auto longest_ticks = GENERATE(60U, 120U, 240U);
  const auto loss = GENERATE(0.0, 0.1);
  const std::uint32_t waited = longest_wait(static_cast<std::uint16_t>(longest_ticks), loss);
  CAPTURE(longest_ticks, loss, waited);
  // All plain entities become overdue in one tick and share a quarter of the room in turns. The
  // link adds its latency, and a loss adds the time until it is detected.
  constexpr std::uint32_t kTurnsAndLatency = 52;
  constexpr std::uint32_t kLosses = 40;
  CHECK(waited >= longest_ticks);
  CHECK(waited <= longest_ticks + kTurnsAndLatency + (loss > 0 ? kLosses : 0));
}

TEST_CASE("A client keeps a far entity that is updated only every 2,000 ticks",
          "[net][replication]") {
  ReplicationServerOptions options;
  options.classes = {{.radius = 100, .near_distance = 20, .far_ticks = 2'000}};
  ReplicationStage stage(6, options);
  ReplicationStage::Client& client = stage.join({.loss = 0.2}, {.loss = 0.2});
  stage.server.set_view_position(client.id, {});
  stage.step([&] { stage.spawn(NetworkId{2}, {.type = SchemaType{1}, .position = {.x = 80}}); });
  stage.run(60);
  std::uint32_t updates = 0;
  Tick updated;
  for (int i = 0; i < 10'000; ++i) {
    stage.step([&] { stage.stir(NetworkId{2}); });
    REQUIRE(client.world.entities.contains(NetworkId{2}));
    if (std::exchange(updated, client.world.entities.at(NetworkId{2}).tick) != updated) ++updates;
  }
  CHECK(client.world.spawned == 1);
  // 10,000 ticks contain five intervals of `far_ticks`. An update is repeated when its delivery
  // report is lost.
  CHECK(updates >= 4);
  CHECK(updates <= 10);
}

TEST_CASE("A client that requests one byte per second costs a server without entities nothing",
          "[net][replication]") {
  const bool has_far_entities = GENERATE(false, true);
  ReplicationServerOptions options;
  options.classes = {{.radius = 10}};
  ReplicationStage stage(7, options);
  ReplicationStage::Client& client = stage.join({}, {}, {}, {.wish = {.bytes_per_second = 1}});
  stage.server.set_view_position(client.id, {});
  stage.step([&] {
    if (has_far_entities)
      stage.spawn(NetworkId{1}, {.type = SchemaType{1}, .position = {.x = 1'000}});
  });
  // The remaining room falls below a snapshot's overhead, so the room for changes is negative.
  stage.run(2'000);
  CAPTURE(has_far_entities);
  CHECK(stage.server.view(client.id)->counters().snapshots > 0);
  CHECK(stage.server.view(client.id)->counters().deferred == 0);
  CHECK(client.world.entities.empty());
  CHECK(client.world.fault.empty());
}

}  // namespace muster
