#include "runtime/session/game_loop.h"

#include <catch2/catch.hpp>

#include "tests/support/allocation_counter.h"
#include "tests/support/world_samples.h"

namespace muster {
namespace {

using samples::Position;
using samples::SampleWorld;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Records the systems that run.
struct Script {
  std::vector<std::string> ran;
  System note(const std::string& name) {
    return {.name = name, .reads = {}, .writes = {}, .run = [this, name](ScheduleContext& context) {
              ran.push_back(name + " " + std::to_string(context.tick.value()));
            }};
  }
  GameModule module(const std::string& name) {
    return [this, name](World&, LoopSystems& systems) {
      systems.add_server(note(name + " server"));
      systems.add_shared(note(name + " shared"));
      systems.add_client(note(name + " client"));
      systems.add_view(note(name + " view"));
    };
  }
};

TEST_CASE("A loop runs the systems of its side, and a preview those of both",
          "[runtime][session][sys-21]") {
  const auto [role, expected] = GENERATE(table<LoopRole, std::vector<std::string>>({
      {LoopRole::server, {"a server 1", "a shared 1", "b server 1", "b shared 1"}},
      {LoopRole::client,
       {"a shared 1", "a client 1", "b shared 1", "b client 1", "a view 1", "b view 1"}},
      {LoopRole::preview,
       {"a server 1", "a shared 1", "a client 1", "b server 1", "b shared 1", "b client 1",
        "a view 1", "b view 1"}},
  }));
  SampleWorld sample;
  Script script;
  const std::vector<GameModule> modules = {script.module("a"), script.module("b")};
  GameLoop loop(sample.world, modules, {.role = role, .ticks_per_second = 10});
  loop.advance(Time());
  script.ran.clear();
  loop.advance(Time(milliseconds(100)));
  CHECK(script.ran == expected);
}

TEST_CASE("Ticks run at their rate, with any frame times", "[runtime][session][sys-21]") {
  SampleWorld sample;
  const EntityId runner = sample.spawn(0);
  const std::vector<GameModule> modules = {[&](World&, LoopSystems& systems) {
    systems.add_shared({.name = "run", .reads = {}, .writes = {}, .run = [&](ScheduleContext& c) {
                          c.world.get(sample.position, runner)->x += 6 * c.seconds;
                        }});
  }};
  GameLoop loop(sample.world, modules, {.role = LoopRole::server, .ticks_per_second = 60});
  CHECK(loop.advance(Time(seconds(5))).ticks == 0);
  std::uint32_t ticks = 0;
  for (int frame = 1; frame <= 144; ++frame) {
    const LoopFrame done = loop.advance(Time(seconds(5)) + Duration(seconds(1)) * frame / 144);
    CHECK(done.ticks <= 1);
    CHECK(done.fraction >= 0);
    CHECK(done.fraction < 1);
    ticks += done.ticks;
  }
  CHECK(ticks == 60);  // Exact: rounding errors do not add up.
  CHECK(loop.tick() == Tick(60));
  CHECK(sample.world.get(sample.position, runner)->x == Approx(6));
}

TEST_CASE("The catch-up after a long frame is limited", "[runtime][session][sys-21]") {
  SampleWorld sample;
  GameLoop loop(sample.world, {}, {.ticks_per_second = 10, .max_ticks_per_frame = 3});
  loop.advance(Time());
  const LoopFrame late = loop.advance(Time(milliseconds(1050)));
  CHECK(late.ticks == 3);
  CHECK(late.dropped == milliseconds(700));
  CHECK(late.fraction == Approx(0.5));
  CHECK(loop.advance(Time(milliseconds(1100))).ticks == 1);
  // A clock that goes back causes no ticks, and loses none.
  CHECK(loop.advance(Time(milliseconds(500))).ticks == 0);
  CHECK(loop.advance(Time(milliseconds(600))).ticks == 1);
}

TEST_CASE("An entity that is asked to despawn is gone when its tick ends",
          "[runtime][session][sys-21]") {
  SampleWorld sample;
  const EntityId entity = sample.spawn(0);
  const std::vector<GameModule> modules = {[&](World&, LoopSystems& systems) {
    systems.add_server({.name = "end", .reads = {}, .writes = {}, .run = [&](ScheduleContext& c) {
                          if (c.tick == Tick(2)) c.world.request_despawn(entity);
                        }});
  }};
  GameLoop loop(sample.world, modules, {.ticks_per_second = 10});
  loop.advance(Time());
  loop.advance(Time(milliseconds(100)));
  CHECK(sample.world.is_alive(entity));
  loop.advance(Time(milliseconds(200)));
  CHECK_FALSE(sample.world.is_alive(entity));
}

TEST_CASE("A loop in steady state allocates nothing", "[runtime][session]") {
  SampleWorld sample;
  for (int i = 0; i < 100; ++i) sample.spawn(static_cast<float>(i));
  Query<Position, const samples::Velocity> moving(sample.world, sample.position, sample.velocity);
  const std::vector<GameModule> modules = {[&](World&, LoopSystems& systems) {
    systems.add_shared({.name = "move",
                        .reads = {sample.velocity.id()},
                        .writes = {sample.position.id()},
                        .run = [&](ScheduleContext& context) {
                          walk(context, moving, [&](Position& p, const samples::Velocity& v) {
                            p.x += v.x * context.seconds;
                          });
                        }});
  }};
  GameLoop loop(sample.world, modules, {});
  Time now{};
  for (int i = 0; i < 10; ++i) loop.advance(now += milliseconds(17));
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 100; ++i) loop.advance(now += milliseconds(17));
  CHECK(allocation_count() == before);
}

}  // namespace
}  // namespace muster
