// The placed entities of the arena's level, on the server and on clients.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/arena_evening.h"
#include "tests/support/memory_copy.h"

namespace muster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<NetworkId> ids_of(GameServer& server) {
  std::vector<NetworkId> ids;
  for (const ReplicatedEntity& entity :
       SessionAccess::members(server).replication->world().entities()) {
    ids.push_back(entity.id);
  }
  return ids;
}

/// Returns the ids of all replicated entities in the client's world, even of entities that the
/// server has not sent.
std::vector<NetworkId> ids_of(const Seat& seat) {
  std::vector<NetworkId> ids;
  SessionAccess::members(seat.client).collection.each([&](EntityReference id, EntityId) {
    ids.push_back(id.id());
  });
  return ids;
}

std::uint64_t placed_count(const Seat& seat) {
  return SessionAccess::members(seat.client).receiver.counters().placed;
}

/// Returns a build of the arena in which only the gameplay layer of the level differs.
const std::string& other_build() {
  static const TemporaryFolder folder;
  static const bool is_built = [] {
    MemoryFileSystem project = testing::copy_to_memory(MUSTER_SOURCE_DIR "/content/arena");
    const AssetPath canyon = AssetPath::parse("plain/levels/canyon.yaml").value();
    ByteVector buffer;
    const auto bytes = read_whole(project, canyon, 1U << 20U, buffer);
    project.add("plain/levels/foundry.yaml", as_text(bytes.value()));
    session_game::build_project(project, folder.path());
    return true;
  }();
  static_cast<void>(is_built);
  return folder.path();
}

TEST_CASE("Placed entities of the level have the first ids, and are equal on every machine",
          "[flow][arena][sys-15]") {
  Evening evening(11);
  const Seat& seat = evening.join();
  evening.run(seconds(1));
  const auto at_server = SessionAccess::members(evening.server()).level.placed();
  const auto at_client = SessionAccess::members(seat.client).level.placed();
  REQUIRE(at_server.size() == 8);  // Crates, barrels, the gate and capture point A.
  REQUIRE(at_client.size() == 8);
  for (std::size_t id = 0; id < at_server.size(); ++id) {
    CAPTURE(id);
    CHECK(at_server[id].key == at_client[id].key);
    const EntityReference reference{static_cast<std::int32_t>(id)};
    CHECK(seat.client.find(reference) == at_client[id].entity);
  }
  evening.end();
  CHECK(placed_count(seat) == 8);
  CHECK(ids_of(seat) == ids_of(evening.server()));
  CHECK(evening.difference(seat).empty());
  // Placed entities have presentations.
  CHECK_FALSE(seat.client.presentation(seat.client.find({0})).is_null());
}

TEST_CASE(
    "A placed entity that was destroyed before a player joins does not exist on the player's "
    "client",
    "[flow][arena][sys-15]") {
  const auto seed = GENERATE(1U, 2U);
  CAPTURE(seed);
  Evening evening(seed);
  const Seat& early = evening.join();
  std::size_t broken = 0;
  for (int i = 0; i < 60 && broken == 0; ++i) {
    evening.run(seconds(2));
    const std::vector<NetworkId> at_server = ids_of(evening.server());
    // No other entity gets the id of a placed entity. So if an id is missing, its entity was
    // destroyed.
    for (std::uint32_t id = 0; id < 8; ++id) {
      if (std::ranges::find(at_server, NetworkId{id}) == at_server.end()) ++broken;
    }
  }
  REQUIRE(broken > 0);
  const Seat& late = evening.join();
  evening.run(seconds(1));
  evening.end();
  for (const Seat* const seat : {&early, &late}) {
    CHECK(ids_of(*seat) == ids_of(evening.server()));
    CHECK(evening.difference(*seat).empty());
    CHECK(seat->client.metrics().divergences == 0);
  }
  CHECK(placed_count(late) <= 8 - broken);
}

TEST_CASE("A client receives no entity before its level is loaded",
          "[flow][arena][sys-14][sys-15]") {
  Evening evening(12);
  Seat& slow = evening.join();
  slow.pause_loads();
  evening.run(seconds(3));
  CHECK(slow.client.player() != PlayerId::none);  // The client is connected.
  CHECK(slow.client.metrics().snapshots == 0);
  CHECK(ids_of(slow).empty());
  while (!SessionAccess::members(slow.client).is_level_there) {
    if (slow.loads().started_count() > 0) slow.loads().step(0);
    evening.run(milliseconds(16));
    // No replicated entity exists before the placed entities.
    CHECK((ids_of(slow).empty() || SessionAccess::members(slow.client).is_level_there));
  }
  arena::end_match(evening.server());
  for (int i = 0; i < 300; ++i) {
    while (slow.loads().started_count() > 0) slow.loads().step(0);
    evening.run(milliseconds(16));
  }
  CHECK(ids_of(slow) == ids_of(evening.server()));
  CHECK(evening.difference(slow).empty());
}

TEST_CASE("A client with other placed entities removes them and shows the server's entities",
          "[flow][arena][sys-15]") {
  Evening evening(13);
  Seat& other = evening.join(false, other_build());
  evening.run(seconds(2));
  evening.end();
  CHECK(SessionAccess::members(other.client).level.placed_hash() !=
        SessionAccess::members(evening.server()).level.placed_hash());
  CHECK(placed_count(other) == 0);
  CHECK(ids_of(other) == ids_of(evening.server()));
  CHECK(evening.difference(other).empty());
  CHECK(other.client.metrics().divergences == 0);
  CHECK(std::ranges::any_of(evening.match->problems(), [](const Problem& problem) {
    return problem.kind == ProblemKind::content_differs;
  }));
}

}  // namespace
}  // namespace muster
