#include "runtime/spawn/tick_triggers.h"

#include <limits>

#include <catch2/catch.hpp>

namespace muster {
namespace {

constexpr TickTriggers::Key kShot{{7}, 1};

TEST_CASE("An event is reported once, even if its tick is computed several times",
          "[runtime][spawn][sys-20][sys-56]") {
  TickTriggers triggers;
  CHECK_FALSE(triggers.fires(kShot, Tick(0)));  // Tick 0 means that the event never happened.
  CHECK(triggers.fires(kShot, Tick(90)));
  CHECK_FALSE(triggers.fires(kShot, Tick(90)));
  // A rollback undoes the event, and computes it again.
  CHECK_FALSE(triggers.fires(kShot, Tick(0)));
  CHECK_FALSE(triggers.fires(kShot, Tick(90)));
  CHECK(triggers.fires(kShot, Tick(100)));
  CHECK_FALSE(triggers.fires(kShot, Tick(90)));  // A late packet has tick 90 again.
}

TEST_CASE("An event that a correction has moved by a few ticks is not reported again",
          "[runtime][spawn][sys-20][sys-56]") {
  TickTriggers triggers(3);
  CHECK(triggers.fires(kShot, Tick(90)));
  CHECK_FALSE(triggers.fires(kShot, Tick(92)));
  CHECK_FALSE(triggers.fires(kShot, Tick(87)));
  CHECK(triggers.fires(kShot, Tick(94)));
}

TEST_CASE("A steady stream of events is reported completely", "[runtime][spawn][sys-56]") {
  TickTriggers triggers;
  int reported = 0;
  for (std::uint32_t tick = 10; tick < 70; ++tick) {
    for (int again = 0; again < 4; ++again) reported += triggers.fires(kShot, Tick(tick)) ? 1 : 0;
  }
  CHECK(reported == 60);
}

TEST_CASE("A rollback of 32 ticks reports the new events of a gun that fires every tick",
          "[runtime][spawn][sys-56]") {
  TickTriggers triggers;
  for (std::uint32_t tick = 70; tick < 101; ++tick) CHECK(triggers.fires(kShot, Tick(tick)));
  CHECK(triggers.fires(kShot, Tick(69)));
  CHECK_FALSE(triggers.fires(kShot, Tick(69)));
  CHECK_FALSE(triggers.fires(kShot, Tick(68)));  // Only 32 events are kept.
}

TEST_CASE("A wrong prediction neither hides the real event nor repeats an old event",
          "[runtime][spawn][sys-56]") {
  TickTriggers triggers;
  CHECK(triggers.fires(kShot, Tick(100)));
  CHECK(triggers.fires(kShot, Tick(120)));        // A wrong prediction.
  CHECK_FALSE(triggers.fires(kShot, Tick(100)));  // The older event.
  CHECK(triggers.fires(kShot, Tick(110)));        // The real event.
  CHECK(triggers.fires(kShot, Tick(90)));
  for (std::uint32_t tick = 130; tick < 450; tick += 10) CHECK(triggers.fires(kShot, Tick(tick)));
  CHECK_FALSE(triggers.fires(kShot, Tick(80)));  // The event is too old.
}

TEST_CASE("Entities and channels are distinguished, and can be removed",
          "[runtime][spawn][sys-56]") {
  TickTriggers triggers;
  CHECK(triggers.fires(kShot, Tick(90)));
  CHECK(triggers.fires({{7}, 2}, Tick(90)));
  CHECK(triggers.fires({{8}, 1}, Tick(90)));
  triggers.forget({7});
  CHECK(triggers.fires(kShot, Tick(90)));
  CHECK(triggers.fires({{7}, 2}, Tick(90)));
  CHECK_FALSE(triggers.fires({{8}, 1}, Tick(90)));
  constexpr std::int32_t kLast = std::numeric_limits<std::int32_t>::max();
  CHECK(triggers.fires({{kLast}, 1}, Tick(90)));
  triggers.forget({kLast});
  CHECK(triggers.fires({{kLast}, 1}, Tick(90)));
}

}  // namespace
}  // namespace muster
