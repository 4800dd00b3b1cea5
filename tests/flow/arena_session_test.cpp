// Matches of the arena over a bad link.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "content/arena/game/lossy_edges.h"
#include "content/arena/game/program_options.h"
#include "net/snapshot/model_file.h"
#include "runtime/session/level_model.h"
#include "runtime/session/session_options.h"
#include "tests/support/arena_evening.h"

namespace muster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("When the server's world stops changing, every client has the same world",
          "[flow][arena][sys-15][sys-18][sys-19][sys-20][sys-33][sys-40][sys-45][sys-47]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U);
  CAPTURE(seed);
  Evening evening(seed);
  evening.join();
  evening.join();
  evening.run(seconds(3));
  evening.join();
  evening.seats.front()->client.leave();
  evening.run(seconds(3));
  evening.end();
  CHECK(evening.seats.front()->client.is_over());
  CHECK(evening.seats.front()->client.end().is_good);
  for (std::size_t i = 1; i < evening.seats.size(); ++i) {
    CAPTURE(i);
    const Seat& seat = *evening.seats[i];
    const GameClientMetrics metrics = seat.client.metrics();
    CHECK(evening.difference(seat).empty());
    CHECK(metrics.checksums > 0);
    CHECK(metrics.divergences == 0);
    CHECK(metrics.snapshots_malformed == 0);
    CHECK(metrics.loads_failed == 0);
    CHECK(metrics.effects_played > 20);
    CHECK(metrics.presentations > 20);
    CHECK(metrics.predicted_ticks > 100);
    CHECK(seat.is_still);
  }
  CHECK(evening.server().players().size() == 2);
}

TEST_CASE("A client shows the effect of its own commands before the server has run the commands",
          "[flow][arena]") {
  Evening evening(2, 0.02);
  Seat& seat = evening.join();
  evening.run(seconds(2));
  const GameClientMetrics metrics = seat.client.metrics();
  CHECK(metrics.lead > milliseconds(60));
  CHECK(metrics.effects_predicted > 2);
  EntityId own;
  seat.client.each<const arena::CharacterMovement>(
      [&](EntityId id, const arena::CharacterMovement&) {
        if (seat.client.is_mine(id)) own = id;
      });
  REQUIRE_FALSE(own.is_null());
  CHECK(seat.client.is_predicted(own));
  // The presentation is at the drawn position, which is ahead of the server's last state.
  const EntityId shown = seat.client.presentation(own);
  REQUIRE_FALSE(shown.is_null());
  const World& view = seat.client.view();
  const auto transform = view.component<arena::Transform>("Transform");
  const Vec3 drawn = seat.client.get<arena::Transform>(own)->position;
  CHECK(view.get(transform, shown)->position.x == drawn.x);
  CHECK(view.get(transform, shown)->position.z == drawn.z);
}

TEST_CASE("Client and server load the model of snapshots from their own bundles",
          "[flow][arena][sys-42]") {
  Evening evening(1);
  Seat& seat = evening.join();
  evening.run(seconds(1));
  ServerMembers& server = SessionAccess::members(evening.server());
  CHECK_FALSE(server.model.empty());
  CHECK(SessionAccess::members(seat.client).model == server.model);
  SnapshotModel trained;
  std::string error;
  REQUIRE(decode_model(server.model, trained, error));
  std::size_t lanes = 0;
  std::size_t learnt = 0;
  const TypeViews views(server.types->schema);
  for (const EntitySchema& schema : views.schemas()) {
    const std::string name = schema.name.substr(0, schema.name.find('/'));
    const auto found = std::ranges::find_if(
        trained.types, [&](const TypeModel& type) { return type.schema.name == name; });
    lanes += schema.lanes.size();
    if (found == trained.types.end()) continue;
    learnt += static_cast<std::size_t>(std::ranges::count_if(schema.lanes, [&](const auto& lane) {
      return std::ranges::any_of(found->schema.lanes, [&](const LaneSchema& other) {
        return other.name == lane.name && other.maximum == lane.maximum;
      });
    }));
  }
  // If this fails, a component has changed. Train the model again (content/arena/README.md).
  CHECK(learnt == lanes);
}

TEST_CASE("Two runs of a session give equal results", "[flow][arena][determinism]") {
  const auto play = [] {
    Evening evening(5);
    const Seat& seat = evening.join();
    evening.run(seconds(2));
    return seat.client.world_text() + evening.server().world_text(seat.client.player());
  };
  CHECK(play() == play());
}

TEST_CASE("A client that has loaded only the level has all entities, but not their bundles",
          "[flow][arena][sys-13][sys-18]") {
  Evening evening(6);
  Seat& slow = evening.join();
  slow.pause_loads();
  while (!SessionAccess::members(slow.client).is_level_there) {
    if (slow.loads().started_count() > 0) slow.loads().step(0);
    evening.run(milliseconds(16));
  }
  evening.run(seconds(3));
  evening.end();
  const std::size_t placed = SessionAccess::members(slow.client).level.placed().size();
  CHECK(SessionAccess::members(slow.client).known.size() ==
        SessionAccess::members(evening.server()).sender->count());
  CHECK(slow.client.metrics().loads >= placed);
  CHECK(slow.client.metrics().loads < slow.spawned);
  CHECK(slow.client.metrics().divergences == 0);
  // The client lacks only descendants of the roots, because their bundles are not loaded yet.
  CHECK_FALSE(evening.difference(slow).empty());
  while (slow.loads().started_count() > 0) {
    slow.loads().step(0);
    evening.run(milliseconds(16));
  }
  evening.run(milliseconds(100));
  CHECK(evening.difference(slow).empty());
}

TEST_CASE("A lossy socket loses the configured share of datagrams, and delays the others in order",
          "[flow][arena]") {
  SimulatedEdges edges(3);
  Edges& here = edges.host("here");
  Edges& there = edges.host("there");
  const auto sender = here.network().open("here:1").value();
  const auto lossy =
      arena::make_lossy(there.network().open("there:2").value(), there,
                        {.loss = 0.25, .delay = milliseconds(50), .jitter = milliseconds(20)});
  std::array<std::byte, kDatagramBytesMax + 1> memory;
  IncomingDatagram datagram{.from = {}, .memory = memory};
  std::vector<unsigned> arrived;
  constexpr unsigned kSent = 200;
  for (unsigned i = 0; i < kSent + 100; ++i) {
    const std::array<std::byte, 1> bytes = {static_cast<std::byte>(i)};
    const OutgoingDatagram out{.to = lossy->local_address(), .bytes = bytes};
    if (i < kSent) CHECK(sender->send(std::span(&out, 1)).sent == 1);
    edges.advance(milliseconds(1));
    while (lossy->receive(std::span(&datagram, 1)) == 1) {
      CHECK(datagram.from == sender->local_address());
      CHECK(datagram.byte_count == 1);
      const auto number = std::to_integer<unsigned>(memory[0]);
      CHECK(number + 50 <= i + 1);
      arrived.push_back(number);
    }
  }
  CHECK(std::ranges::is_sorted(arrived));
  CHECK(arrived.size() < kSent - kSent / 8);
  CHECK(arrived.size() > kSent / 2);
}

TEST_CASE("A server that only this machine can reach has no limit of players per address",
          "[flow][session]") {
  const GameServerOptions defaults;
  arena::ProgramOptions options;
  const auto per_address = [&options](const char* address) {
    options.address = address;
    return options.players_per_address();
  };
  CHECK(per_address("127.0.0.1:7000") == defaults.players_max);
  CHECK(per_address("[::1]:7000") == defaults.players_max);
  CHECK(per_address("0.0.0.0:7000") == defaults.players_per_address);
  CHECK(per_address("[::]:7000") == defaults.players_per_address);
  options.clients_per_address = 3;
  CHECK(per_address("127.0.0.1:7000") == 3);
}

TEST_CASE("When datagrams are reordered, every client still gets the server's world",
          "[flow][session][sys-46]") {
  Evening evening(1, 0);
  for (int i = 0; i < 8; ++i) evening.join(true);
  evening.run(seconds(7));
  evening.end();
  for (const auto& seat : evening.seats) {
    CHECK(evening.difference(*seat).empty());
    CHECK(seat->client.metrics().resyncs == 0);
  }
}

}  // namespace
}  // namespace muster
