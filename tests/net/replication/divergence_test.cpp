#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

/// A game in which one entity has two wrong values, Motion.turn[3] and Health.points. Other
/// entities may be missing, refused by the game, or without a component.
class WrongGame final : public EntityValues {
 public:
  explicit WrongGame(const ReplicationStage& stage) : stage_(stage) {}
  EntityFound values(NetworkId id, std::span<std::int64_t> values,
                     SchemaComponent& lacking) const override {
    if (id == missing_id) return EntityFound::missing;
    if (id == not_kept_id) return EntityFound::not_kept;
    if (id == lacking_id) {
      lacking = SchemaComponent{1};
      return EntityFound::lacks_component;
    }
    const auto& truth = stage_.values.at(id);
    std::copy(truth.begin(), truth.end(), values.begin());
    if (id != wrong_id) return EntityFound::here;
    values[7] = values[7] == 1 ? 2 : 1;
    values[8] = (values[8] + 1) % 200;
    return EntityFound::here;
  }
  NetworkId wrong_id{codec_id(kEveryId)};
  NetworkId missing_id{codec_id(kEveryId)};
  NetworkId not_kept_id{codec_id(kEveryId)};
  NetworkId lacking_id{codec_id(kEveryId)};

 private:
  const ReplicationStage& stage_;
};

}  // namespace

TEST_CASE("Equal values have equal checksums", "[net][replication][sys-48]") {
  ReplicationStage stage(1);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 20; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
  });
  for (int i = 0; i < 400; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < 20; ++id) stage.stir(NetworkId{id});
    });
  }
  CHECK(client.replication->counters().checksums >= 10);
  CHECK(client.replication->counters().divergences == 0);
  CHECK(client.log.all.empty());
}

TEST_CASE("A game with a wrong value is detected, with the field's name",
          "[net][replication][sys-48]") {
  ReplicationServerOptions options;
  options.checksum_interval = 1;
  ReplicationStage stage(2, options);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 5; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
  });
  WrongGame game(stage);
  game.wrong_id = NetworkId{3};
  stage.game = &game;
  stage.run(120);
  REQUIRE_FALSE(stage.server_log.all.empty());
  REQUIRE_FALSE(client.log.all.empty());
  for (const DivergenceList* log : {&stage.server_log, &client.log}) {
    CHECK(log->all[0].id == NetworkId{3});
    CHECK(log->all[0].type == TypeId(7));
    CHECK(log->all[0].field == "Motion.turn[3]");
    CHECK(log->all[0].server_value != log->all[0].client_value);
  }
  CHECK(client.replication->counters().divergences > 0);
  // The whole state was sent again, and play continued.
  CHECK(stage.server.view(client.id)->counters().resyncs > 0);
  stage.game = nullptr;
  stage.run(60);
  CHECK(stage.difference(client).empty());
  CHECK(client.world.spawned == 5);
}

TEST_CASE("Both ends report lost entities and components, but not those that the client refused",
          "[net][replication][sys-48]") {
  ReplicationServerOptions options;
  options.checksum_interval = 1;
  ReplicationStage stage(2, options);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 5; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
  });
  stage.run(30);
  WrongGame game(stage);
  stage.game = &game;
  using Kind = Divergence::Kind;
  const auto first_is = [&](Kind kind, std::string_view line) {
    for (const DivergenceList* log : {&stage.server_log, &client.log}) {
      REQUIRE_FALSE(log->all.empty());
      CHECK(log->all[0].kind == kind);
      CHECK(to_line(log->all[0]) == line);
    }
  };
  SECTION("a client lacks an entity") {
    game.missing_id = NetworkId{3};
    stage.run(60);
    first_is(Kind::missing, "entity 3 of type 7 is missing at a client");
  }
  SECTION("a client lacks a component") {
    game.lacking_id = NetworkId{2};
    stage.run(60);
    first_is(Kind::missing_component, "entity 2 of type 7 lacks its Health at a client");
  }
  SECTION("a client does not keep an entity, which is allowed") {
    game.not_kept_id = NetworkId{1};
    stage.run(60);
    CHECK(stage.server_log.all.empty());
    CHECK(client.log.all.empty());
    CHECK(client.replication->counters().resyncs == 0);
    return;
  }
  CHECK(client.replication->counters().divergences > 0);
  CHECK(stage.server.view(client.id)->counters().divergences > 0);
  CHECK(stage.server.view(client.id)->counters().resyncs > 0);
  CHECK(stage.server.view(client.id)->counters().malformed == 0);
}

TEST_CASE("A checksum of an entity that its snapshot does not contain is a divergence",
          "[net][replication][sys-48]") {
  ReplicationServerOptions options;
  options.snapshot_ticks = 60;
  ReplicationStage stage(2, options);
  ReplicationStage::Client& client = stage.join();
  stage.run(90);
  REQUIRE(client.replication->phase() == ReplicationPhase::playing);
  REQUIRE(client.log.all.empty());
  // An empty snapshot that is newer than the server's last snapshot.
  const SnapshotModel model = stage.server.world().views().model(SnapshotModel{});
  SnapshotWriter writer(model, {.coder = SnapshotCoder::range});
  NetBytes payload(200);
  std::span<const std::byte> snapshot;
  for (int i = 0; i < 20; ++i) {
    writer.begin(Tick(stage.tick + 1), {});
    snapshot = writer.write(std::span(payload).subspan(9));
  }
  REQUIRE_FALSE(snapshot.empty());
  payload.resize(9 + snapshot.size());
  const std::span<std::byte> memory = payload;
  SectionWriter head(memory.first(9));
  head.write_u8(kPayloadHasChecksum);
  head.write_u32(999);
  head.write_u32(0);
  REQUIRE(client.pair->a->connection.send_payload(payload, 1'000'000) == SendStatus::queued);
  stage.run(6);
  REQUIRE(client.log.all.size() == 1);
  CHECK(client.log.all[0].kind == Divergence::Kind::missing);
  CHECK(client.log.all[0].id == NetworkId{999});
  CHECK(client.replication->counters().divergences == 1);
  CHECK(stage.server.view(client.id)->counters().malformed == 1);
}

TEST_CASE("An entity whose datagram was lost is not reported as missing",
          "[net][replication][sys-48]") {
  ReplicationServerOptions options;
  options.checksum_interval = 1;
  ReplicationStage stage(9, options);
  const LinkOptions link{.latency = std::chrono::milliseconds(40), .loss = 0.3};
  ReplicationStage::Client& client = stage.join(link, link);
  stage.run(300);
  // New entities appear between known entities, in worlds of several datagrams per tick.
  for (std::uint32_t round = 0; round < 300; ++round) {
    stage.step([&] {
      for (std::uint32_t i = 0; i < 40; ++i) {
        const std::uint32_t id = i * 100 + round % 25;
        if (stage.values.contains(NetworkId{id})) {
          stage.despawn(NetworkId{id});
        } else {
          stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
        }
      }
    });
    stage.run(3);
  }
  CHECK(client.replication->counters().checksums > 300);
  CHECK(client.replication->counters().divergences == 0);
  CHECK(client.replication->counters().resyncs == 0);
  stage.run(300);
  CHECK(stage.difference(client).empty());
}

TEST_CASE("A false divergence report reveals no values that were not sent to the client",
          "[net][replication][sys-48]") {
  ReplicationStage stage(6);
  ReplicationStage::Client& client = stage.join({}, {}, {.player = PlayerId{4}});
  stage.step([&] {
    stage.spawn(NetworkId{5},
                {.type = SchemaType{0}, .owner = PlayerId{3}, .relevance = Relevance::always});
    stage.spawn(NetworkId{6},
                {.type = SchemaType{0}, .owner = PlayerId{3}, .relevance = Relevance::owner});
    stage.spawn(NetworkId{7}, {.type = SchemaType{1}, .relevance = Relevance::always});
  });
  stage.run(30);
  const TypeViews& views = stage.server.world().views();
  const auto claim = [&](std::uint32_t id, SchemaType type, SeenBy seen_by) {
    const DivergedMessage message{.id = SliceId{id},
                                  .tick = Tick(stage.tick),
                                  .codec_type = views.codec_type(type, seen_by),
                                  .lanes = std::vector<LaneValue>(kDivergedLanesMax, 77)};
    REQUIRE(client.pair->b->connection.send_message(0, encode(message)) == SendStatus::queued);
    stage.run(12);
  };
  claim(5, SchemaType{0}, SeenBy::owner);   // The entity was sent in another view.
  claim(6, SchemaType{0}, SeenBy::others);  // The entity was never sent.
  claim(7, SchemaType{0}, SeenBy::others);  // The entity has another type, with more lanes.
  CHECK(client.log.all.empty());
  CHECK(stage.server.view(client.id)->counters().malformed == 3);
  claim(5, SchemaType{0}, SeenBy::others);
  CHECK(client.log.all.size() == 1);
  claim(5, SchemaType{0}, SeenBy::others);
  CHECK(client.log.all.size() == 2);
}

TEST_CASE("A client that cannot read a snapshot is sent the whole state",
          "[net][replication][sys-46]") {
  ReplicationStage stage(3);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 5; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
  });
  stage.run(60);
  // Bytes that no valid server sends arrive as a payload.
  REQUIRE(client.pair->a->connection.send_payload(bytes_of({0, 1, 2, 3, 4, 5}), 1'000'000) ==
          SendStatus::queued);
  stage.run(120);
  const ReplicationClientCounters& counters = client.replication->counters();
  CHECK(counters.malformed + counters.unknown + counters.late == 1);
  CHECK(stage.difference(client).empty());
}

TEST_CASE("When datagrams are strongly reordered, only lost data is sent again",
          "[net][replication][sys-46]") {
  ReplicationServerOptions options;
  options.snapshot_ticks = 1;
  ReplicationStage stage(5, options);
  const LinkOptions link{.latency = std::chrono::milliseconds(40),
                         .jitter = std::chrono::milliseconds(400),
                         .jitter_kind = Jitter::exponential};
  ReplicationStage::Client& client = stage.join(link, {});
  stage.step([&] {
    for (std::uint32_t id = 0; id < 60; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
  });
  for (int i = 0; i < 1200; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < 60; id += 7) stage.stir(NetworkId{id});
    });
  }
  const ReplicationClientCounters& counters = client.replication->counters();
  CHECK(counters.unknown > 0);
  CHECK(counters.resyncs == 0);
  CHECK(stage.server.view(client.id)->counters().disowned > 0);
  stage.run(600);
  CHECK(stage.difference(client).empty());
}

TEST_CASE("After an outage longer than the window a client is sent the whole state",
          "[net][replication][sys-46]") {
  ReplicationStage stage(4);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 30; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
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
