// The cost per tick when a map begins for many clients.
#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

std::uint64_t checked(const ReplicationStage& stage) {
  std::uint64_t count = 0;
  for (const auto& client : stage.clients) {
    count += stage.server.view(client->id)->checked_count();
  }
  return count;
}

}  // namespace

TEST_CASE("Clients that do not have any entity yet are served in different ticks",
          "[net][replication]") {
  constexpr std::uint32_t kEntities = 3'000;
  constexpr std::uint64_t kClients = 12;
  ReplicationStage stage(9, {.snapshot_ticks = 3});
  for (std::uint64_t i = 0; i < kClients; ++i) stage.join();
  const bool is_late = GENERATE(false, true);
  const auto spawn = [&] {
    for (std::uint32_t id = 1; id <= kEntities; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{1}, .relevance = Relevance::always});
    }
  };
  if (is_late) stage.run(60);
  stage.step(spawn);
  std::uint64_t before = checked(stage);
  std::uint64_t worst = 0;
  for (int tick = 0; tick < 200; ++tick) {
    stage.step();
    worst = std::max(worst, checked(stage) - before);
    before = checked(stage);
  }
  // A third of the clients has its turn in each tick. For each such client, the interest, the
  // records and the writer's tracks are checked once. The active entities are checked once for each
  // of a few parts.
  CHECK(worst <= kClients / 3 * (kEntities * 5 + 2 * 40'000));
  for (const auto& client : stage.clients) CHECK(stage.difference(*client) == "");
}

}  // namespace muster
