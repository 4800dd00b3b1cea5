#include "runtime/world/entity_snapshot.h"

#include <catch2/catch.hpp>

#include "tests/support/allocation_counter.h"
#include "tests/support/world_samples.h"

namespace muster {
namespace {

using samples::Position;
using samples::SampleWorld;

TEST_CASE("Some entities' values are kept and put back", "[runtime][world][sys-78]") {
  SampleWorld f;
  const EntityId mine = f.spawn(1);
  const EntityId gone = f.spawn(2);
  const EntityId other = f.spawn(3);
  EntitySnapshot kept;
  const std::vector<EntityId> entities = {mine, gone};
  kept.capture(f.world, entities);
  CHECK(kept.value(f.position.id(), other).empty());
  f.world.get(f.position, mine)->x = 9;
  f.world.get(f.position, other)->x = 9;
  f.world.remove(f.velocity.id(), mine);
  f.world.request_despawn(gone);
  f.world.process_despawns();
  CHECK(kept.restore(f.world) == 1);
  CHECK(f.world.get(f.position, mine)->x == 1);
  CHECK(f.world.get(f.velocity, mine)->y == 1);
  CHECK(f.world.get(f.position, other)->x == 9);
  CHECK_FALSE(f.world.is_alive(gone));
}

TEST_CASE("Some entities' past is kept tick by tick", "[runtime][world][sys-78][sys-80]") {
  SampleWorld f;
  const std::vector<EntityId> mine = {f.spawn(0), f.spawn(0)};
  EntitySnapshotRing past({.depth = 3});
  CHECK_FALSE(past.newest().has_value());
  CHECK(past.find(Tick(1)) == nullptr);
  for (std::uint32_t tick = 1; tick <= 5; ++tick) {
    f.world.get(f.position, mine[0])->x = static_cast<float>(tick);
    past.capture(Tick(tick), f.world, mine);
  }
  CHECK(past.oldest() == Tick(3));
  CHECK(past.newest() == Tick(5));
  CHECK(past.find(Tick(2)) == nullptr);
  REQUIRE(past.find(Tick(4)) != nullptr);
  CHECK(past.find(Tick(4))->restore(f.world) == 0);
  CHECK(f.world.get(f.position, mine[0])->x == 4);
  past.forget_after(Tick(4));
  CHECK(past.find(Tick(5)) == nullptr);
  CHECK(past.newest() == Tick(4));
  past.capture(Tick(5), f.world, mine);
  CHECK(past.oldest() == Tick(3));
  past.forget_after(Tick(1));
  CHECK_FALSE(past.oldest().has_value());
}

TEST_CASE("A ring of some entities allocates nothing from its first capture on",
          "[runtime][world]") {
  SampleWorld f;
  f.world.reserve(16, 16);
  const std::vector<EntityId> mine = {f.spawn(0), f.spawn(0)};
  EntitySnapshotRing past({.depth = 4, .entities = 2, .components = 6, .value_bytes = 64});
  const std::uint64_t before = allocation_count();
  for (std::uint32_t tick = 1; tick <= 20; ++tick) {
    past.capture(Tick(tick), f.world, mine);
    CHECK(past.find(Tick(tick))->restore(f.world) == 0);
  }
  CHECK(allocation_count() == before);
}

}  // namespace
}  // namespace muster
