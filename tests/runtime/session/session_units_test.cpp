// Small units of a session: clocks, histories and reports.
#include <chrono>
#include <cstring>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "runtime/session/component_history.h"
#include "runtime/session/game.h"
#include "runtime/session/problem_log.h"
#include "runtime/session/tick_clock.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST_CASE("A value outside its range is described with all its digits and the unit",
          "[runtime][session]") {
  FieldDescription health;
  health.unit = "hp";
  health.maximum = 1000;
  health.resolution = 0.001;
  CHECK(outside_range(health, 1'000'001) == "1000.001 hp is outside 0 to 1000 hp");
  CHECK(outside_range(health, -1) == "-0.001 hp is outside 0 to 1000 hp");
  FieldDescription score;
  score.maximum = 4'294'967'294;
  CHECK(outside_range(score, 4'294'967'295) == "4294967295 is outside 0 to 4294967294");
}

TEST_CASE("A tick clock runs exactly at its rate, with any frame times", "[session]") {
  Random random(Catch::rngSeed());
  TickClock clock(60);
  Time now{};
  CHECK(clock.due(now) == 0);
  std::uint64_t ticks = 0;
  while (now < Time(100s)) {
    now += std::chrono::microseconds(1 + random.below(40'000));
    ticks += clock.due(now);
    CHECK(clock.to_next() > Duration());
    CHECK(clock.to_next() <= 16'666'667ns);
  }
  CHECK(ticks == static_cast<std::uint64_t>(now.time_since_epoch().count() * 60 / 1'000'000'000));
  CHECK(clock.skipped() == 0);
}

TEST_CASE("A tick clock skips and counts the ticks of a long pause", "[session]") {
  TickClock clock(30);
  CHECK(clock.due(Time(1s)) == 0);
  CHECK(clock.due(Time(11s)) == TickClock::kTicksPerFrameMax);
  CHECK(clock.skipped() == 300 - TickClock::kTicksPerFrameMax);
  CHECK(clock.due(Time(5s)) == 0);
}

TEST_CASE("A problem is reported at once, and its repetitions once a second", "[session]") {
  ProblemLog log;
  std::vector<Problem> reported;
  const auto report = [&](const Problem& problem) { reported.push_back(problem); };
  for (int ms = 0; ms < 3000; ms += 10) {
    log.add({.kind = ProblemKind::clamped, .component = "Health"});
    log.flush(Time(std::chrono::milliseconds(ms)), report);
  }
  REQUIRE(reported.size() == 3);
  CHECK(reported[0].count == 1);
  CHECK(reported[1].count == 100);
  CHECK(reported[2].count == 100);
}

TEST_CASE("Different problems beyond the log's capacity are counted", "[session]") {
  ProblemLog log;
  for (int i = 0; i < 1000; ++i) {
    log.add({.kind = ProblemKind::refused, .text = std::to_string(i)});
  }
  std::uint64_t count = 0;
  const auto report = [&](const Problem& problem) { count += problem.count; };
  log.flush(Time(1s), report);
  log.flush(Time(3s), report);
  log.flush(Time(4s), report);
  CHECK(count == 1000);
}

TEST_CASE("A history interpolates between the states before and after a tick",
          "[session][sys-54]") {
  const ComponentDescription description = description_of<Transform>();
  ComponentHistory history(description, ComponentId(0),
                           {.metres_per_tick = 4, .extrapolated_ticks = 30});
  const EntityId entity(3, 1);
  const auto note = [&](std::uint32_t tick, float x) {
    const Transform value{.position = {x, 0, 0}};
    history.note(entity, Tick(tick), std::as_bytes(std::span<const Transform, 1>(&value, 1)));
  };
  const auto shown = [&](double tick) {
    ByteVector out(sizeof(Transform));
    REQUIRE(history.state_at(entity, tick, out));
    Transform value;
    std::memcpy(&value, out.data(), sizeof value);
    return value.position.x;
  };
  ByteVector nothing(sizeof(Transform));
  CHECK_FALSE(history.state_at(entity, 1, nothing));
  note(10, 0);
  note(20, 10);
  note(40, 50);
  CHECK(shown(5) == 0);
  CHECK(shown(10) == 0);
  CHECK(shown(15) == Approx(5));
  CHECK(shown(30) == Approx(30));
  // The position is extrapolated by at most the interval of the states.
  CHECK(shown(45) == Approx(60));
  CHECK(shown(99) == Approx(90));
  ComponentHistory limited(description, ComponentId(0),
                           {.metres_per_tick = 4, .extrapolated_ticks = 5});
  std::swap(history, limited);
  note(10, 0);
  note(20, 10);
  CHECK(shown(23) == Approx(13));
  CHECK(shown(99) == Approx(15));  // The position is extrapolated by at most the limit.
  std::swap(history, limited);
  for (std::uint32_t i = 0; i < 40; ++i) note(50 + i, static_cast<float>(i));
  CHECK(shown(0) == 40 - ComponentHistory::kStates);
  history.forget(entity);
  CHECK_FALSE(history.state_at(entity, 1, nothing));
  CHECK_FALSE(history.state_at(EntityId(3, 2), 60, nothing));
}

}  // namespace
}  // namespace muster
