// Tests when a client counts as complete: it has received all entities that existed when it joined.
#include <optional>
#include <tuple>

#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

/// A link on which datagrams overtake each other, and some datagrams are overtaken by many others.
LinkOptions link_with_jitter(double loss, Duration jitter = std::chrono::milliseconds(40)) {
  return {.latency = std::chrono::milliseconds(40),
          .jitter = jitter,
          .jitter_kind = Jitter::exponential,
          .loss = loss};
}

/// Runs a tick of the server and of a client. If a payload arrived, returns whether it has the
/// complete flag.
std::optional<bool> reports_complete(ReplicationStage& stage, ReplicationStage::Client& client) {
  stage.server.begin_tick(Tick(++stage.tick));
  stage.server.end_tick();
  ConnectionPair& pair = *client.pair;
  pair.now += stage.tick_length;
  pair.network.advance(pair.now);
  pair.a->receive(pair.now);
  pair.b->receive(pair.now);
  stage.server.update(client.id, pair.a->connection, pair.now);
  std::optional<bool> is_reported;
  Connection& connection = pair.b->connection;
  for (auto payload = connection.payload(); !payload.bytes.empty();
       payload = connection.payload()) {
    const auto flags = std::to_integer<std::uint8_t>(payload.bytes[0]);
    is_reported = (flags & kPayloadIsComplete) != 0;
    connection.pop_payload();
  }
  pair.a->send(pair.now);
  pair.b->send(pair.now);
  return is_reported;
}

}  // namespace

TEST_CASE("A client knows when it has received everything that existed when it joined",
          "[net][replication][sys-15][property]") {
  const auto seed = GENERATE(range(1U, 9U));
  const bool has_jitter = GENERATE(false, true);
  CAPTURE(seed, has_jitter);
  constexpr std::uint32_t kFirst = 300;
  ReplicationStage stage(seed);
  std::uint32_t next = 0;
  const auto spawn = [&] { stage.spawn(NetworkId{next++}, {.relevance = Relevance::always}); };
  stage.step([&] {
    while (next < kFirst) spawn();
  });
  const LinkOptions link = has_jitter
                               ? link_with_jitter(0.2)
                               : LinkOptions{.latency = std::chrono::milliseconds(40), .loss = 0.2};
  // The link is so slow that the first entities need many snapshots. In this time, other entities
  // are added and removed.
  ReplicationStage::Client& client =
      stage.join(link, link, {}, {.wish = {.snapshot_ticks = 0, .bytes_per_second = 10'000}});
  bool was_short = false;
  for (int i = 0; i < 1'800 && !client.replication->is_complete(); ++i) {
    was_short = was_short || (!client.world.entities.empty() && client.world.entities.size() < 200);
    stage.step([&] {
      spawn();
      if (stage.tick % 8 == 0) stage.despawn(NetworkId{next - 5});
      if (stage.tick % 16 == 0 && stage.tick / 16 < kFirst)
        stage.despawn(NetworkId{stage.tick / 16});
    });
  }
  CHECK(was_short);
  REQUIRE(client.replication->is_complete());
  for (std::uint32_t id = 0; id < kFirst; ++id) {
    CAPTURE(id);
    CHECK((client.replication->holds(NetworkId{id}) ||
           stage.server.world().find(NetworkId{id}) == nullptr));
    CHECK((client.replication->holds(NetworkId{id}) ||
           !client.world.entities.contains(NetworkId{id})));
  }
}

TEST_CASE("A client that lost the part with an entity does not count as complete",
          "[net][replication][sys-15][property]") {
  constexpr std::uint32_t kCount = 300;
  const LinkOptions link{.latency = std::chrono::milliseconds(40), .loss = 0.2};
  for (std::uint32_t seed = 10; seed <= 40; ++seed) {
    CAPTURE(seed);
    ReplicationStage stage(seed, {.snapshot_ticks = 1});
    stage.step([&] {
      for (std::uint32_t id = 0; id < kCount; ++id) {
        stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
      }
    });
    const ReplicationStage::Client& client =
        stage.join(link, link, {}, {.wish = {.snapshot_ticks = 0, .bytes_per_second = 30'000}});
    for (int i = 0; i < 1'500 && !client.replication->is_complete(); ++i) {
      stage.step([&] {
        for (auto id = static_cast<std::uint32_t>(i % 2); id < kCount; id += 2)
          stage.stir(NetworkId{id});
      });
    }
    REQUIRE(client.replication->is_complete());
    for (std::uint32_t id = 0; id < kCount; ++id) {
      CAPTURE(id);
      REQUIRE(client.replication->holds(NetworkId{id}));
    }
  }
}

TEST_CASE("A world of many parts that always moves arrives soon and is complete",
          "[net][replication][sys-15]") {
  std::uint32_t count = 0;
  bool has_other_map = false;
  std::tie(count, has_other_map) =
      GENERATE(table<std::uint32_t, bool>({{100, true}, {250, true}, {1'000, false}}));
  CAPTURE(count, has_other_map);
  const LinkOptions link{.latency = std::chrono::milliseconds(40)};
  ReplicationStage stage(7, {.snapshot_ticks = 1});
  const ReplicationStage::Client& client = stage.join(link, link);
  // After these ticks, the connection has measured the high rate of the path.
  if (has_other_map) stage.run(200);
  stage.step([&] {
    if (has_other_map) stage.server.begin_map({});
    for (std::uint32_t id = 0; id < count; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
  });
  const std::uint16_t map = client.replication->map();
  for (int i = 0; i < 100; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < count; ++id) stage.stir(NetworkId{id});
    });
  }
  CHECK((client.replication->map() != map) == has_other_map);
  CHECK(client.replication->is_complete());
  for (std::uint32_t id = 0; id < count; ++id) CHECK(client.replication->holds(NetworkId{id}));
}

TEST_CASE(
    "A client that reported an unreadable snapshot ignores `complete` flags sent before the report",
    "[net][replication]") {
  ReplicationStage stage(6, {.snapshot_ticks = 1});
  stage.step([&] { stage.spawn(NetworkId{1}, {.relevance = Relevance::always}); });
  const ReplicationStage::Client& client = stage.join();
  const std::array<std::byte, 1> senseless{std::byte{0xFF}};
  for (int i = 0; i < 200 && client.replication->counters().resyncs == 0; ++i) {
    REQUIRE(client.pair->a->connection.send_payload(senseless, 0) == SendStatus::queued);
    stage.step();
  }
  REQUIRE(client.replication->counters().resyncs == 1);
  for (int i = 0; i < 200 && !client.replication->is_complete(); ++i) stage.step();
  REQUIRE(client.replication->is_complete());
  CHECK(stage.server.view(client.id)->counters().resyncs == 1);
}

/// A client of a world whose entities always change. Some packets take half a second. The server
/// would send two datagrams per tick.
struct ChangingWorld {
  static constexpr std::uint32_t kCount = 400;

  explicit ChangingWorld(std::uint32_t seed)
      : first(seed % 7), stage(seed, {.snapshot_ticks = 1}), client(joined(stage)) {}

  void step() {
    stage.step([this] {
      for (std::uint32_t id = first; id < kCount; id += 7) stage.stir(NetworkId{id});
    });
  }

  static ReplicationStage::Client& joined(ReplicationStage& stage) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < kCount; ++id) {
        stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
      }
    });
    return stage.join(link_with_jitter(0, std::chrono::milliseconds(160)), {});
  }

  std::uint32_t first;
  ReplicationStage stage;
  ReplicationStage::Client& client;
};

TEST_CASE("Fewer snapshots are sent when they arrive too late to be read",
          "[net][replication][sys-15]") {
  const std::uint32_t seed = GENERATE(1U, 4U, 19U);
  CAPTURE(seed);
  ChangingWorld world(seed);
  const auto play = [&world](int ticks) {
    for (int i = 0; i < ticks; ++i) world.step();
    return world.client.replication->counters();
  };
  const auto before = play(600);
  const auto after = play(1200);
  CAPTURE(before.snapshots, before.unknown, after.snapshots, after.unknown);
  REQUIRE(after.snapshots - before.snapshots > 300);
  REQUIRE(20 * (after.unknown - before.unknown) < after.snapshots - before.snapshots);
}

TEST_CASE(
    "The client holds an entity of an overtaken snapshot until the entity is shown or removed",
    "[net][replication][sys-15][property]") {
  std::size_t unseen = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    ChangingWorld world(seed);
    ReplicationStage& stage = world.stage;
    ReplicationStage::Client& client = world.client;
    for (int i = 0; i < 600 && !client.replication->is_complete(); ++i) world.step();
    REQUIRE(client.replication->is_complete());
    std::vector<NetworkId> unshown;
    for (std::uint32_t i = 0; i < ChangingWorld::kCount; ++i) {
      const NetworkId id{i};
      CAPTURE(id);
      REQUIRE(client.replication->holds(id));
      if (!client.world.entities.contains(id)) unshown.push_back(id);
    }
    unseen += unshown.size();
    // Every second entity is removed before the client has shown it.
    stage.step([&] {
      for (std::size_t i = 0; i < unshown.size(); i += 2) stage.despawn(unshown[i]);
    });
    stage.run(200);
    CHECK(stage.difference(client).empty());
    for (std::size_t i = 0; i < unshown.size(); ++i) {
      CHECK(client.replication->holds(unshown[i]) == (i % 2 == 1));
    }
  }
  CHECK(unseen > 0);
}

TEST_CASE("A client that could not read a snapshot does not count as complete",
          "[net][replication]") {
  ReplicationStage stage(5, {.snapshot_ticks = 1});
  stage.step([&] { stage.spawn(NetworkId{1}, {.relevance = Relevance::always}); });
  ReplicationStage::Client& client = stage.join();
  for (int i = 0; i < 60 && !client.replication->is_complete(); ++i) stage.step();
  REQUIRE(client.replication->is_complete());
  REQUIRE(reports_complete(stage, client) == true);
  // These numbers include all snapshots that contained the entity.
  const std::uint64_t count = stage.server.view(client.id)->counters().snapshots;
  for (std::uint64_t number = 0; number <= count; ++number) {
    const UnreadableMessage unreadable{.number = static_cast<SnapshotNumber>(number)};
    REQUIRE(client.pair->b->connection.send_message(0, encode(unreadable)) == SendStatus::queued);
  }
  client.pair->b->send(client.pair->now);
  int silent = 0;
  std::optional<bool> is_reported;
  for (int i = 0; i < 60; ++i) {
    const std::optional<bool> next = reports_complete(stage, client);
    if (next == false) ++silent;
    if (next) is_reported = next;
  }
  CHECK(stage.server.view(client.id)->counters().disowned > 0);
  CHECK(silent > 0);
  CHECK(is_reported == true);  // The entity was sent again and has arrived.
}

TEST_CASE("An empty world is complete at once", "[net][replication]") {
  ReplicationStage stage(1);
  const ReplicationStage::Client& client = stage.join();
  CHECK_FALSE(client.replication->is_complete());
  stage.run(30);
  CHECK(client.replication->counters().snapshots > 0);
  CHECK(client.replication->is_complete());
}

TEST_CASE("A client is not complete when another map begins", "[net][replication]") {
  ReplicationStage stage(2);
  const ReplicationStage::Client& client = stage.join();
  stage.run(30);
  REQUIRE(client.replication->is_complete());
  bool was_over = false;
  for (int i = 0; i < 60; ++i) {
    stage.step([&] {
      if (i == 0) stage.server.begin_map({});
      if (i == 1) stage.spawn(NetworkId{3}, {.relevance = Relevance::always});
    });
    if (client.replication->is_complete()) continue;
    was_over = true;
  }
  CHECK(was_over);
  CHECK(client.replication->is_complete());
  CHECK(client.world.entities.contains(NetworkId{3}));
}

TEST_CASE("A request for the whole state resets completeness", "[net][replication]") {
  ReplicationStage stage(3);
  stage.step([&] { stage.spawn(NetworkId{1}, {.relevance = Relevance::always}); });
  ReplicationStage::Client& client = stage.join();
  stage.run(30);
  REQUIRE(client.replication->is_complete());
  // No server sends this payload. The client cannot read it, and reports it.
  const std::vector<std::byte> damaged(3, std::byte{0xFF});
  REQUIRE(client.pair->a->connection.send_payload(damaged, 0) == SendStatus::queued);
  stage.run(60);
  CHECK(stage.server.view(client.id)->counters().resyncs == 1);
  CHECK(client.replication->is_complete());
  CHECK(stage.difference(client).empty());
}

}  // namespace muster
