// Tests the parts of replication together, with a few seeds, and separately. `tests/soak` has
// thousands of seeds.
#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

#include "tests/support/replication_course.h"

namespace muster {

TEST_CASE("When changes stop, every client gets the server's world",
          "[net][replication][sys-33][sys-34][sys-45][sys-46][sys-47]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    CHECK(play_course(seed).empty());
  }
}

TEST_CASE("A client that joins late is sent everything", "[net][replication][sys-33]") {
  ReplicationStage stage(1);
  stage.step([&] {
    for (std::uint32_t id = 0; id < 300; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{static_cast<std::uint16_t>(id % 2)},
                                  .relevance = Relevance::always});
    }
  });
  ReplicationStage::Client& client = stage.join({.latency = std::chrono::milliseconds(40)});
  stage.run(300);
  CHECK(stage.difference(client).empty());
  CHECK(client.world.spawned == 300);
}

TEST_CASE("The owner receives the owner's fields, and other clients receive the other fields",
          "[net][replication][sys-40]") {
  ReplicationStage stage(2);
  ReplicationStage::Client& owner = stage.join({}, {}, {.player = PlayerId{3}});
  ReplicationStage::Client& other = stage.join({}, {}, {.player = PlayerId{4}});
  stage.step([&] {
    stage.spawn(NetworkId{5},
                {.type = SchemaType{0}, .owner = PlayerId{3}, .relevance = Relevance::always});
  });
  stage.run(30);
  constexpr std::size_t kAmmo = 10;
  constexpr std::size_t kSway = 11;
  REQUIRE(stage.values[NetworkId{5}][kAmmo] != 0);
  REQUIRE(stage.values[NetworkId{5}][kSway] != 0);
  CHECK(owner.world.entities.at(NetworkId{5}).values[kAmmo] == stage.values[NetworkId{5}][kAmmo]);
  CHECK(owner.world.entities.at(NetworkId{5}).values[kSway] == 0);
  CHECK(other.world.entities.at(NetworkId{5}).values[kAmmo] == 0);
  CHECK(other.world.entities.at(NetworkId{5}).values[kSway] == stage.values[NetworkId{5}][kSway]);
  // With another owner, the client receives the same entity in another view.
  stage.step([&] { stage.server.world().set_owner(NetworkId{5}, PlayerId{4}); });
  stage.run(30);
  CHECK(other.world.entities.at(NetworkId{5}).values[kAmmo] == stage.values[NetworkId{5}][kAmmo]);
  CHECK(other.world.entities.at(NetworkId{5}).seen_by == SeenBy::owner);
  CHECK(other.world.spawned == 1);
  CHECK(other.world.despawned == 0);
}

TEST_CASE("A client that becomes another player gets the other view of existing entities",
          "[net][replication][sys-40]") {
  ReplicationStage stage(3);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    stage.spawn(NetworkId{5},
                {.type = SchemaType{0}, .owner = PlayerId{3}, .relevance = Relevance::always});
  });
  stage.run(30);
  REQUIRE(stage.difference(client).empty());
  stage.server.set_info(client.id, {.player = PlayerId{3}});
  for (int i = 0; i < 10; ++i) stage.step([&] { stage.stir(NetworkId{5}); });
  stage.run(30);
  CHECK(client.world.entities.at(NetworkId{5}).seen_by == SeenBy::owner);
  CHECK(stage.difference(client, PlayerId{3}).empty());
  stage.server.set_info(client.id, {.player = PlayerId{8}});
  for (int i = 0; i < 10; ++i) stage.step([&] { stage.stir(NetworkId{5}); });
  stage.run(30);
  CHECK(stage.difference(client, PlayerId{8}).empty());
  CHECK(client.world.despawned == 0);
}

TEST_CASE("A change of owner far away removes and creates no entities", "[net][replication]") {
  ReplicationServerOptions options;
  options.snapshot_ticks = 1;
  options.classes = {{.radius = 100, .near_distance = 10, .far_ticks = 30}};
  ReplicationStage stage(4, options);
  ReplicationStage::Client& client = stage.join({}, {}, {.player = PlayerId{4}});
  stage.server.set_view_position(client.id, {});
  stage.step([&] {
    stage.spawn(NetworkId{5}, {.type = SchemaType{0},
                               .owner = PlayerId{3},
                               .relevance = Relevance::near,
                               .position = {.x = 50}});
  });
  stage.run(60);
  stage.step([&] { stage.stir(NetworkId{5}); });
  stage.run(8);
  stage.step([&] { stage.server.world().set_owner(NetworkId{5}, PlayerId{4}); });
  stage.run(90);
  CHECK(client.world.despawned == 0);
  CHECK(client.world.entities.at(NetworkId{5}).seen_by == SeenBy::owner);
  CHECK(stage.difference(client, PlayerId{4}).empty());
}

TEST_CASE(
    "A client that requests almost nothing costs the server no more memory than other clients",
    "[net][replication]") {
  ReplicationServerOptions options;
  options.snapshot_ticks = 1;
  ReplicationStage stage(5, options);
  ReplicationStage::Client& meagre = stage.join({}, {}, {}, {.wish = {.bytes_per_second = 1}});
  stage.step([&] {
    for (std::uint32_t id = 1; id <= 300; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
  });
  stage.run(100);
  const std::size_t before = stage.server.view(meagre.id)->memory_bytes();
  for (int i = 0; i < 600; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 1; id <= 300; ++id) stage.stir(NetworkId{id});
    });
  }
  CHECK(stage.server.view(meagre.id)->memory_bytes() < before + 64 * 1024);
}

TEST_CASE("An unchanged world costs a few bytes per snapshot", "[net][replication]") {
  ReplicationStage stage(3);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 200; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
  });
  stage.run(120);
  const ClientViewCounters before = stage.server.view(client.id)->counters();
  stage.run(300);
  const ClientViewCounters& after = stage.server.view(client.id)->counters();
  const auto snapshots = after.snapshots - before.snapshots;
  CHECK(snapshots >= 90);
  // Each payload has one byte of flags. One of eight payloads has nine bytes of a checksum.
  CHECK(after.snapshot_bytes - before.snapshot_bytes <= snapshots * 7);
}

TEST_CASE("The most urgent changes are sent first over a slow link, and no change waits forever",
          "[net][replication][sys-31]") {
  ReplicationServerOptions options;
  options.classes = {{.weight = 1, .longest_ticks = 240}, {.weight = 20}};
  ReplicationStage stage(4, options);
  ReplicationClientOptions client_options;
  client_options.wish.bytes_per_second = 3'000;
  ReplicationStage::Client& client = stage.join({}, {}, {}, client_options);
  stage.step([&] {
    for (std::uint32_t id = 0; id < 100; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{1},
                                  .relevance = Relevance::always,
                                  .update_class = static_cast<std::uint8_t>(id < 5 ? 1 : 0)});
    }
  });
  stage.run(400);
  REQUIRE(stage.difference(client).empty());
  std::map<NetworkId, int> updates;
  std::map<NetworkId, Tick> last;
  std::uint32_t longest = 0;
  for (int i = 0; i < 1200; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < 100; ++id) stage.stir(NetworkId{id});
    });
    for (const auto& [id, entity] : client.world.entities) {
      if (entity.tick == last[id]) continue;
      if (last[id] != Tick() && i > 300) longest = std::max(longest, entity.tick - last[id]);
      last[id] = entity.tick;
      ++updates[id];
    }
  }
  const auto& counters = stage.server.view(client.id)->counters();
  CHECK(counters.deferred > 0);
  CHECK(static_cast<double>(counters.snapshot_bytes) / (1601 / 60.0) < 1.15 * 3'000);
  int urgent = 0;
  int plain = 0;
  for (const auto& [id, count] : updates) (wire_id(id) < 5 ? urgent : plain) += count;
  CHECK(urgent / 5 > 3 * plain / 95);
  CHECK(longest <= 240);
}

}  // namespace muster
