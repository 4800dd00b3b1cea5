// Worlds that live by a seed, links that lose, and clients that must come to see the same.
#include <algorithm>
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

using std::chrono::milliseconds;

/// The world of a seed: what may happen in a tick.
class Course {
 public:
  explicit Course(ReplicationStage& stage) : stage_(stage) {}

  void live(bool is_quiet) {
    if (is_quiet) return;
    Random& random = stage_.random;
    if (random.below(400) == 0) {
      stage_.server.begin_map(bytes_of({1, 2, 3}));
      stage_.values.clear();
    }
    std::set<std::uint32_t> gone;
    for (std::uint64_t i = random.below(3); i > 0 && !stage_.values.empty(); --i) {
      if (random.below(3) != 0) continue;
      const std::uint32_t id = any_id();
      gone.insert(id);
      stage_.despawn(id);
    }
    for (std::uint64_t i = random.below(3); i > 0 && stage_.values.size() < 40; --i) {
      const auto id = static_cast<std::uint32_t>(random.below(60));
      if (gone.contains(id) || was_cleared(id) || stage_.values.contains(id)) continue;
      stage_.spawn(id, {.type = static_cast<std::uint16_t>(random.below(2)),
                        .owner = static_cast<PlayerNumber>(random.below(4)),
                        .relevance = Relevance::always});
    }
    for (const auto& [id, values] : stage_.values) {
      if (random.below(4) == 0) stage_.stir(id);
      if (random.below(200) == 0) {
        stage_.server.world().set_owner(id, static_cast<PlayerNumber>(random.below(4)));
      }
    }
  }

 private:
  std::uint32_t any_id() {
    auto at = stage_.values.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(stage_.random.below(stage_.values.size())));
    return at->first;
  }
  bool was_cleared(std::uint32_t) const { return false; }

  ReplicationStage& stage_;
};

LinkOptions bad_link(Random& random) {
  LinkOptions link{.latency = milliseconds(random.below(120)),
                   .jitter = milliseconds(random.below(40)),
                   .loss = static_cast<double>(random.below(25)) / 100,
                   .duplicate = static_cast<double>(random.below(5)) / 100};
  if (random.below(3) == 0) {
    link.burst_begin = 0.01;
    link.burst_end = 0.15;
  }
  return link;
}

}  // namespace

TEST_CASE("After quiescence every client sees the server's world",
          "[net][replication][sys-33][sys-34][sys-45][sys-46][sys-47]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    ReplicationStage stage(seed);
    Course course(stage);
    const auto join = [&](PlayerNumber player) {
      stage.join(bad_link(stage.random), bad_link(stage.random), {.player = player});
    };
    join(0);
    join(1);
    for (int i = 0; i < 240; ++i) {
      if (i == 100) join(2);
      if (i == 150) stage.leave(1);
      stage.step([&] { course.live(false); });
    }
    stage.run(240);
    const std::array<PlayerNumber, 2> players = {0, 2};
    for (std::size_t i = 0; i < stage.clients.size(); ++i) {
      CAPTURE(i);
      CHECK(stage.clients[i]->replication->phase() == ReplicationPhase::playing);
      CHECK(stage.difference(*stage.clients[i], players[i]).empty());
      CHECK(stage.clients[i]->replication->counters().malformed == 0);
      CHECK(stage.clients[i]->replication->counters().divergences == 0);
    }
    CHECK(stage.server_log.all.empty());
  }
}

TEST_CASE("A client that joins late is sent everything", "[net][replication][sys-33]") {
  ReplicationStage stage(1);
  stage.step([&] {
    for (std::uint32_t id = 0; id < 300; ++id) {
      stage.spawn(id, {.type = static_cast<std::uint16_t>(id % 2), .relevance = Relevance::always});
    }
  });
  ReplicationStage::Client& client = stage.join({.latency = milliseconds(40)});
  stage.run(300);
  CHECK(stage.difference(client).empty());
  CHECK(client.world.spawned == 300);
}

TEST_CASE("The owner receives what only the owner may know, others the rest",
          "[net][replication][sys-40]") {
  ReplicationStage stage(2);
  ReplicationStage::Client& owner = stage.join({}, {}, {.player = 3});
  ReplicationStage::Client& other = stage.join({}, {}, {.player = 4});
  stage.step([&] { stage.spawn(5, {.type = 0, .owner = 3, .relevance = Relevance::always}); });
  stage.run(30);
  constexpr std::size_t kAmmo = 10;
  constexpr std::size_t kSway = 11;
  REQUIRE(stage.values[5][kAmmo] != 0);
  REQUIRE(stage.values[5][kSway] != 0);
  CHECK(owner.world.entities.at(5).values[kAmmo] == stage.values[5][kAmmo]);
  CHECK(owner.world.entities.at(5).values[kSway] == 0);
  CHECK(other.world.entities.at(5).values[kAmmo] == 0);
  CHECK(other.world.entities.at(5).values[kSway] == stage.values[5][kSway]);
  // Another owner: the same entity, looked at differently.
  stage.step([&] { stage.server.world().set_owner(5, 4); });
  stage.run(30);
  CHECK(other.world.entities.at(5).values[kAmmo] == stage.values[5][kAmmo]);
  CHECK(other.world.entities.at(5).seen_by == SeenBy::owner);
  CHECK(other.world.spawned == 1);
  CHECK(other.world.despawned == 0);
}

TEST_CASE("A world that rests costs a few bytes a snapshot", "[net][replication]") {
  ReplicationStage stage(3);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 200; ++id) stage.spawn(id, {.relevance = Relevance::always});
  });
  stage.run(120);
  const ClientViewCounters before = stage.server.view(client.id)->counters();
  stage.run(300);
  const ClientViewCounters& after = stage.server.view(client.id)->counters();
  const auto snapshots = after.snapshots - before.snapshots;
  CHECK(snapshots >= 90);
  // One byte is the payload's own, nine in eight snapshots are a checksum's.
  CHECK(after.snapshot_bytes - before.snapshot_bytes <= snapshots * 7);
}

TEST_CASE("What is narrow goes to the most urgent first, and nothing waits for ever",
          "[net][replication][sys-31]") {
  ReplicationServerOptions options;
  options.classes = {{.weight = 1, .longest_ticks = 240}, {.weight = 20}};
  ReplicationStage stage(4, options);
  ReplicationClientOptions client_options;
  client_options.wish.bytes_per_second = 3'000;
  ReplicationStage::Client& client = stage.join({}, {}, {}, client_options);
  stage.step([&] {
    for (std::uint32_t id = 0; id < 100; ++id) {
      stage.spawn(id, {.type = 1,
                       .relevance = Relevance::always,
                       .update_class = static_cast<std::uint8_t>(id < 5 ? 1 : 0)});
    }
  });
  stage.run(400);
  REQUIRE(stage.difference(client).empty());
  std::map<std::uint32_t, int> updates;
  std::map<std::uint32_t, std::uint32_t> last;
  std::uint32_t longest = 0;
  for (int i = 0; i < 1200; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < 100; ++id) stage.stir(id);
    });
    for (const auto& [id, entity] : client.world.entities) {
      if (entity.tick == last[id]) continue;
      if (last[id] != 0 && i > 300) longest = std::max(longest, entity.tick - last[id]);
      last[id] = entity.tick;
      ++updates[id];
    }
  }
  const auto& counters = stage.server.view(client.id)->counters();
  CHECK(counters.held > 0);
  CHECK(static_cast<double>(counters.snapshot_bytes) / (1601 / 60.0) < 1.15 * 3'000);
  int urgent = 0;
  int plain = 0;
  for (const auto& [id, count] : updates) (id < 5 ? urgent : plain) += count;
  CHECK(urgent / 5 > 3 * plain / 95);
  CHECK(longest < 600);
}

}  // namespace muster
