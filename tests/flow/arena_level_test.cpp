// The level of a match of the arena: what stands in it at the server, and at those who come.
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

std::vector<std::uint32_t> ids_of(const arena::ArenaServer& server) {
  std::vector<std::uint32_t> ids;
  for (const ReplicatedEntity& entity : server.replicated().entities()) ids.push_back(entity.id);
  return ids;
}

/// Of all that travels and is in the client's world, whether the server told of it or not.
std::vector<std::uint32_t> ids_of(const Seat& seat) {
  std::vector<std::uint32_t> ids;
  seat.client->match().collection().each([&](EntityReference id, EntityId) {
    ids.push_back(static_cast<std::uint32_t>(id.network_id));
  });
  return ids;
}

/// The arena with another gameplay layer in the level of its matches: all else is the same.
const MemoryFileSystem& other_build() {
  static const MemoryFileSystem files = [] {
    MemoryFileSystem project = testing::copy_to_memory(MUSTER_SOURCE_DIR "/content/arena");
    const AssetPath canyon = AssetPath::parse("plain/levels/canyon.yaml").value();
    ByteVector buffer;
    const auto bytes = read_whole(project, canyon, 1U << 20U, buffer);
    project.add("plain/levels/foundry.yaml", as_text(bytes.value()));
    return testing::build_to_memory(project, {.level = 1});
  }();
  return files;
}

}  // namespace

TEST_CASE("What stands in the level has the first ids, and is one entity on every machine",
          "[flow][arena][sys-15]") {
  Evening evening(11, {.still_from_tick = 1});
  const Seat& seat = evening.join();
  evening.run(seconds(3));
  const auto at_server = evening.server->level().placed();
  const auto at_client = seat.client->match().level().placed();
  REQUIRE(at_server.size() == 8);  // Crates, barrels, the gate and point A.
  REQUIRE(at_client.size() == 8);
  for (std::size_t id = 0; id < at_server.size(); ++id) {
    CAPTURE(id);
    CHECK(at_server[id].key == at_client[id].key);
    const EntityReference reference{static_cast<std::int32_t>(id)};
    CHECK(seat.client->match().collection().find(reference) == at_client[id].entity);
  }
  CHECK(seat.client->match().receiver().counters().placed == 8);
  CHECK(ids_of(seat) == ids_of(*evening.server));
  CHECK(evening.difference(seat).empty());
  // They look like others of their kind.
  CHECK(seat.client->shown_count() >= seat.client->world()->entity_count() - 4);
}

TEST_CASE("What was placed and broke before a player comes does not stand in his world",
          "[flow][arena][sys-15]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U);
  CAPTURE(seed);
  Evening evening(seed, {.still_from_tick = 30 * 60});
  const Seat& early = evening.join();
  evening.run(seconds(28));
  const std::vector<std::uint32_t> at_server = ids_of(*evening.server);
  std::size_t broken = 0;
  for (std::uint32_t id = 0; id < 8; ++id) {
    if (std::ranges::find(at_server, id) == at_server.end()) ++broken;
  }
  CHECK(broken == 3);  // The crates; the ids are nobody else's.
  const Seat& late = evening.join();
  evening.run(seconds(5));
  for (const Seat* const seat : {&early, &late}) {
    CHECK(ids_of(*seat) == ids_of(*evening.server));
    CHECK(evening.difference(*seat).empty());
    CHECK(seat->client->replicated().divergences == 0);
  }
  CHECK(late.client->match().receiver().counters().placed == 8 - broken);
  // Its game heard of those, too, though no change told of them.
  const arena::MatchSummary& seen = late.client->summary();
  CHECK(seen.spawned + broken == seen.despawned + ids_of(late).size());
}

TEST_CASE("Nobody is told of the world before the level stands", "[flow][arena][sys-14][sys-15]") {
  Evening evening(12, {.still_from_tick = 6 * 60});
  Seat& slow = evening.join(true);
  evening.run(seconds(4));
  CHECK(slow.client->player());  // The connection is there, ...
  CHECK(slow.client->replicated().snapshots == 0);
  CHECK(ids_of(slow).empty());
  while (!slow.client->match().stands()) {
    if (slow.loads.started_count() > 0) slow.loads.step(0);
    evening.run(milliseconds(16));
    // ... and what is placed comes before all that is not.
    CHECK((ids_of(slow).empty() || slow.client->match().stands()));
  }
  for (int i = 0; i < 400; ++i) {
    while (slow.loads.started_count() > 0) slow.loads.step(0);
    evening.run(milliseconds(16));
  }
  CHECK(ids_of(slow) == ids_of(*evening.server));
  CHECK(evening.difference(slow).empty());
}

TEST_CASE("A client whose level places something else goes without that, and sees the server's",
          "[flow][arena][sys-15]") {
  Evening evening(13, {.still_from_tick = 3 * 60});
  Seat& other = evening.join(false, other_build());
  evening.run(seconds(5));
  REQUIRE(other.client->match().level().placed_hash() != evening.server->level().placed_hash());
  CHECK(other.client->match().receiver().counters().placed == 0);
  CHECK(ids_of(other) == ids_of(*evening.server));
  CHECK(evening.difference(other).empty());
  CHECK(other.client->replicated().divergences == 0);
  const std::vector<std::string> lines = other.client->take_lines();
  CHECK(std::ranges::any_of(
      lines, [](const std::string& line) { return line.starts_with("the match has another"); }));
}

}  // namespace muster
