// When a client has been told of all that there was when it came.
#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {

TEST_CASE("A client knows when it was told of all that there was when it came",
          "[net][replication][sys-15][property]") {
  const auto seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  constexpr std::uint32_t kFirst = 300;
  ReplicationStage stage(seed);
  std::uint32_t next = 0;
  const auto spawn = [&] { stage.spawn(next++, {.relevance = Relevance::always}); };
  stage.step([&] {
    while (next < kFirst) spawn();
  });
  const LinkOptions link{.latency = std::chrono::milliseconds(40), .loss = 0.2};
  // So little that the first of them take many snapshots, while others come and go all the time.
  ReplicationStage::Client& client =
      stage.join(link, link, {}, {.wish = {.snapshot_ticks = 0, .bytes_per_second = 10'000}});
  bool was_short = false;
  for (int i = 0; i < 1'800 && !client.replication->is_complete(); ++i) {
    was_short = was_short || (!client.world.entities.empty() && client.world.entities.size() < 200);
    stage.step([&] {
      spawn();
      if (stage.tick % 8 == 0) stage.despawn(next - 5);
      if (stage.tick % 16 == 0 && stage.tick / 16 < kFirst) stage.despawn(stage.tick / 16);
    });
  }
  CHECK(was_short);
  REQUIRE(client.replication->is_complete());
  for (std::uint32_t id = 0; id < kFirst; ++id) {
    CAPTURE(id);
    CHECK((client.world.entities.contains(id) || stage.server.world().find(id) == nullptr));
  }
}

TEST_CASE("Of a world without anything a client is told all at once", "[net][replication]") {
  ReplicationStage stage(1);
  const ReplicationStage::Client& client = stage.join();
  CHECK_FALSE(client.replication->is_complete());
  stage.run(30);
  CHECK(client.replication->counters().snapshots > 0);
  CHECK(client.replication->is_complete());
}

TEST_CASE("Of another map a client knows nothing yet", "[net][replication]") {
  ReplicationStage stage(2);
  const ReplicationStage::Client& client = stage.join();
  stage.run(30);
  REQUIRE(client.replication->is_complete());
  bool was_over = false;
  for (int i = 0; i < 60; ++i) {
    stage.step([&] {
      if (i == 0) stage.server.begin_map({});
      if (i == 1) stage.spawn(3, {.relevance = Relevance::always});
    });
    if (client.replication->is_complete()) continue;
    was_over = true;
  }
  CHECK(was_over);
  CHECK(client.replication->is_complete());
  CHECK(client.world.entities.contains(3));
}

TEST_CASE("What asks for everything again is told of all once more", "[net][replication]") {
  ReplicationStage stage(3);
  stage.step([&] { stage.spawn(1, {.relevance = Relevance::always}); });
  ReplicationStage::Client& client = stage.join();
  stage.run(30);
  REQUIRE(client.replication->is_complete());
  // A payload that no server sends: the client cannot read it, and says so.
  const std::vector<std::byte> damaged(3, std::byte{0xFF});
  REQUIRE(client.pair->a->connection.send_payload(damaged, 0) == SendStatus::queued);
  stage.run(60);
  CHECK(stage.server.view(client.id)->counters().resyncs == 1);
  CHECK(client.replication->is_complete());
  CHECK(stage.difference(client).empty());
}

}  // namespace muster
