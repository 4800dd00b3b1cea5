#include "runtime/world/snapshot_ring.h"

#include <map>

#include <catch2/catch.hpp>

#include "runtime/world/world_difference.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/described_samples.h"
#include "tests/support/world_samples.h"

namespace muster {
namespace {

using samples::bytes_of;
using samples::Position;
using samples::SampleWorld;

TEST_CASE("A world can be restored to any stored tick", "[runtime][world][sys-55][sys-100]") {
  SampleWorld f;
  SnapshotRing past(f.world, 4);
  const EntityId first = f.spawn(1);
  past.capture(Tick(10));
  f.world.get(f.position, first)->x = 5;
  const EntityId second = f.spawn(2);
  past.capture(Tick(11));
  f.world.request_despawn(first);
  f.world.process_despawns();
  past.capture(Tick(12));
  REQUIRE(past.restore(Tick(11)));
  CHECK(f.world.is_alive(first));
  CHECK(f.world.get(f.position, first)->x == 5);
  CHECK(f.world.is_alive(second));
  CHECK_FALSE(past.has(Tick(12)));
  REQUIRE(past.restore(Tick(10)));
  CHECK(f.world.get(f.position, first)->x == 1);
  CHECK_FALSE(f.world.is_alive(second));
  // Entities that are spawned again get the same ids.
  CHECK(f.spawn(2) == second);
  CHECK_FALSE(past.restore(Tick(12)));
  CHECK_FALSE(past.restore(Tick(9)));
}

TEST_CASE("A ring stores a fixed number of ticks and drops the oldest tick",
          "[runtime][world][sys-80]") {
  SampleWorld f;
  SnapshotRing past(f.world, 3);
  CHECK_FALSE(past.newest().has_value());
  for (std::uint32_t tick = 1; tick <= 5; ++tick) {
    f.spawn(0);
    past.capture(Tick(tick));
  }
  CHECK(past.oldest() == Tick(3));
  CHECK(past.newest() == Tick(5));
  CHECK_FALSE(past.has(Tick(2)));
  CHECK(past.restore(Tick(3)));
  CHECK(f.world.entity_count() == 3);
  past.clear();
  CHECK_FALSE(past.restore(Tick(3)));
}

TEST_CASE("A world has no stored past after another world is assigned to it", "[runtime][world]") {
  SampleWorld f;
  SnapshotRing past(f.world, 4);
  past.capture(Tick(1));
  f.spawn(1);
  past.capture(Tick(2));
  const SampleWorld other;
  f.world = other.world;
  CHECK(f.world.entity_count() == 0);
  CHECK_FALSE(past.has(Tick(2)));
  CHECK_FALSE(past.restore(Tick(1)));
  CHECK_FALSE(past.newest().has_value());
  past.capture(Tick(1));
  const EntityId fresh = f.spawn(1);
  CHECK(past.restore(Tick(1)));
  CHECK_FALSE(f.world.is_alive(fresh));
}

TEST_CASE("A restore undoes every change of a world", "[runtime][world][sys-100][property]") {
  const auto seed = GENERATE(range(1U, 41U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  SampleWorld f;
  SnapshotRing past(f.world, 6);
  std::map<std::uint32_t, std::uint64_t> sums;
  std::uint32_t tick = 0;
  for (int round = 0; round < 200; ++round) {
    for (auto changes = random() % 12; changes > 0; --changes) f.disturb(random);
    past.capture(Tick(++tick));
    sums[tick] = f.world.checksum();
    if (random() % 4 != 0) continue;
    const std::uint32_t back = tick - static_cast<std::uint32_t>(random() % 6);
    if (!past.has(Tick(back))) continue;
    for (auto changes = random() % 5; changes > 0; --changes) f.disturb(random);
    REQUIRE(past.restore(Tick(back)));
    CAPTURE(round, back);
    REQUIRE(f.world.checksum() == sums[back]);
    tick = back;
  }
}

TEST_CASE("The stored state of any tick can be read beside the current state",
          "[runtime][world][property]") {
  const auto seed = GENERATE(range(1U, 21U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  SampleWorld f;
  SampleWorld then;
  SnapshotRing past(f.world, 6);
  std::map<std::uint32_t, std::uint64_t> sums;
  for (std::uint32_t tick = 1; tick <= 100; ++tick) {
    for (auto changes = random() % 12; changes > 0; --changes) f.disturb(random);
    past.capture(Tick(tick));
    sums[tick] = f.world.checksum();
    for (auto changes = random() % 5; changes > 0; --changes) f.disturb(random);
    const std::uint64_t now = f.world.checksum();
    for (std::uint32_t back = past.oldest()->value(); back <= tick; ++back) {
      CAPTURE(tick, back);
      REQUIRE(past.copy_to(Tick(back), then.world));
      REQUIRE(then.world.checksum() == sums[back]);
    }
    REQUIRE(f.world.checksum() == now);
  }
  CHECK_FALSE(past.copy_to(Tick(1), then.world));
  CHECK(then.world.checksum() == sums[100]);
}

TEST_CASE("Two ticks of a world are compared completely", "[runtime][world][sys-57]") {
  SampleWorld f;
  SampleWorld then;
  SnapshotRing past(f.world, 4);
  const EntityId first = f.spawn(1);
  past.capture(Tick(1));
  f.world.get(f.position, first)->x = 1.005F;
  past.capture(Tick(2));
  f.world.get(f.position, first)->x = 5;
  const EntityId second = f.spawn(2);
  REQUIRE(past.copy_to(Tick(2), then.world));
  CHECK_FALSE(then.world.is_alive(second));
  CHECK(then.world.get(then.position, first)->x == 1.005F);
  const auto since = first_difference(then.world, f.world);
  REQUIRE(since.has_value());
  CHECK(since->entity == second);
  SampleWorld before;
  REQUIRE(past.copy_to(Tick(1), before.world));
  const auto between = first_difference(before.world, then.world);
  REQUIRE(between.has_value());
  CHECK(between->is_tolerable);
}

TEST_CASE("Computing the same ticks again gives the same world", "[runtime][world][sys-79]") {
  const auto seed = GENERATE(range(1U, 11U));
  SampleWorld f;
  std::mt19937 random(seed);
  for (int i = 0; i < 50; ++i) f.disturb(random);
  SnapshotRing past(f.world, 20);
  past.capture(Tick(0));
  const std::mt19937 at_zero = random;
  const auto run = [&] {
    random = at_zero;
    for (std::uint32_t tick = 1; tick < 20; ++tick) {
      for (int i = 0; i < 5; ++i) f.disturb(random);
      past.capture(Tick(tick));
    }
    return f.world.checksum();
  };
  const std::uint64_t once = run();
  REQUIRE(past.restore(Tick(0)));
  CHECK(run() == once);
}

TEST_CASE("A past value is found although its entity has moved in memory since then",
          "[runtime][world][sys-78][property]") {
  const auto seed = GENERATE(range(1U, 21U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  SampleWorld f;
  SnapshotRing past(f.world, 8);
  std::map<std::uint32_t, std::map<EntityId, float>> expected;
  for (std::uint32_t tick = 1; tick <= 60; ++tick) {
    for (int i = 0; i < 6; ++i) f.disturb(random);
    past.capture(Tick(tick));
    const auto owners = f.world.owners(f.position);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      expected[tick][owners[i]] = f.world.values(f.position)[i].y;
    }
    for (std::uint32_t before = past.oldest()->value(); before <= tick; ++before) {
      for (const auto& [entity, y] : expected[tick]) {
        const Bytes value = past.value_at(Tick(before), f.position.id(), entity);
        const auto known = expected[before].find(entity);
        REQUIRE(value.empty() == (known == expected[before].end()));
        if (value.empty()) continue;
        Position position;
        std::memcpy(&position, value.data(), sizeof position);
        REQUIRE(position.y == known->second);
      }
    }
  }
}

TEST_CASE("The past is compared with the server's values", "[runtime][world][sys-57][sys-78]") {
  SampleWorld f;
  SnapshotRing past(f.world, 4);
  const EntityId entity = f.spawn(1);
  past.capture(Tick(1));
  f.world.get(f.position, entity)->x = 50;
  const Position near{1.005F, 0, 0};
  const Position far{1.5F, 0, 0};
  CHECK_FALSE(past.first_difference(Tick(1), f.position.id(), entity, bytes_of(near)));
  const auto difference = past.first_difference(Tick(1), f.position.id(), entity, bytes_of(far));
  REQUIRE(difference.has_value());
  CHECK(difference->to_string() == "x: differs by 0.5 m (tolerance 0.01)");
}

TEST_CASE("A ring of a world with free capacity allocates nothing from its first capture on",
          "[runtime][world]") {
  SampleWorld f;
  f.world.reserve(64, 64);
  SnapshotRing past(f.world, {.depth = 8, .changes_per_tick = 32});
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 32; ++i) f.spawn(static_cast<float>(i));
  f.world.process_despawns();
  const auto tick = [&](std::uint32_t number) {
    f.world.request_despawn(f.world.owners(f.position)[number % 20]);
    f.spawn(0);
    f.world.process_despawns();
    past.capture(Tick(number));
  };
  std::uint32_t number = 0;
  for (int i = 0; i < 100; ++i) {
    tick(++number);
    if (i % 10 == 9) past.restore(Tick(number -= 5));
  }
  CHECK(allocation_count() == before);
}

}  // namespace
}  // namespace muster
