#include "runtime/world/view_events.h"

#include <map>

#include <catch2/catch.hpp>

#include "runtime/world/snapshot_ring.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/random_history.h"

namespace muster {
namespace {

using samples::RandomHistory;
using samples::SampleWorld;

constexpr Signature kShot("shot");

TEST_CASE("A signature is equal on every platform", "[runtime][world][sys-102]") {
  // These values must not change, because connections and recordings use them.
  STATIC_REQUIRE(Signature("shot").value() == 0x00FE8347D2C72E0EULL);
  STATIC_REQUIRE(Signature("shot").with(2).value() == 0x00D0DE5F568DC93DULL);
  CHECK(Signature("shot").with(1) != Signature("shot").with(2));
  CHECK(Signature().is_none());
  CHECK_FALSE(Signature("").is_none());
}

TEST_CASE("Computing a tick again does not end and restart an effect",
          "[runtime][world][sys-101][sys-102]") {
  SampleWorld f;
  SnapshotRing past(f.world, 8);
  ViewEvents view(f.world);
  past.capture(Tick(1));
  const EntityId shot = f.world.create({.signature = kShot.with(1)});
  past.capture(Tick(2));
  REQUIRE(view.collect().size() == 1);
  past.restore(Tick(1));
  // The correction creates another entity first, so the shot gets another id.
  f.world.create();
  const EntityId again = f.world.create({.signature = kShot.with(1)});
  REQUIRE(again != shot);
  const auto events = view.collect();
  REQUIRE(events.size() == 1);
  CHECK(events[0].kind == ViewEvent::Kind::moved);
  CHECK(events[0].entity == again);
  CHECK(view.collect().empty());
  // The shot is computed again and is equal, so there are no events.
  past.capture(Tick(2));
  f.world.set_active(again, false);
  past.restore(Tick(2));
  CHECK(view.collect().empty());
  // After the restore, the shot is not fired.
  past.restore(Tick(1));
  REQUIRE(view.collect().size() == 1);
  CHECK(f.world.find(kShot.with(1)).is_null());
}

TEST_CASE("The presentation matches a world after another world is assigned to it",
          "[runtime][world]") {
  SampleWorld f;
  const EntityId old = f.world.create({.signature = kShot.with(1)});
  ViewEvents view(f.world);
  SampleWorld other;
  const EntityId fresh = other.world.create({.signature = kShot.with(2)});
  REQUIRE(fresh == old);
  f.world = other.world;
  const auto events = view.collect();
  REQUIRE(events.size() == 2);
  CHECK(events[0].kind == ViewEvent::Kind::destroyed);
  CHECK(events[0].signature == kShot.with(1));
  CHECK(events[1].kind == ViewEvent::Kind::created);
  CHECK(events[1].entity == fresh);
}

TEST_CASE("A second entity with the same signature gets the next ordinal",
          "[runtime][world][sys-102]") {
  SampleWorld f;
  const EntityId first = f.world.create({.signature = kShot});
  const EntityId second = f.world.create({.signature = kShot});
  CHECK(f.world.signature(first) == kShot);
  CHECK(f.world.signature(second) == kShot.with(1));
  CHECK(f.world.find(kShot) == first);
  f.world.request_despawn(first);
  f.world.process_despawns();
  CHECK(f.world.find(kShot).is_null());
}

TEST_CASE("The presentation matches the world after every rollback",
          "[runtime][world][sys-102][property]") {
  const auto seed = GENERATE(range(1U, 31U));
  CAPTURE(seed);
  RandomHistory f(seed);
  ViewEvents view(f.world);
  std::map<Signature, EntityId> shown;
  for (int round = 0; round < 300; ++round) {
    f.step();
    if (f.one_in(2)) continue;
    for (const ViewEvent& event : view.collect()) {
      const bool is_shown = shown.contains(event.signature);
      REQUIRE(is_shown == (event.kind != ViewEvent::Kind::created));
      if (event.kind == ViewEvent::Kind::destroyed) {
        shown.erase(event.signature);
      } else {
        shown[event.signature] = event.entity;
      }
    }
    std::map<Signature, EntityId> exists;
    f.world.each_entity([&](EntityId entity) {
      if (!f.world.signature(entity).is_none()) exists[f.world.signature(entity)] = entity;
    });
    REQUIRE(shown == exists);
  }
}

TEST_CASE("Collecting view events allocates nothing in steady state", "[runtime][world]") {
  SampleWorld f;
  f.world.reserve(32, 32);
  ViewEvents view(f.world);
  const auto round = [&] {
    for (std::uint64_t i = 0; i < 8; ++i) f.world.create({.signature = kShot.with(i)});
    const std::size_t created = view.collect().size();
    f.world.each_entity([&](EntityId entity) { f.world.request_despawn(entity); });
    f.world.process_despawns();
    return created + view.collect().size();
  };
  for (int i = 0; i < 10; ++i) round();
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 100; ++i) CHECK(round() == 16);
  CHECK(allocation_count() == before);
}

TEST_CASE("Entities are deinitialised while their components still exist", "[runtime][world]") {
  SampleWorld f;
  const EntityId root = f.spawn(4);
  const EntityId child = f.world.create({.parent = root});
  CHECK(f.world.initialised().size() == 3);
  CHECK(f.world.process_despawns() == 0);
  CHECK(f.world.initialised().empty());
  f.world.request_despawn(root);
  std::vector<EntityId> order;
  CHECK(f.world.process_despawns([&](EntityId entity) {
    order.push_back(entity);
    if (entity == root) CHECK(f.world.get(f.position, root)->x == 4);
  }) == 2);
  CHECK(order == std::vector<EntityId>{child, root});
}

}  // namespace
}  // namespace muster
