// Prediction without a network: comparisons, replays and their cost.
#include <cmath>
#include <cstring>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "runtime/world/math.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/prediction_stage.h"

namespace muster {
namespace {

using namespace prediction_stage;  // NOLINT(google-build-using-namespace): the stage of these tests

Steer steer_at(std::uint32_t tick) {
  const float angle = static_cast<float>(tick) / 20;
  return {{std::sin(angle), 0, std::cos(angle)}, {.is_held = false, .press_count = 0}};
}

/// Counts a hit on server and client. Only the server changes the points.
void hurt(SystemContext& ctx, EntityId self, Health& health) {
  if (ctx.command<Steer>(self).direction.y == 0) return;
  ++health.hits;
  health.points -= 10;
}

TEST_CASE("With correct predictions no command runs again, and nothing is allocated",
          "[session][prediction][sys-55][sys-78]") {
  Stage stage(make_game(systems<session_game::steer>()), 8, 6);
  std::uint32_t tick = 0;
  const auto play = [&](std::uint32_t ticks) {
    for (const std::uint32_t end = tick + ticks; tick < end; ++tick) {
      stage.tick(steer_at(tick));
      if (tick > 10 && tick % 3 == 0) stage.reconcile();
    }
  };
  play(120);
  const PredictionCounters before = stage.prediction->counters();
  const std::uint64_t allocations = allocation_count();
  play(300);
  CHECK(allocation_count() == allocations);
  CHECK(stage.prediction->counters().replays == before.replays);
  CHECK(stage.prediction->counters().reconciles >= before.reconciles + 100);
  CHECK(stage.prediction->counters().corrections == 0);
}

TEST_CASE("Every state that differs causes one replay", "[session][prediction][sys-79]") {
  Stage stage(make_game(systems<session_game::steer>()), 8, 6);
  const auto transform = stage.received.component<Transform>("Transform");
  std::uint32_t tick = 0;
  const auto play = [&](std::uint32_t ticks) {
    for (const std::uint32_t end = tick + ticks; tick < end; ++tick) {
      stage.tick(steer_at(tick));
      if (tick <= 10 || tick % 3 != 0) continue;
      stage.received.get(transform, stage.owned[tick % 8])->position.x += 0.5F;
      stage.reconcile();
    }
  };
  play(400);  // After this, all memory is allocated.
  const std::uint64_t replays = stage.prediction->counters().replays;
  const std::uint64_t replayed = stage.prediction->counters().replayed_ticks;
  play(60);
  CHECK(stage.prediction->counters().replays == replays + 20);
  CHECK(stage.prediction->counters().replayed_ticks == replayed + 20 * 6);
}

TEST_CASE("A replay ends with the state that the server will have, for any errors",
          "[session][prediction][sys-79]") {
  const auto seed = GENERATE(range(1U, 40U));
  CAPTURE(seed);
  Random random(seed);
  const auto lag = static_cast<std::uint32_t>(1 + random.below(20));
  Stage stage(make_game(systems<session_game::steer>()), 4, lag);
  const auto transform = stage.received.component<Transform>("Transform");
  const auto runner = stage.received.component<Runner>("Runner");
  std::vector<std::vector<Vec3>> predicted;
  std::uint32_t checked = 0;
  std::uint32_t last_error = 0;
  for (std::uint32_t tick = 0; tick < 400; ++tick) {
    stage.tick(steer_at(tick * 3));
    if (tick > lag && random.below(40) == 0) {
      const EntityId entity = stage.owned[random.below(4)];
      stage.received.get(transform, entity)->position.y += 1;
      stage.received.get(runner, entity)->score += 1;
      last_error = tick;
      stage.reconcile();
    } else if (tick == lag + 1 || (tick > lag && random.below(3) == 0)) {
      stage.reconcile();
    }
    std::vector<Vec3>& row = predicted.emplace_back();
    if (tick <= lag + 1) continue;
    for (const EntityId entity : stage.owned) {
      row.push_back(stage.predicted<Transform>(entity).position);
    }
    // The server's state equals the predicted state, unless the test has changed it.
    const std::vector<Vec3>& then = predicted[tick - lag];
    if (then.empty() || last_error + lag >= tick) continue;
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(length(then[i] - stage.received.get(transform, stage.owned[i])->position) < 0.02F);
    }
    ++checked;
  }
  CHECK(checked > 50);
  CHECK(stage.prediction->counters().corrections > 2);
}

TEST_CASE(
    "A field that only the server changes keeps its value, while other changes are shown at once",
    "[session][prediction][sys-84]") {
  Stage stage(make_game(systems<hurt>()), 1, 5);
  const EntityId self = stage.owned[0];
  for (std::uint32_t tick = 0; tick < 10; ++tick) stage.tick({});
  stage.reconcile();
  stage.tick({{0, 1, 0}, {}});
  CHECK(stage.predicted<Health>(self).hits == 1);  // The effect is visible at once.
  // The points do not change until the server's value arrives.
  CHECK(stage.predicted<Health>(self).points == 100);
  for (std::uint32_t tick = 0; tick < 5; ++tick) {
    stage.tick({});
    stage.reconcile();
    CHECK(stage.predicted<Health>(self).points == (tick < 4 ? 100 : 90));
  }
  CHECK(stage.predicted<Health>(self).hits == 1);
  // The difference does not count as a misprediction.
  CHECK(stage.prediction->counters().corrections == 0);
}

TEST_CASE("A misprediction names the system that wrote the component in that tick",
          "[session][prediction][sys-57]") {
  Stage stage(make_game(systems<session_game::steer, hurt>()), 2, 5);
  const auto transform = stage.received.component<Transform>("Transform");
  const auto health = stage.received.component<Health>("Health");
  for (std::uint32_t tick = 0; tick < 20; ++tick) {
    stage.tick(steer_at(tick));
    if (tick > 10) stage.reconcile();
  }
  stage.received.get(transform, stage.owned[1])->position.z += 2;
  stage.received.get(health, stage.owned[0])->hits += 1;
  stage.reconcile();
  const MispredictionLog& log = stage.prediction->mispredictions();
  REQUIRE(log.size() == 2);
  CHECK(log[0].component == "Health");
  CHECK(log[0].field == "hits");
  CHECK(log[0].system.empty());  // Only the server's system wrote the component.
  CHECK(log[1].entity == stage.owned[1]);
  CHECK(log[1].component == "Transform");
  CHECK(log[1].field == "position");
  CHECK(log[1].difference == Approx(2));
  CHECK(log[1].system == "steer");
  CHECK(log[1].replayed_ticks == 5);
}

TEST_CASE("An entity that another player owns keeps the server's state", "[session][prediction]") {
  Stage stage(make_game(systems<session_game::steer>()), 2, 5);
  stage.received.set_player(stage.owned[1], PlayerId{2});
  for (std::uint32_t tick = 0; tick < 20; ++tick) {
    stage.tick(steer_at(tick));
    if (tick > 10) stage.reconcile();
  }
  CHECK(stage.prediction->is_predicted(stage.owned[0]));
  CHECK_FALSE(stage.prediction->is_predicted(stage.owned[1]));
  CHECK(stage.prediction->counters().corrections == 0);
}

// In some ticks, a runner changes another entity. The runner's position determines these ticks. So
// after a correction, the runner may change an entity that it did not change in the first run.
void nudge(SystemContext& ctx, EntityId self, Runner& runner, Transform& at) {
  Random random = ctx.random(self);
  const auto quarter_metres = static_cast<std::uint32_t>(std::abs(at.position.x * 4));
  if ((quarter_metres + ctx.tick().value()) % 64 != 0) return;
  const EntityId other = ctx.find({static_cast<std::int32_t>(random.below(12))});
  Transform* const there = ctx.edit<Transform>(other);
  if (there == nullptr) return;
  there->position.z += 0.25F + 0.125F * at.position.x;
  runner.score += static_cast<std::int32_t>(there->position.x);
}
void turn(SystemContext& ctx, Runner& runner, Transform& at) {
  runner.velocity.y = at.position.z * 0.5F - at.position.y;
  at.position.y += runner.velocity.y * ctx.seconds();
}

struct ReplayCounts {
  std::uint64_t kept = 0;
  std::uint64_t replayed = 0;
  std::uint64_t whole = 0;
  std::uint64_t compared = 0;
};

// Runs the same errors in two worlds. One world replays all entities.
void compare_replays(std::uint64_t seed, const Systems& shared, ReplayCounts& counts) {
  Random random(seed);
  const auto lag = static_cast<std::uint32_t>(2 + random.below(20));
  Stage part(make_game(shared), 12, lag);
  Stage whole(make_game(shared), 12, lag);
  whole.prediction->set_leaves_out(false);
  const auto transform = part.received.component<Transform>("Transform");
  const auto health = part.received.component<Health>("Health");
  for (std::uint32_t tick = 0; tick < 160; ++tick) {
    const bool has_error = tick > lag + 1 && random.below(6) == 0;
    const std::size_t wrong = random.below(12);
    const bool is_health = random.below(8) == 0;
    const bool compares = tick > lag && (has_error || tick == lag + 1 || random.below(3) == 0);
    for (Stage* const stage : {&part, &whole}) {
      stage->tick(steer_at(tick));
      if (has_error && is_health) stage->received.get(health, stage->owned[wrong])->points -= 1;
      if (has_error && !is_health) {
        stage->received.get(transform, stage->owned[wrong])->position.x += 0.5F;
      }
      if (compares) stage->reconcile();
    }
    if (tick <= lag + 1) continue;
    for (std::size_t i = 0; i < 12; ++i) {
      const auto same = [&]<typename T>(T) {
        const T one = part.predicted<T>(part.owned[i]);
        const T other = whole.predicted<T>(whole.owned[i]);
        return std::memcmp(&one, &other, sizeof one) == 0;
      };
      REQUIRE((same(Transform()) && same(Runner()) && same(Health())));
      ++counts.compared;
    }
  }
  counts.kept += part.prediction->counters().kept_states;
  counts.replayed += part.prediction->counters().replayed_states;
  counts.whole += part.prediction->counters().whole_replays;
  CHECK(whole.prediction->counters().kept_states == 0);
}

TEST_CASE("A replay of the affected entities equals a replay of all entities [P22, F9]",
          "[session][prediction][sys-79]") {
  ReplayCounts counts;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    compare_replays(seed, systems<session_game::steer, nudge, turn, hurt>(), counts);
  }
  CAPTURE(counts.kept, counts.replayed, counts.whole);
  CHECK(counts.compared > 60'000);
  CHECK(counts.kept > counts.replayed / 4);
  CHECK(counts.whole > 5);
}

TEST_CASE("Entities without connections to other entities are replayed alone [F9]",
          "[session][prediction][sys-79]") {
  ReplayCounts counts;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    compare_replays(seed, systems<session_game::steer, turn, hurt>(), counts);
  }
  CHECK(counts.whole == 0);
  CHECK(counts.kept > counts.replayed * 2);
}

/// Returns true for few positions. At these positions, an entity uses another entity.
bool is_due(const SystemContext& ctx, const Transform& at) {
  return (static_cast<std::uint32_t>(std::abs(at.position.x * 4)) + ctx.tick().value()) % 64 == 0;
}
void push_others(SystemContext& ctx, EntityId self, Runner&, Transform& at) {
  if (!is_due(ctx, at)) return;
  ctx.each<Transform>([&](EntityId other, Transform& there) {
    if (other != self && length(there.position - at.position) < 3) there.position.z += 0.25F;
  });
}
void gather(SystemContext& ctx, EntityId self, Runner& runner, Transform& at) {
  if (!is_due(ctx, at)) return;
  float nearest = 100;
  ctx.each_known<const Runner, const Transform>(
      [&](EntityId other, const Runner&, const Transform& there) {
        if (other != self) nearest = std::min(nearest, length(there.position - at.position));
      });
  runner.score += static_cast<std::int32_t>(nearest * 8);
  at.position.y += nearest / 16;
}

TEST_CASE("A replay includes what a system may reach by visiting other entities",
          "[session][prediction][sys-79]") {
  const Systems shared = GENERATE(systems<session_game::steer, push_others, turn, hurt>(),
                                  systems<session_game::steer, gather, turn, hurt>());
  ReplayCounts counts;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    compare_replays(seed, shared, counts);
  }
  CHECK(counts.compared > 30'000);
  CHECK(counts.replayed > 1'000);
}

void drift(SystemContext& ctx) {
  ctx.each<Transform>([](Transform& at) { at.position.y += 0.01F; });
}

TEST_CASE("With a shared system that runs once per tick, all entities are replayed",
          "[session][prediction][sys-79]") {
  ReplayCounts counts;
  compare_replays(3, systems<session_game::steer, drift, hurt>(), counts);
  CHECK(counts.kept == 0);
  CHECK(counts.replayed > 100);
}

}  // namespace
}  // namespace muster
