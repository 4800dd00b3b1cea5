#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

/// A game that gets two values of one entity wrong: Motion.turn[3] and Health.points.
class WrongGame final : public EntityValues {
 public:
  explicit WrongGame(const ReplicationStage& stage) : stage_(stage) {}
  bool values(std::uint32_t id, std::span<std::int64_t> values) const override {
    const auto& truth = stage_.values.at(id);
    std::copy(truth.begin(), truth.end(), values.begin());
    if (id != wrong_id) return true;
    values[7] = values[7] == 1 ? 2 : 1;
    values[8] = (values[8] + 1) % 200;
    return true;
  }
  std::uint32_t wrong_id = 0;

 private:
  const ReplicationStage& stage_;
};

}  // namespace

TEST_CASE("Where both sides have the same, checksums agree", "[net][replication][sys-48]") {
  ReplicationStage stage(1);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 20; ++id) stage.spawn(id, {.relevance = Relevance::always});
  });
  for (int i = 0; i < 400; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < 20; ++id) stage.stir(id);
    });
  }
  CHECK(client.replication->counters().checksums >= 10);
  CHECK(client.replication->counters().divergences == 0);
  CHECK(client.log.all.empty());
}

TEST_CASE("A game that made something else of what it was told is found, by the field's name",
          "[net][replication][sys-48]") {
  ReplicationServerOptions options;
  options.checksum_interval = 1;
  ReplicationStage stage(2, options);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 5; ++id) stage.spawn(id, {.relevance = Relevance::always});
  });
  WrongGame game(stage);
  game.wrong_id = 3;
  stage.game = &game;
  stage.run(120);
  REQUIRE_FALSE(stage.server_log.all.empty());
  REQUIRE_FALSE(client.log.all.empty());
  for (const DivergenceList* log : {&stage.server_log, &client.log}) {
    CHECK(log->all[0].id == 3);
    CHECK(log->all[0].type == 7);
    CHECK(log->all[0].field == "Motion.turn[3]");
    CHECK(log->all[0].server_value != log->all[0].client_value);
  }
  CHECK(client.replication->counters().divergences > 0);
  // Everything was sent again, and play went on.
  CHECK(stage.server.view(client.id)->counters().resyncs > 0);
  stage.game = nullptr;
  stage.run(60);
  CHECK(stage.difference(client).empty());
  CHECK(client.world.spawned == 5);
}

TEST_CASE("What a client calls diverged shows it nothing that it was not told",
          "[net][replication][sys-48]") {
  ReplicationStage stage(6);
  ReplicationStage::Client& client = stage.join({}, {}, {.player = 4});
  stage.step([&] {
    stage.spawn(5, {.type = 0, .owner = 3, .relevance = Relevance::always});
    stage.spawn(6, {.type = 0, .owner = 3, .relevance = Relevance::owner});
    stage.spawn(7, {.type = 1, .relevance = Relevance::always});
  });
  stage.run(30);
  const TypeViews& views = stage.server.world().views();
  const auto claim = [&](std::uint32_t id, std::uint16_t type, SeenBy seen_by) {
    const DivergedMessage message{.id = id,
                                  .tick = stage.tick,
                                  .codec_type = views.codec_type(type, seen_by),
                                  .lanes = std::vector<LaneValue>(kDivergedLanesMax, 77)};
    REQUIRE(client.pair->b->connection.send_message(0, encode(message)) == SendStatus::queued);
    stage.run(12);
  };
  claim(5, 0, SeenBy::owner);   // Not as it was told.
  claim(6, 0, SeenBy::others);  // Never told.
  claim(7, 0, SeenBy::others);  // Of another type, which has more lanes.
  CHECK(client.log.all.empty());
  CHECK(stage.server.view(client.id)->counters().malformed == 3);
  claim(5, 0, SeenBy::others);
  CHECK(client.log.all.size() == 1);
  claim(5, 0, SeenBy::others);
  CHECK(client.log.all.size() == 2);
}

TEST_CASE("A client that lost its way is told everything again", "[net][replication][sys-46]") {
  ReplicationStage stage(3);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 5; ++id) stage.spawn(id, {.relevance = Relevance::always});
  });
  stage.run(60);
  // Bytes that no server of ours sends arrive as a payload.
  REQUIRE(client.pair->a->connection.send_payload(bytes_of({0, 1, 2, 3, 4, 5}), 1'000'000) ==
          SendStatus::queued);
  stage.run(120);
  const ReplicationClientCounters& counters = client.replication->counters();
  CHECK(counters.malformed + counters.unknown + counters.late == 1);
  CHECK(stage.difference(client).empty());
}

TEST_CASE("Where datagrams overtake each other by many, nothing is told anew but what was lost",
          "[net][replication][sys-46]") {
  ReplicationServerOptions options;
  options.snapshot_ticks = 1;
  ReplicationStage stage(5, options);
  const LinkOptions link{.latency = std::chrono::milliseconds(40),
                         .jitter = std::chrono::milliseconds(400),
                         .jitter_kind = Jitter::exponential};
  ReplicationStage::Client& client = stage.join(link, {});
  stage.step([&] {
    for (std::uint32_t id = 0; id < 60; ++id) stage.spawn(id, {.relevance = Relevance::always});
  });
  for (int i = 0; i < 1200; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < 60; id += 7) stage.stir(id);
    });
  }
  const ReplicationClientCounters& counters = client.replication->counters();
  CHECK(counters.unknown > 0);
  CHECK(counters.resyncs == 0);
  CHECK(stage.server.view(client.id)->counters().disowned > 0);
  stage.run(600);
  CHECK(stage.difference(client).empty());
}

TEST_CASE("After a silence longer than the window a client is told everything",
          "[net][replication][sys-46]") {
  ReplicationStage stage(4);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 30; ++id) stage.spawn(id, {.relevance = Relevance::always});
  });
  stage.run(60);
  REQUIRE(stage.difference(client).empty());
  ConnectionPair& pair = *client.pair;
  pair.network.link(pair.there_link).is_down = true;
  for (int i = 0; i < 150; ++i) {
    stage.step([&] {
      for (const auto& [id, values] : stage.values) stage.stir(id);
    });
  }
  pair.network.link(pair.there_link).is_down = false;
  stage.run(120);
  CHECK(stage.difference(client).empty());
  CHECK(client.replication->counters().malformed == 0);
}

}  // namespace muster
