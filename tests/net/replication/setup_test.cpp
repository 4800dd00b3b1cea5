// The start of a client, and the reasons for its failure.
#include <catch2/catch.hpp>

#include "net/snapshot/model_file.h"
#include "tests/support/replication_stage.h"

namespace muster {
namespace {

/// A client, for which the test sends the data of a server.
class HandMadeServer {
 public:
  HandMadeServer() : pair(1, options(), {}, {}), client(ReplicationClientOptions{}) { step(); }

  void send(std::span<const std::byte> message) {
    REQUIRE(pair.a->connection.send_message(0, message) == SendStatus::queued);
    step();
  }
  void begin(const BeginMessage& message) { send(encode(message)); }
  void send_setup(std::vector<std::byte> bytes) {
    block_ = std::move(bytes);
    std::uint16_t id = 0;
    REQUIRE(pair.a->connection.send_block(block_, id) == SendStatus::queued);
    step();
  }
  void begin_map() {
    pair.a->connection.begin_map();
    step();
  }
  void step() {
    for (int i = 0; i < 20; ++i) {
      pair.step(std::chrono::milliseconds(16));
      client.update(pair.b->connection);
    }
  }

  std::vector<std::byte> schema = encode_schema(replication_samples_schema());
  ConnectionPair pair;
  ReplicationClient client;

 private:
  static ConnectionOptions options() {
    ConnectionOptions connection;
    connection.channels = {ChannelOptions{}};
    return connection;
  }
  std::vector<std::byte> block_;
};

std::vector<std::byte> without_last(std::vector<std::byte> bytes) {
  bytes.pop_back();
  return bytes;
}

}  // namespace

TEST_CASE("A client that cannot use the server's setup reports the reason", "[net][replication]") {
  HandMadeServer server;
  BeginMessage begin{.schema = hash_schema(server.schema)};
  const std::vector<std::byte> none = bytes_of({1, 2, 3});
  std::vector<std::byte> setup;
  std::string reason;
  SECTION("the setup is damaged") {
    setup = without_last(encode_setup({.schema = server.schema, .model = {}, .map_info = none}));
    reason = "damaged";
  }
  SECTION("the setup lacks the requested schema") {
    setup = encode_setup({.schema = {}, .model = {}, .map_info = none});
    reason = "not the one that this end requested";
  }
  SECTION("the setup has another schema") {
    begin.schema[0] ^= std::byte{1};
    setup = encode_setup({.schema = server.schema, .model = {}, .map_info = none});
    reason = "not the one that it named";
  }
  SECTION("the schema has another version") {
    begin.schema = hash_schema(none);
    setup = encode_setup({.schema = none, .model = {}, .map_info = {}});
    reason = "schema cannot be read";
  }
  SECTION("the setup has another model") {
    begin.model[3] = std::byte{1};
    setup = encode_setup({.schema = server.schema, .model = none, .map_info = {}});
    reason = "model is not the one that it named";
  }
  SECTION("the model is invalid") {
    begin.model = hash_model(none);
    setup = encode_setup({.schema = server.schema, .model = none, .map_info = {}});
    reason = "model cannot be used";
  }
  server.begin(begin);
  REQUIRE(server.client.phase() == ReplicationPhase::receiving);
  CHECK(server.client.failure().empty());
  server.send_setup(setup);
  CHECK(server.client.phase() == ReplicationPhase::failed);
  CHECK(server.client.failure().find(reason) != std::string::npos);
  CHECK(server.client.counters().malformed == 1);
  // The client tries again with another map.
  server.begin_map();
  CHECK(server.client.phase() == ReplicationPhase::joining);
  CHECK(server.client.failure().empty());
}

TEST_CASE("A client reports that an unreadable first message is from another version",
          "[net][replication]") {
  HandMadeServer server;
  std::vector<std::byte> begin = encode(BeginMessage{.schema = hash_schema(server.schema)});
  SECTION("the message is too long") { begin.push_back({}); }
  SECTION("the message is too short") { begin.pop_back(); }
  SECTION("the message names an unknown coder") { begin.back() = std::byte{9}; }
  server.send(begin);
  CHECK(server.client.phase() == ReplicationPhase::failed);
  CHECK(server.client.failure().find("another version") != std::string::npos);
}

TEST_CASE("A server of other versions is refused with both versions in the reason",
          "[net][replication]") {
  HandMadeServer server;
  std::vector<std::byte> begin = encode(BeginMessage{.schema = hash_schema(server.schema)});
  std::string theirs;
  SECTION("the snapshots have an earlier version") {
    begin[3] = std::byte{3};
    theirs = "version 5 of replication with snapshots of version 3";
  }
  SECTION("the snapshots have a later version and other content follows") {
    begin[4] = std::byte{1};
    begin.resize(9);
    theirs = "version 5 of replication with snapshots of version 261";
  }
  SECTION("the messages have another version") {
    begin[1] = std::byte{6};
    begin.push_back({});
    theirs = "version 6 of replication with snapshots of version 5";
  }
  SECTION("version 1 sends no version of snapshots") {
    begin.erase(begin.begin() + 1, begin.begin() + 5);
    theirs = "version 1 of replication";
  }
  server.send(begin);
  CHECK(server.client.phase() == ReplicationPhase::failed);
  const std::string& failure = server.client.failure();
  CAPTURE(failure);
  CHECK(failure.find(theirs) != std::string::npos);
  CHECK(failure.find("this end version 5 with snapshots of version 5") != std::string::npos);
  CHECK(server.client.counters().malformed == 1);
}

TEST_CASE("A world larger than the client allows is refused with its limits",
          "[net][replication]") {
  ReplicationStage stage(1);
  ReplicationClientOptions options;
  options.limits.entity_max = 20;
  ReplicationStage::Client& client = stage.join({}, {}, {}, options);
  stage.step([&] {
    for (std::uint32_t id = 0; id < 20; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
  });
  stage.run(60);
  CHECK(client.replication->phase() == ReplicationPhase::playing);
  CHECK(stage.difference(client).empty());
  stage.step([&] { stage.spawn(NetworkId{20}, {.relevance = Relevance::always}); });
  stage.run(60);
  CHECK(client.replication->phase() == ReplicationPhase::failed);
  CHECK(client.replication->failure().find("20 entities") != std::string::npos);
}

TEST_CASE("After each unreadable payload the whole state is requested", "[net][replication]") {
  ReplicationStage stage(3);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] { stage.spawn(NetworkId{1}, {.relevance = Relevance::always}); });
  stage.run(60);
  const auto payload = GENERATE(table<const char*, NetBytes>(
      {{"unknown flags", bytes_of({0x80, 1, 2, 3})},
       {"truncated events", bytes_of({1, 3, 0, 0})},
       {"an event that is too long", bytes_of({1, 1, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0})},
       {"a truncated checksum", bytes_of({2, 1, 2, 3})}}));
  CAPTURE(std::get<0>(payload));
  REQUIRE(client.pair->a->connection.send_payload(std::get<1>(payload), 1'000'000) ==
          SendStatus::queued);
  stage.run(60);
  CHECK(client.replication->counters().malformed == 1);
  CHECK(client.replication->counters().resyncs == 1);
  CHECK(stage.server.view(client.id)->counters().resyncs == 1);
  CHECK(stage.difference(client).empty());
}

TEST_CASE("A setup is freed when it has arrived, and the game keeps its own blocks",
          "[net][replication]") {
  ReplicationStage stage(2);
  const NetBytes map(400'000);
  stage.step([&] { stage.server.begin_map(map); });
  const std::size_t before = stage.server.memory_bytes();
  ReplicationStage::Client& client = stage.join({.latency = std::chrono::milliseconds(50)});
  stage.run(8);
  const NetBytes own(1'000);
  std::uint16_t id = 0;
  REQUIRE(client.pair->a->connection.send_block(own, id) == SendStatus::queued);
  CHECK(stage.server.memory_bytes() > before + map.size());
  Connection& there = client.pair->b->connection;
  for (int i = 0; i < 900; ++i) {
    stage.step();
    if (!there.block().empty() && !is_setup(there.block())) there.pop_block();
  }
  REQUIRE(client.replication->phase() == ReplicationPhase::playing);
  CHECK(stage.server.memory_bytes() < before + map.size() / 2);
  const auto finished = client.pair->a->connection.finished_blocks();
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].id == id);
  CHECK_FALSE(finished[0].refusal.has_value());
}

TEST_CASE("A client whose connection does not accept the setup gets the reason",
          "[net][replication]") {
  ReplicationStage stage(2);
  ReplicationStage::Client& client = stage.join();
  // The map's data is larger than a connection accepts.
  const NetBytes map(std::size_t{17} << 20U);
  stage.step([&] { stage.server.begin_map(map); });
  stage.run(300);
  CHECK(client.replication->phase() == ReplicationPhase::failed);
  CHECK(client.replication->failure().find("more than this end's connection takes") !=
        std::string::npos);
  CHECK(stage.server.view(client.id)->counters().setups_refused == 1);
  stage.step([&] { stage.server.begin_map({}); });  // A map with a setup that fits is played.
  stage.run(300);
  CHECK(client.replication->phase() == ReplicationPhase::playing);
}

TEST_CASE(
    "A setup that the end of the connection interrupts is not refused, and its memory is freed",
    "[net][replication]") {
  ReplicationStage stage(2);
  ReplicationStage::Client& client = stage.join({.latency = std::chrono::milliseconds(50)});
  stage.run(30);
  const NetBytes map(1'000'000);
  const std::size_t before = stage.server.memory_bytes();
  stage.step([&] { stage.server.begin_map(map); });
  stage.run(10);
  CHECK(stage.server.memory_bytes() > before + map.size());
  Connection& server_end = client.pair->a->connection;
  server_end.close(CloseReason::kicked, "too loud", client.pair->now);
  CHECK(server_end.counters().lost_at_close > 0);
  stage.run(5);
  CHECK(stage.server.view(client.id)->counters().setups_refused == 0);
  CHECK(stage.server.memory_bytes() < before + map.size() / 2);
}

TEST_CASE("A setup that waits for the game's blocks arrives when these blocks are read",
          "[net][replication]") {
  ReplicationStage stage(2);
  ReplicationStage::Client& client = stage.join();
  // The game's blocks arrive at the client, but the game does not read them yet.
  const NetBytes own(10);
  std::uint16_t id = 0;
  Connection& server_end = client.pair->a->connection;
  Connection& client_end = client.pair->b->connection;
  for (std::size_t i = 0; i < kBlocksAtOnce; ++i) {
    REQUIRE(server_end.send_block(own, id) == SendStatus::queued);
    for (int n = 0; n < 20; ++n) stage.step();
    server_end.clear_finished_blocks();
  }
  stage.run(100);
  CHECK(client.replication->phase() == ReplicationPhase::receiving);
  while (!client_end.block().empty() && !is_setup(client_end.block())) client_end.pop_block();
  stage.run(300);
  CHECK(client.replication->phase() == ReplicationPhase::playing);
}

}  // namespace muster
