// The outputs of a session for the operator of a server: metrics, worlds as text, captures of
// packets.
#include <chrono>

#include <catch2/catch.hpp>

#include "net/capture/capture_reader.h"
#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

TEST_CASE("Both ends count sent data, spawned entities and loaded bundles", "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  const EntityId rock = server.spawn("rock");
  server.spawn("runner");
  GameClient& client = match->add_client({.delay = 20ms});
  int ready = 0;
  client.on_ready([&](EntityId entity) { ready += client.asset_path(entity).empty() ? 0 : 1; });
  match->run(1s);
  server.despawn(rock);
  match->run(1s);
  const GameClientMetrics here = client.metrics();
  CHECK(here.spawned == 2);
  CHECK(here.despawned == 1);
  CHECK(here.loads == 2);
  CHECK(ready == 2);
  CHECK(here.snapshots > 10);
  CHECK(here.round_trip >= 40ms);
  REQUIRE(server.players().size() == 1);
  const PlayerInfo& there = server.players().front();
  CHECK(there.snapshots >= here.snapshots);
  CHECK(there.bytes_out > there.snapshot_bytes);
  CHECK(there.loss == 0);
  CHECK(server.metrics().spawned == 2);
  CHECK(server.metrics().despawned == 1);
}

TEST_CASE("Server and client print the same text for a player's world", "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  server.on_join([&](PlayerId player) {
    server.spawn("runner", {.owner = player}, Runner{.score = 12, .secret = 34});
  });
  GameClient& first = match->add_client();
  GameClient& second = match->add_client();
  match->run(2s);
  for (const GameClient* const client : {&first, &second}) {
    CHECK(client->world_text() == server.world_text(client->player()));
    CHECK(client->world_text().find("Runner.score 12") != std::string::npos);
  }
  // Only the owner receives the secret.
  CHECK(first.world_text() != second.world_text());
}

TEST_CASE("A session's packets are written to a capture at either end", "[session][flow]") {
  SimulatedEdges edges(1);
  auto server =
      GameServer::open(Build::open(build_folder(), Target::server, make_game()),
                       edges.host("server"), {.listen = "server:7000", .capture_file = "packets"});
  REQUIRE(server);
  auto client = GameClient::connect(Build::open(build_folder(), Target::client, make_game()),
                                    edges.host("client"),
                                    {.server = "server:7000",
                                     .key = server.value()->public_key(),
                                     .loading_threads = 0,
                                     .capture_file = "packets"});
  REQUIRE(client);
  for (int i = 0; i < 120; ++i) {
    edges.advance(16ms);
    server.value()->frame(edges.now());
    client.value()->frame(edges.now());
  }
  for (const char* const host : {"server", "client"}) {
    CAPTURE(host);
    const auto file = edges.host(host).files().read("packets");
    REQUIRE(file);
    CHECK(file.value().size() > 2'000);
    CaptureReader reader(file.value());
    CaptureRecord record;
    int packets = 0;
    CaptureStatus status = reader.next(record);
    for (; status == CaptureStatus::record; status = reader.next(record)) {
      packets += std::holds_alternative<RecordedPacket>(record) ? 1 : 0;
    }
    CHECK(status == CaptureStatus::end);
    CHECK(packets > 20);
  }
}

}  // namespace
}  // namespace muster
