#include "runtime/world/entity_snapshot.h"

#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "tests/support/allocation_counter.h"
#include "tests/support/world_samples.h"

namespace muster {
namespace {

using samples::Position;
using samples::SampleWorld;

TEST_CASE("The values of some entities are captured and restored", "[runtime][world][sys-78]") {
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

TEST_CASE("The captured values of some entities are compared with their current values",
          "[runtime][world][sys-57][sys-78]") {
  SampleWorld f;
  const EntityId first = f.spawn(1);
  const EntityId second = f.spawn(2);
  const EntityId other = f.spawn(3);
  EntitySnapshot kept;
  kept.capture(f.world, std::vector<EntityId>{second, first});
  f.world.get(f.position, first)->x += 0.005F;  // within its tolerance
  f.world.get(f.position, other)->x = 50;
  CHECK_FALSE(kept.first_difference(f.world).has_value());

  f.world.get(f.velocity, first)->z = 4;
  auto difference = kept.first_difference(f.world);
  REQUIRE(difference.has_value());
  CHECK(difference->entity == first);
  CHECK(difference->component == f.velocity.id());
  REQUIRE(difference->field.has_value());
  CHECK(difference->field->to_string() == "z: differs by 4 m/s (tolerance 0)");

  f.world.get(f.vitality, second)->health = 97;  // `second` was captured before `first`.
  difference = kept.first_difference(f.world);
  REQUIRE(difference.has_value());
  CHECK(difference->entity == second);
  CHECK(difference->field->to_string() == "health: differs by 3 hp (tolerance 0)");
  CHECK(kept.restore(f.world) == 0);
  CHECK_FALSE(kept.first_difference(f.world).has_value());
}

TEST_CASE("If only one of the compared states has a component, the difference names no field",
          "[runtime][world][sys-78]") {
  SampleWorld f;
  const EntityId entity = f.spawn(1);
  f.world.remove(f.velocity.id(), entity);
  EntitySnapshot kept;
  kept.capture(f.world, std::vector<EntityId>{entity});
  const auto differs_in = [&](ComponentId component) {
    const auto difference = kept.first_difference(f.world);
    return difference && difference->entity == entity && difference->component == component &&
           !difference->field;
  };
  SECTION("the component was added") {
    f.world.add(f.velocity, entity, {});
    CHECK(differs_in(f.velocity.id()));
  }
  SECTION("the component was removed") {
    f.world.remove(f.vitality.id(), entity);
    CHECK(differs_in(f.vitality.id()));
  }
  SECTION("the entity of the component was despawned") {
    f.world.request_despawn(entity);
    f.world.process_despawns();
    CHECK(differs_in(f.position.id()));
  }
}

TEST_CASE("A snapshot of some entities equals the entities after a restore, and only then",
          "[runtime][world][sys-78][property]") {
  const auto seed = GENERATE(range(1U, 31U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  SampleWorld f;
  for (int i = 0; i < 30; ++i) f.disturb(random);
  int differed = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<EntityId> some;
    f.world.each_entity([&](EntityId entity) {
      if (random() % 2 == 0) some.push_back(entity);
    });
    EntitySnapshot kept;
    kept.capture(f.world, some);
    REQUIRE_FALSE(kept.first_difference(f.world).has_value());
    for (auto changes = random() % 4; changes > 0; --changes) f.disturb(random);
    std::uint32_t gone = 0;
    bool differs = false;
    for (const EntityId entity : some) {
      gone += f.world.is_alive(entity) ? 0U : 1U;
      for (std::uint32_t i = 0; i < f.world.component_type_count(); ++i) {
        const Bytes before = kept.value(ComponentId(i), entity);
        const Bytes now = f.world.bytes(ComponentId(i), entity);
        // All changes in this test exceed the tolerance.
        differs |= !std::ranges::equal(before, now);
      }
    }
    const auto difference = kept.first_difference(f.world);
    REQUIRE(difference.has_value() == differs);
    differed += differs ? 1 : 0;
    REQUIRE(kept.restore(f.world) == gone);
    if (gone == 0) REQUIRE_FALSE(kept.first_difference(f.world).has_value());
  }
  CHECK(differed > 0);
}

TEST_CASE("The past of some entities is stored tick by tick", "[runtime][world][sys-78][sys-80]") {
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
    CHECK_FALSE(past.find(Tick(tick))->first_difference(f.world).has_value());
  }
  CHECK(allocation_count() == before);
}

}  // namespace
}  // namespace muster
