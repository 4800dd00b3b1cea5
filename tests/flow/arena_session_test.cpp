// Matches of the arena over a bad link: what everybody sees, and how it ends.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "content/arena/game/lossy_socket.h"
#include "content/arena/game/session_run.h"
#include "content/arena/game/snapshot_asset.h"
#include "net/snapshot/model_file.h"
#include "tests/support/arena_evening.h"

namespace muster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

}  // namespace

TEST_CASE("Everybody who plays sees the server's world, when it stands still",
          "[flow][arena][sys-15][sys-18][sys-19][sys-20][sys-33][sys-40][sys-45][sys-47]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U);
  CAPTURE(seed);
  Evening evening(seed, {.still_from_tick = 6 * 60});
  evening.join();
  evening.join();
  evening.run(seconds(3));
  evening.join();
  evening.seats.front()->client->leave();
  evening.run(seconds(5));
  CHECK(evening.seats.front()->client->is_over());
  CHECK_FALSE(evening.seats.front()->client->complaint());
  for (std::size_t i = 1; i < evening.seats.size(); ++i) {
    CAPTURE(i);
    const arena::ArenaClient& client = *evening.seats[i]->client;
    CHECK(evening.difference(*evening.seats[i]).empty());
    CHECK(client.replicated().checksums > 0);
    CHECK(client.replicated().divergences == 0);
    CHECK(client.replicated().malformed == 0);
    CHECK(client.summary().is_still);
    CHECK(client.summary().failed_loads == 0);
    CHECK(client.effects().played > 20);
    CHECK(client.shown_count() > 20);
    CHECK(client.effects().repeated > client.effects().played);
  }
  CHECK(evening.server->clients().size() == 2);
}

TEST_CASE("Client and server have the model of their snapshots from their own bundles",
          "[flow][arena][sys-42]") {
  std::vector<ByteVector> models;
  std::size_t lanes = 0;
  std::size_t learnt = 0;
  for (const char* const target : {"client", "server"}) {
    const FileSystemSource source(arena_build(), AssetPath::parse(target).value());
    BundleStore store = BundleStore::open(source).value();
    models.push_back(arena::find_snapshot_model(store).value());
    if (target != std::string("server")) continue;
    SnapshotModel trained;
    std::string error;
    REQUIRE(decode_model(models.back(), trained, error));
    Evening evening(1);
    const TypeViews views(evening.server->replicated().schema());
    for (const EntitySchema& schema : views.schemas()) {
      const std::string name = schema.name.substr(0, schema.name.find('/'));
      const auto found = std::ranges::find_if(
          trained.types, [&](const TypeModel& type) { return type.schema.name == name; });
      lanes += schema.lanes.size();
      if (found == trained.types.end()) continue;
      learnt += static_cast<std::size_t>(std::ranges::count_if(schema.lanes, [&](const auto& lane) {
        return std::ranges::any_of(found->schema.lanes, [&](const LaneSchema& other) {
          return other.name == lane.name && other.greatest == lane.greatest;
        });
      }));
    }
  }
  CHECK_FALSE(models[0].empty());
  CHECK(models[0] == models[1]);
  // When this fails, components have changed: train the model anew, see content/arena/README.md.
  CHECK(learnt == lanes);
}

TEST_CASE("The same evening twice is the same evening", "[flow][arena][determinism]") {
  const auto play = [] {
    Evening evening(5);
    evening.join();
    evening.run(seconds(2));
    return evening.seats.front()->client->world()->text() + evening.server->world_of(0).text();
  };
  CHECK(play() == play());
}

TEST_CASE("Who loads nothing but the level sees all the same what does not hang on his bundles",
          "[flow][arena][sys-13][sys-18]") {
  Evening evening(6, {.still_from_tick = 3 * 60});
  Seat& slow = evening.join(true);
  while (!slow.client->match().stands()) {
    if (slow.loads.started_count() > 0) slow.loads.step(0);
    evening.run(milliseconds(16));
  }
  evening.run(seconds(5));
  const std::uint32_t waiting = evening.server->world_of(0).entity_count();
  CHECK(slow.client->world()->entity_count() == waiting);
  // What stood in the level is complete when it comes, and all whose bundles the level needs.
  const std::uint32_t complete = slow.client->summary().completion.count;
  CHECK(complete >= slow.client->match().level().placed().size());
  CHECK(complete < waiting);
  CHECK(slow.client->replicated().divergences == 0);
  // Only what lies below the roots is missing, and comes with the bundles.
  CHECK_FALSE(evening.difference(slow).empty());
  while (slow.loads.started_count() > 0) {
    slow.loads.step(0);
    evening.run(milliseconds(16));
  }
  evening.run(milliseconds(100));
  CHECK(evening.difference(slow).empty());
  CHECK(slow.client->summary().completion.count >= waiting);
}

TEST_CASE("A server that says good-bye, and one that falls silent", "[flow][arena][sys-22]") {
  Evening evening(7);
  Seat& seat = evening.join();
  evening.run(seconds(1));
  SECTION("good-bye") {
    evening.server->close(evening.clock.now());
    evening.run(seconds(1));
    CHECK(seat.client->is_over());
    CHECK_FALSE(seat.client->complaint());
  }
  SECTION("silence") {
    for (int i = 0; i < 800; ++i) {
      evening.clock.advance(milliseconds(10));
      evening.network.advance(arena::net_time(evening.clock.now()));
      seat.client->frame();
    }
    REQUIRE(seat.client->is_over());
    REQUIRE(seat.client->complaint());
    CHECK(seat.client->complaint()->find("the server is lost") != std::string::npos);
  }
}

/// Lets everybody in.
class OpenDoor final : public Admission {
 public:
  std::optional<std::string> refusal(const Applicant&) override { return std::nullopt; }
  bool admits_content(std::uint64_t) override { return true; }
};

TEST_CASE("A client that cannot follow the server leaves and says why", "[flow][arena]") {
  ManualClock clock;
  clock.advance(seconds(1));
  SimulatedNetwork network(4);
  network.advance(arena::net_time(clock.now()));
  Seat seat(clock, false);
  ServerOptions options;
  options.connection = arena::connection_options();
  options.agreement = arena::agreement_of(seat.store.catalog());
  SeededEntropy entropy{1};
  options.identity = SecretKey::random(entropy);
  OpenDoor door;
  const auto socket = network.open(kServerAddress);
  Server server(options, *socket, entropy, door, arena::net_time(clock.now()));
  seat.socket = network.open(Address::ipv4({10, 0, 0, 9}, 1000));
  seat.client->connect({kServerAddress, server.public_key()}, *seat.socket, seat.entropy);
  const std::vector<std::byte> other = {std::byte{16}, std::byte{1}};  // No `begin` of today's.
  bool is_told = false;
  for (int i = 0; i < 300; ++i) {
    clock.advance(milliseconds(8));
    const Time now = arena::net_time(clock.now());
    network.advance(now);
    server.receive(now, 0);
    server.for_each_client([&](ClientHandle client) {
      if (std::exchange(is_told, true)) return;
      REQUIRE(server.connection(client)->send_message(arena::kReplicationChannel, other) ==
              SendStatus::queued);
    });
    server.send(now);
    seat.client->frame();
  }
  CHECK(is_told);
  CHECK(seat.client->is_over());
  REQUIRE(seat.client->complaint());
  CHECK(seat.client->complaint()->find("cannot be followed") != std::string::npos);
  CHECK(seat.client->complaint()->find("another version") != std::string::npos);
}

TEST_CASE("A lossy socket loses its share, and lets the rest come late in their order",
          "[flow][arena]") {
  SimulatedNetwork network(3);
  ManualClock clock;
  clock.advance(seconds(1));
  network.advance(arena::net_time(clock.now()));
  const Address here = Address::ipv4({10, 0, 0, 1}, 1);
  const Address there = Address::ipv4({10, 0, 0, 2}, 2);
  const auto sender = network.open(here);
  const auto inner = network.open(there);
  arena::LossySocket lossy(*inner, clock,
                           {.loss = 0.25, .delay = milliseconds(50), .jitter = milliseconds(20)});
  std::array<std::byte, kDatagramBytesMax + 1> memory;
  IncomingDatagram datagram{.from = {}, .memory = memory};
  std::vector<unsigned> arrived;
  constexpr unsigned kSent = 200;
  for (unsigned i = 0; i < kSent + 100; ++i) {
    const std::array<std::byte, 1> bytes = {static_cast<std::byte>(i)};
    const OutgoingDatagram out{.to = there, .bytes = bytes};
    if (i < kSent) CHECK(sender->send(std::span(&out, 1)).sent == 1);
    clock.advance(milliseconds(1));
    network.advance(arena::net_time(clock.now()));
    while (lossy.receive(std::span(&datagram, 1)) == 1) {
      CHECK(datagram.from == here);
      CHECK(datagram.byte_count == 1);
      const auto number = std::to_integer<unsigned>(memory[0]);
      CHECK(number + 50 <= i + 1);
      arrived.push_back(number);
    }
  }
  CHECK(std::ranges::is_sorted(arrived));
  CHECK(arrived.size() + lossy.dropped() == kSent);
  CHECK(lossy.dropped() > kSent / 8);
  CHECK(lossy.dropped() < kSent / 2);
}

TEST_CASE("A server that only this machine reaches lets in from one address all who fit",
          "[flow][session]") {
  arena::ProgramOptions options;
  const auto per_address = [&options](const char* address) {
    options.address = *Address::parse(address);
    return arena::server_options(options).clients_per_address;
  };
  CHECK(per_address("127.0.0.1:7000") == ServerOptions().clients_max);
  CHECK(per_address("[::1]:7000") == ServerOptions().clients_max);
  CHECK(per_address("0.0.0.0:7000") == ServerOptions().clients_per_address);
  CHECK(per_address("[::]:7000") == ServerOptions().clients_per_address);
  options.clients_per_address = 3;
  CHECK(per_address("127.0.0.1:7000") == 3);
}

TEST_CASE("Where datagrams overtake each other everybody sees the server's world all the same",
          "[flow][session][sys-46]") {
  Evening evening(1, {.still_from_tick = 8 * 60, .loss = 0});
  evening.may_overtake = true;
  for (int i = 0; i < 8; ++i) evening.join();
  evening.run(seconds(10));
  for (const auto& seat : evening.seats) {
    CHECK(evening.difference(*seat).empty());
    CHECK(seat->client->replicated().resyncs == 0);
  }
}

}  // namespace muster
