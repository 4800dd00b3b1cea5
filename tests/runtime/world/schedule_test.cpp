#include "runtime/world/schedule.h"

#include <algorithm>
#include <atomic>
#include <system_error>

#include <catch2/catch.hpp>

#include "runtime/world/snapshot_ring.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/child_process.h"
#include "tests/support/process_limits.h"
#include "tests/support/world_samples.h"

namespace muster {
namespace {

using samples::Position;
using samples::SampleWorld;
using samples::Velocity;
using samples::Vitality;

// A small game: entities move, burn, split and despawn.
struct Game {
  SampleWorld f;
  Query<Position, const Velocity> moving{f.world, f.position, f.velocity};
  Query<Vitality> living{f.world, f.vitality};
  Query<const Vitality, const Position> breaking{f.world, f.vitality, f.position};
  Schedule schedule;

  Game() {
    const ComponentId position = f.position.id();
    const ComponentId velocity = f.velocity.id();
    const ComponentId vitality = f.vitality.id();
    schedule.add({"move", {velocity}, {position}, [this](ScheduleContext& context) {
                    walk(context, moving, [&](Position& p, const Velocity& v) {
                      p.x += v.x * context.seconds;
                      p.y += v.y * context.seconds;
                    });
                  }});
    schedule.add({"burn", {}, {vitality}, [this](ScheduleContext& context) {
                    walk(context, living, [](EntityId entity, Vitality& life) {
                      life.health -= life.is_burning ? 3.0F : 0.5F;
                      life.is_burning = entity.slot() % 3 == 0;
                    });
                  }});
    schedule.add({"break", {vitality, position}, {}, [this](ScheduleContext& context) {
                    walk(context, breaking,
                         [&](EntityId entity, const Vitality& life, const Position& at) {
                           if (life.health <= 0) split(context, entity, at);
                         });
                  }});
    schedule.add(
        {"leave", {}, {}, [](ScheduleContext& context) { context.world.process_despawns(); }});
    for (int i = 0; i < 40; ++i) f.spawn(static_cast<float>(i % 7));
  }

  void split(ScheduleContext& context, EntityId entity, const Position& at) const {
    context.changes.request_despawn(entity);
    const int pieces = entity.slot() % 2 == 0 && at.x < 40 ? 2 : entity.slot() % 3 == 0 ? 0 : 1;
    for (int i = 0; i < pieces; ++i) {
      const QueuedEntity piece = context.changes.create();
      context.changes.add(f.position, piece, {at.x + 5, at.y, 0});
      context.changes.add(f.velocity, piece, {1, static_cast<float>(i), 0});
      context.changes.add(f.vitality, piece, {false, 20});
    }
  }

  void run(std::uint32_t ticks, WorkerPool* workers) {
    for (std::uint32_t tick = 1; tick <= ticks; ++tick) {
      schedule.run(f.world, {.tick = Tick(tick), .seconds = 1.0F / 60, .workers = workers});
    }
  }
};

TEST_CASE("A world's result is equal for every number of workers",
          "[runtime][world][sys-21][sys-77][determinism]") {
  Game alone;
  alone.run(400, nullptr);
  // If this value changes, games compute other results than before.
  CHECK(alone.f.world.checksum() == 0x8ACA83BFE4E6E983ULL);
  CHECK(alone.f.world.entity_count() > 0);
  for (const std::uint32_t count : {1U, 2U, 4U, 7U}) {
    WorkerPool workers(count);
    Game game;
    game.run(400, &workers);
    CAPTURE(count);
    CHECK(game.f.world.checksum() == alone.f.world.checksum());
  }
}

TEST_CASE("Systems run in parallel only if they are independent", "[runtime][world][sys-21]") {
  Game game;
  CHECK(game.schedule.stages() ==
        std::vector<std::vector<std::string>>{{"move", "burn"}, {"break"}, {"leave"}});
}

TEST_CASE("A schedule allocates nothing in steady state", "[runtime][world]") {
  Game game;
  game.f.world.reserve(1000, 1000);
  game.run(200, nullptr);
  Game again;
  again.f.world.reserve(1000, 1000);
  again.run(200, nullptr);
  const std::uint64_t before = allocation_count();
  for (std::uint32_t tick = 201; tick < 230; ++tick) {
    for (Vitality& life : again.f.world.values(again.f.vitality)) life.health = 50;
    again.schedule.run(again.f.world, {.tick = Tick(tick), .seconds = 1.0F / 60});
  }
  CHECK(allocation_count() == before);
}

TEST_CASE("Workers, spawns and despawns allocate nothing in steady state",
          "[runtime][world][sys-21]") {
  SampleWorld f;
  f.world.reserve(300, 300);
  Query<Position, const Velocity> moving(f.world, f.position, f.velocity);
  Query<const Vitality> living(f.world, f.vitality);
  // Allocations are counted per thread, and a system may run on any thread.
  std::atomic<std::uint64_t> in_systems = 0;
  const auto counted = [&in_systems](auto run) {
    return [&in_systems, run](ScheduleContext& context) {
      const std::uint64_t before = allocation_count();
      run(context);
      in_systems += allocation_count() - before;
    };
  };
  const auto replace = [&](ScheduleContext& context, EntityId entity) {
    context.changes.request_despawn(entity);
    const QueuedEntity fresh = context.changes.create();
    const QueuedEntity hand = context.changes.create_below(fresh);
    context.changes.add(f.position, fresh, {1, 2, 3});
    context.changes.add(f.velocity, hand, {1, 2, 3});
    context.changes.add(f.vitality, fresh, {});
  };
  Schedule schedule;
  schedule.add(
      {"move", {f.velocity.id()}, {f.position.id()}, counted([&](ScheduleContext& context) {
         walk(context, moving, [](Position& p, const Velocity& v) { p.x += v.x; });
       })});
  schedule.add({"replace", {f.vitality.id()}, {}, counted([&](ScheduleContext& context) {
                  walk(context, living, [&](EntityId entity, const Vitality&) {
                    if ((entity.slot() + context.tick.value()) % 7 == 0) replace(context, entity);
                  });
                })});
  schedule.add(
      {"leave", {}, {}, [](ScheduleContext& context) { context.world.process_despawns(); }});
  REQUIRE(schedule.stages().front().size() == 2);
  for (int i = 0; i < 100; ++i) f.spawn(static_cast<float>(i));
  WorkerPool workers(4);
  std::uint32_t tick = 0;
  const auto run = [&](std::uint32_t count) {
    for (const std::uint32_t end = tick + count; tick < end;) {
      schedule.run(f.world, {.tick = Tick(++tick), .seconds = 1.0F / 60, .workers = &workers});
    }
  };
  run(200);
  std::vector<EntityId> owners(f.world.owners(f.vitality).begin(),
                               f.world.owners(f.vitality).end());
  in_systems = 0;
  const std::uint64_t before = allocation_count();
  run(200);
  CHECK(allocation_count() == before);
  CHECK(in_systems == 0);
  REQUIRE(owners.size() == 100);
  CHECK(f.world.owners(f.vitality).size() == 100);
  CHECK(std::ranges::count_if(owners, [&](EntityId one) { return f.world.is_alive(one); }) < 50);
}

TEST_CASE("A system can run for the entities of one player", "[runtime][world][sys-77][sys-79]") {
  Game game;
  SampleWorld& f = game.f;
  const EntityId body = f.spawn(5, {.player = PlayerId{2}});
  const EntityId hand = f.world.create({.parent = body});
  f.world.add(f.position, hand, {0, 0, 0});
  f.world.add(f.velocity, hand, {60, 0, 0});
  std::vector<EntityId> mine;
  collect_entities(f.world, PlayerId{2}, mine);
  CHECK(mine == std::vector<EntityId>{body, hand});  // Children have the owner of their parent.
  const float other = f.world.values(f.position)[0].x;
  game.schedule.run(f.world, {.tick = Tick(1), .seconds = 1, .subset = mine});
  CHECK(f.world.get(f.position, hand)->x == 60);
  CHECK(f.world.get(f.position, body)->x == 6);
  CHECK(f.world.get(f.vitality, body)->health == 99.5F);
  CHECK(f.world.values(f.position)[0].x == other);
}

TEST_CASE("A query finds the same entities whether arrays are aligned or not",
          "[runtime][world][property]") {
  const auto seed = GENERATE(range(1U, 16U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  SampleWorld f;
  Query<Position, const Vitality> query(f.world, f.position, f.vitality);
  for (int round = 0; round < 100; ++round) {
    f.disturb(random);
    std::vector<EntityId> found;
    query.each([&](EntityId entity, Position& p, const Vitality& v) {
      CHECK(&p == f.world.get(f.position, entity));
      CHECK(&v == f.world.get(f.vitality, entity));
      found.push_back(entity);
    });
    std::vector<EntityId> expected;
    for (const EntityId entity : f.world.owners(f.position)) {
      if (f.world.has(f.vitality.id(), entity)) expected.push_back(entity);
    }
    REQUIRE(found == expected);
  }
}

// The number of visited pairs, and of pairs whose components belong to different entities.
struct Visits {
  int wrong = 0;
  int count = 0;
};
Visits visits(SampleWorld& f, Query<Position, Vitality>& query) {
  Visits visits;
  query.each([&](EntityId entity, Position& p, Vitality& v) {
    const bool is_right =
        &p == f.world.get(f.position, entity) && &v == f.world.get(f.vitality, entity);
    if (!is_right) ++visits.wrong;
    ++visits.count;
  });
  return visits;
}

TEST_CASE("A query stays valid when another world is assigned to the query's world",
          "[runtime][world]") {
  SampleWorld f;
  const EntityId a = f.world.create();
  const EntityId b = f.world.create();
  SampleWorld other;
  other.world = f.world;
  f.world.add(f.position, a, {1, 0, 0});
  f.world.add(f.position, b, {2, 0, 0});
  f.world.add(f.vitality, a, {});
  f.world.add(f.vitality, b, {});
  Query<Position, Vitality> query(f.world, f.position, f.vitality);
  CHECK(visits(f, query).count == 2);
  SECTION("the other world has as many changes in another order") {
    other.world.add(f.position, a, {1, 0, 0});
    other.world.add(f.position, b, {2, 0, 0});
    other.world.add(f.vitality, b, {});
    other.world.add(f.vitality, a, {});
    f.world = other.world;
    CHECK(visits(f, query).count == 2);
    CHECK(visits(f, query).wrong == 0);
  }
  SECTION("the other world has as many changes but no component of one type") {
    other.world.add(f.position, a, {1, 0, 0});
    other.world.add(f.position, b, {2, 0, 0});
    other.world.add(f.vitality, a, {});
    other.world.remove(f.vitality.id(), a);
    f.world = std::move(other.world);
    CHECK(visits(f, query).count == 0);
  }
}

TEST_CASE("Systems that run in parallel may share a query", "[runtime][world][sys-21]") {
  SampleWorld f;
  for (int i = 0; i < 200; ++i) f.spawn(static_cast<float>(i));
  Query<const Position, const Velocity> shared(f.world, f.position, f.velocity);
  Schedule schedule;
  std::array<std::uint32_t, 2> counts{};
  for (std::uint32_t& count : counts) {
    schedule.add({"count " + std::to_string(&count - counts.data()),
                  {f.position.id(), f.velocity.id()},
                  {},
                  [&](ScheduleContext& context) {
                    count = 0;
                    walk(context, shared, [&](const Position&, const Velocity&) { ++count; });
                  }});
  }
  REQUIRE(schedule.stages().size() == 1);
  WorkerPool workers(2);
  for (std::uint32_t tick = 1; tick <= 50; ++tick) {
    f.world.add(f.position, f.world.create(), {});  // After this change, the query must be updated.
    schedule.run(f.world, {.tick = Tick(tick), .workers = &workers});
    REQUIRE(counts == std::array<std::uint32_t, 2>{200, 200});
  }
}

TEST_CASE("If a pool cannot start all threads, the started threads end",
          "[runtime][world][threads]") {
  if (!kCanLimitMemory) return;
  const ChildEnd end = run_in_child([] {
    limit_memory_to(std::size_t{64} << 20U);  // Each thread has a stack of 8 MiB.
    try {
      WorkerPool pool(100);
    } catch (const std::system_error&) {
      return 0;
    }
    return 1;
  });
  CHECK(end.exit_code == 0);
}

}  // namespace
}  // namespace muster
