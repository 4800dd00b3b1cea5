// A client whose link is too slow for its world.
#include <deque>
#include <map>

#include <catch2/catch.hpp>

#include "tests/support/overload_stage.h"

namespace muster {
namespace {

constexpr int kSettleTicks = 1'800;
constexpr int kTicks = 600;

}  // namespace

TEST_CASE("A deferred entity costs an overloaded link almost nothing",
          "[net][replication][sys-31][sys-46]") {
  const bool has_view_position = GENERATE(false, true);
  const auto coder = GENERATE(SnapshotCoder::range, SnapshotCoder::mix);
  const OverloadScene scene{
      .entities = 200, .coder = coder, .has_view_position = has_view_position};
  const OverloadResult all = OverloadStage(scene, 0).measure(300, 300);
  struct Row {
    double share;
    /// The limit of the cost, as a multiple of the cost when all updates fit. The target is 1.3.
    double cost_max;
    /// The minimum number of updates, as a part of the fair share. The target is 0.8.
    double updates_min;
    const char* why;
  };
  // A random walk that is sent n times less often is less predictable. Each of its four lanes needs
  // log2(n) / 2 more bits. This alone multiplies the cost by 1.14 at a quarter, 1.23 at a tenth,
  // and 1.34 at 3 %.
  const Row row = GENERATE(Row{0.5, 1.15, 0.88, "half"}, Row{0.25, 1.25, 0.8, "a quarter"},
                           Row{0.1, 1.45, 0.68, "a tenth"}, Row{0.03, 1.75, 0.56, "3 %"});
  CAPTURE(has_view_position, coder, row.why);
  const auto budget = static_cast<std::uint32_t>(all.bytes_per_second * row.share);
  const OverloadResult result = OverloadStage(scene, budget).measure(kSettleTicks, kTicks);
  CHECK(result.bytes_per_update() <= row.cost_max * all.bytes_per_update());
  CHECK(result.updates_per_second >= all.updates_per_second * row.share * row.updates_min);
  CHECK(result.bytes_per_second <= 1.02 * budget);
  CHECK(result.false_despawns == 0);
  CHECK(result.missing == 0);
}

TEST_CASE("With a quarter of the bytes, near entities are at most a third as old as far entities",
          "[net][replication][sys-31]") {
  const auto coder = GENERATE(SnapshotCoder::range, SnapshotCoder::mix);
  const OverloadScene scene{.entities = 200, .coder = coder, .has_view_position = true};
  const OverloadResult all = OverloadStage(scene, 0).measure(300, 120);
  const auto budget = static_cast<std::uint32_t>(all.bytes_per_second / 4);
  const OverloadResult result = OverloadStage(scene, budget).measure(kSettleTicks, kTicks);
  CHECK(result.age_ticks.front() <= result.age_ticks.back() / 3);
  for (std::size_t i = 1; i < result.age_ticks.size(); ++i) {
    CAPTURE(i);
    CHECK(result.age_ticks[i] > result.age_ticks[i - 1] * 0.9);
  }
}

TEST_CASE("On an overloaded link, near entities are fresher even if far entities wait too long",
          "[net][replication][sys-31]") {
  struct Row {
    std::uint16_t longest_ticks;
    std::uint32_t entities;
    double link_bytes_per_second;
    int settle_ticks;
    const char* why;
  };
  const Row row = GENERATE(Row{60, 600, 3'500, 700, "8 % of the needed bytes"},
                           Row{160, 1'100, 3'000, 1'500, "4 % of the needed bytes"});
  CAPTURE(row.why);
  const OverloadScene scene{.entities = row.entities,
                            .has_view_position = true,
                            .longest_ticks = row.longest_ticks,
                            .link_bytes_per_second = row.link_bytes_per_second};
  const OverloadResult result = OverloadStage(scene, 0).measure(row.settle_ticks, 300);
  CAPTURE(result.age_ticks);
  // Otherwise nothing waits too long.
  CHECK(result.age_ticks.back() > row.longest_ticks);
  CHECK(result.age_ticks.front() <= result.age_ticks.back() / 2);
  CHECK(result.false_despawns == 0);
  CHECK(result.missing == 0);
  CHECK(result.queue_delay_max < std::chrono::milliseconds(250));
}

TEST_CASE("A new client on 32 kbit/s first gets the nearest 100 of 2,000 entities, and keeps them",
          "[net][replication][sys-47]") {
  const OverloadScene scene{.entities = 2'000, .has_view_position = true};
  OverloadStage stage(scene, 4'000);
  std::size_t had = 0;
  std::size_t there_when_near_are = 0;
  const auto& entities = stage.client().world.entities;
  for (int tick = 0; tick < 700; ++tick) {
    stage.step();
    std::size_t near = 0;
    for (std::uint32_t id = 1; id <= 100; ++id) near += entities.contains(NetworkId{id}) ? 1U : 0U;
    REQUIRE(near >= had);
    if (near == 100 && had < 100) there_when_near_are = entities.size();
    had = near;
  }
  CHECK(had == 100);
  CHECK(there_when_near_are < 600);
  CHECK(stage.client().world.despawned == 0);
}

TEST_CASE("At 16 kbit/s no entity is removed, although some wait for many seconds",
          "[net][replication][sys-47]") {
  const OverloadScene scene{.entities = 1'200, .has_view_position = true, .loss = 0.05};
  const OverloadResult result = OverloadStage(scene, 2'000).measure(2'400, 600);
  CHECK(result.false_despawns == 0);
  CHECK(result.missing == 0);
  // The world keeps replaced values for a shorter time.
  CHECK(result.age_ticks.back() > 255);
}

TEST_CASE("After an outage a client continues from its state", "[net][replication][sys-46]") {
  const bool is_both_ways = GENERATE(false, true);
  const int outage_ticks = GENERATE(150, 1'200);
  ReplicationStage stage(5, {.snapshot_ticks = 1});
  ReplicationStage::Client& client = stage.join({.latency = std::chrono::milliseconds(20)});
  stage.step([&] {
    for (std::uint32_t id = 1; id <= 40; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{1}, .relevance = Relevance::always});
    }
  });
  stage.run(60);
  const auto set_down = [&](bool is_down) {
    client.pair->network.link(client.pair->there_link).is_down = is_down;
    if (is_both_ways) client.pair->network.link(client.pair->back_link).is_down = is_down;
  };
  const auto move = [&] {
    for (std::uint32_t id = 1; id < 30; ++id) stage.stir(NetworkId{id});
  };
  set_down(true);
  for (int tick = 0; tick < outage_ticks; ++tick) stage.step(move);
  set_down(false);
  const ClientViewCounters before = stage.server.view(client.id)->counters();
  for (int tick = 0; tick < 60; ++tick) stage.step(move);
  CAPTURE(is_both_ways, outage_ticks);
  CHECK(Tick(stage.tick) - client.world.entities.at(NetworkId{1}).tick < 10);
  CHECK(client.world.despawned == 0);
  CHECK(client.world.spawned == 40);
  CHECK(stage.server.view(client.id)->counters().resyncs == before.resyncs);
  stage.run(60);
  CHECK(stage.difference(client).empty());
}

TEST_CASE("Entities that were idle may change and despawn during an outage", "[net][replication]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  const int change_tick = GENERATE(1, 100, 300);
  ReplicationStage stage(seed, {.snapshot_ticks = 1});
  ReplicationStage::Client& client = stage.join({.latency = std::chrono::milliseconds(20)});
  stage.step([&] {
    for (std::uint32_t id = 1; id <= 40; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{1}, .relevance = Relevance::always});
    }
  });
  // After more snapshots than the window has, unchanged entities are idle.
  stage.run(150);
  client.pair->network.link(client.pair->there_link).is_down = true;
  client.pair->network.link(client.pair->back_link).is_down = true;
  for (int tick = 0; tick < 700; ++tick) {
    stage.step([&] {
      // These entities reuse the rows of the removed entities as soon as the world frees the rows.
      for (std::uint32_t id = 1; id <= 20; ++id) stage.stir(NetworkId{id});
      if (tick % 31 != change_tick % 31 || tick < change_tick) return;
      for (std::uint32_t id = 21; id <= 30; ++id) stage.stir(NetworkId{id});
      if (tick != change_tick) return;
      for (std::uint32_t id = 31; id <= 35; ++id) stage.despawn(NetworkId{id});
    });
  }
  client.pair->network.link(client.pair->there_link).is_down = false;
  client.pair->network.link(client.pair->back_link).is_down = false;
  stage.run(60);
  CAPTURE(seed, change_tick);
  CHECK(stage.difference(client) == "");
  CHECK(client.world.spawned == 40);
  CHECK(client.world.despawned == 5);
  const ClientViewCounters& counters = stage.server.view(client.id)->counters();
  CHECK(counters.resyncs == 0);
  CHECK(counters.divergences == 0);
}

/// Projectiles appear and disappear on a link that is too slow for all of them, and sometimes no
/// packet of the client arrives. Returns the maximum ticks for which the client showed a projectile
/// after its removal.
std::uint32_t longest_ghost_ticks(ReplicationStage& stage, ReplicationStage::Client& client) {
  constexpr std::uint32_t kAlive = 40;
  std::map<std::uint32_t, std::uint32_t> gone_at;
  // The ids of projectiles, and the ticks at which the projectiles end.
  std::deque<std::pair<std::uint32_t, std::uint32_t>> alive;
  std::uint32_t next_id = 1'000;
  std::uint32_t longest = 0;
  for (int tick = 0; tick < 3'000; ++tick) {
    client.pair->network.link(client.pair->back_link).is_down = tick % 200 < 18;
    stage.step([&] {
      for (std::uint32_t id = 1; id <= 100; ++id) stage.stir(NetworkId{id});
      for (; !alive.empty() && alive.front().second <= stage.tick; alive.pop_front()) {
        stage.despawn(NetworkId{alive.front().first});
        gone_at[alive.front().first] = stage.tick;
      }
      for (int i = 0; i < 3; ++i, ++next_id) {
        stage.spawn(NetworkId{next_id}, {.type = SchemaType{1}, .relevance = Relevance::always});
        alive.emplace_back(next_id, stage.tick + kAlive);
      }
    });
    for (const auto& [id, entity] : client.world.entities) {
      const auto found = gone_at.find(wire_id(id));
      if (found != gone_at.end()) longest = std::max(longest, stage.tick - found->second);
    }
  }
  return longest;
}

TEST_CASE("An overloaded client removes a despawned entity within seconds", "[net][replication]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  const std::uint32_t bytes_per_second = GENERATE(3'000U, 8'000U);
  ReplicationServerOptions options;
  options.snapshot_ticks = 3;
  ReplicationStage stage(seed, options);
  const LinkOptions link{.latency = std::chrono::milliseconds(50), .loss = 0.02};
  ReplicationStage::Client& client =
      stage.join(link, link, {}, {.wish = {.bytes_per_second = bytes_per_second}});
  stage.step([&] {
    for (std::uint32_t id = 1; id <= 100; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{1}, .relevance = Relevance::always});
    }
  });
  stage.run(600);
  const std::uint32_t longest = longest_ghost_ticks(stage, client);
  CAPTURE(seed, bytes_per_second);
  CHECK(longest > 0);
  CHECK(longest <= 8 * 60);
  CHECK(client.world.fault.empty());
  CHECK(client.world.spawned > 300);  // Projectiles are shown, too.
  for (std::uint32_t id = 1; id <= 100; ++id) CHECK(client.world.entities.contains(NetworkId{id}));
}

}  // namespace muster
