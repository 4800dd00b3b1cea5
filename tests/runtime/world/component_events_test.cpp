#include "runtime/world/component_events.h"

#include <map>
#include <utility>

#include <catch2/catch.hpp>

#include "runtime/world/snapshot_ring.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/random_history.h"

namespace muster {
namespace {

using samples::RandomHistory;
using samples::SampleWorld;
using enum ComponentEvent::Kind;

constexpr Signature kShot("shot");

std::size_t count(std::span<const ComponentEvent> events, ComponentEvent::Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(events, kind, &ComponentEvent::kind));
}

TEST_CASE("Components that a restore brings back are initialised again",
          "[runtime][world][sys-100]") {
  SampleWorld f;
  SnapshotRing past(f.world, 4);
  const EntityId entity = f.spawn(1);
  f.world.process_despawns();
  ComponentEvents events(f.world);
  past.capture(Tick(1));
  f.world.request_despawn(entity);
  f.world.process_despawns();
  past.capture(Tick(2));
  CHECK(events.collect().size() == 3);
  CHECK(count(events.collect(), deinitialised) == 0);
  REQUIRE(past.restore(Tick(1)));
  const auto again = events.collect();
  CHECK(count(again, initialised) == 3);
  CHECK(count(again, deinitialised) == 0);
  CHECK(again[0].entity == entity);
}

TEST_CASE("Components that a restore removes are deinitialised", "[runtime][world][sys-100]") {
  SampleWorld f;
  SnapshotRing past(f.world, 4);
  ComponentEvents events(f.world);
  past.capture(Tick(1));
  const EntityId entity = f.spawn(1, {.signature = kShot});
  past.capture(Tick(2));
  CHECK(count(events.collect(), initialised) == 3);
  REQUIRE(past.restore(Tick(1)));
  const auto gone = events.collect();
  REQUIRE(count(gone, deinitialised) == 3);
  CHECK(gone.size() == 3);
  CHECK(gone[0].entity == entity);
  CHECK(gone[0].signature == kShot);
  CHECK(events.collect().empty());
}

TEST_CASE("Computing ticks again initialises nothing twice", "[runtime][world][sys-100][sys-102]") {
  SampleWorld f;
  SnapshotRing past(f.world, 8);
  ComponentEvents events(f.world);
  past.capture(Tick(1));
  EntityId last;
  const auto run = [&](Signature signature) {
    for (std::uint32_t tick = 2; tick < 5; ++tick) {
      if (tick == 3) last = f.spawn(1, {.signature = signature});
      f.world.process_despawns();
      past.capture(Tick(tick));
    }
  };
  SECTION("an entity with the same id and signature is the same entity") {
    run(kShot);
    CHECK(count(events.collect(), initialised) == 3);
    REQUIRE(past.restore(Tick(1)));
    run(kShot);
    CHECK(events.collect().empty());
  }
  SECTION("an entity with the same id and another signature is another entity") {
    run(kShot.with(1));
    const EntityId first = last;
    CHECK(events.collect().size() == 3);
    REQUIRE(past.restore(Tick(1)));
    run(kShot.with(2));
    REQUIRE(last == first);
    const auto both = events.collect();
    CHECK(count(both, deinitialised) == 3);
    CHECK(count(both, initialised) == 3);
    CHECK(both[0].signature == kShot.with(1));  // The first event is for the removed entity.
    CHECK(both[3].signature == kShot.with(2));
  }
  SECTION("an entity without a signature is removed and added again") {
    run({});
    CHECK(events.collect().size() == 3);
    REQUIRE(past.restore(Tick(1)));
    run({});
    CHECK(count(events.collect(), deinitialised) == 3);
  }
}

TEST_CASE("A restore also restores the list of initialised components", "[runtime][world]") {
  SampleWorld f;
  SnapshotRing past(f.world, 4);
  const EntityId entity = f.spawn(1);
  past.capture(Tick(1));  // This state is in the middle of a tick.
  f.world.process_despawns();
  f.spawn(2);
  past.capture(Tick(2));
  REQUIRE(past.restore(Tick(1)));
  REQUIRE(f.world.initialised().size() == 3);
  CHECK(f.world.initialised()[0].entity == entity);
}

TEST_CASE("Objects outside of the world match the world after every rollback",
          "[runtime][world][sys-100][property]") {
  const auto seed = GENERATE(range(1U, 31U));
  CAPTURE(seed);
  RandomHistory f(seed);
  f.sample.spawn(1);
  ComponentEvents events(f.world);
  using Key = std::pair<EntityId, ComponentId>;
  std::map<Key, Signature> outside;
  const auto inside = [&] {
    std::map<Key, Signature> found;
    for (std::uint32_t i = 0; i < f.world.component_type_count(); ++i) {
      for (const EntityId owner : f.world.storage(ComponentId(i)).owners()) {
        found[{owner, ComponentId(i)}] = f.world.signature(owner);
      }
    }
    return found;
  };
  outside = inside();
  for (int round = 0; round < 300; ++round) {
    f.step();
    if (f.one_in(50)) {
      SampleWorld other;
      for (int i = 0; i < 20; ++i) other.disturb(f.random);
      f.world = other.world;
    }
    if (f.one_in(2)) continue;
    for (const ComponentEvent& event : events.collect()) {
      const Key key{event.entity, event.component};
      // For each component, the events `initialised` and `deinitialised` alternate.
      REQUIRE(outside.contains(key) == (event.kind == deinitialised));
      if (event.kind == deinitialised) {
        outside.erase(key);
      } else {
        outside[key] = event.signature;
      }
    }
    REQUIRE(outside == inside());
  }
}

TEST_CASE("Collecting component events allocates nothing in steady state", "[runtime][world]") {
  SampleWorld f;
  f.world.reserve(32, 32);
  ComponentEvents events(f.world);
  const auto round = [&] {
    const EntityId entity = f.spawn(1);
    (void)events.collect();
    f.world.request_despawn(entity);
    f.world.process_despawns();
    return events.collect().size();
  };
  for (int i = 0; i < 10; ++i) round();
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 100; ++i) CHECK(round() == 3);
  CHECK(allocation_count() == before);
}

}  // namespace
}  // namespace muster
