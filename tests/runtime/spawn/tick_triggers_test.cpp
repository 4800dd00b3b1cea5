#include "runtime/spawn/tick_triggers.h"

#include <limits>

#include <catch2/catch.hpp>

namespace muster {
namespace {

constexpr TickTriggers::Key kShot{{7}, 1};

TEST_CASE("What happened once is reported once, however often it is computed",
          "[runtime][spawn][sys-20][sys-56]") {
  TickTriggers triggers;
  CHECK_FALSE(triggers.fires(kShot, Tick(0)));  // It never happened.
  CHECK(triggers.fires(kShot, Tick(90)));
  CHECK_FALSE(triggers.fires(kShot, Tick(90)));
  // A rollback takes it back and computes it again.
  CHECK_FALSE(triggers.fires(kShot, Tick(0)));
  CHECK_FALSE(triggers.fires(kShot, Tick(90)));
  CHECK(triggers.fires(kShot, Tick(100)));
  CHECK_FALSE(triggers.fires(kShot, Tick(90)));  // A late packet.
}

TEST_CASE("An occurrence that a correction moved a little is the same one",
          "[runtime][spawn][sys-20][sys-56]") {
  TickTriggers triggers(3);
  CHECK(triggers.fires(kShot, Tick(90)));
  CHECK_FALSE(triggers.fires(kShot, Tick(92)));
  CHECK_FALSE(triggers.fires(kShot, Tick(87)));
  CHECK(triggers.fires(kShot, Tick(94)));
}

TEST_CASE("A steady stream of occurrences is reported in full", "[runtime][spawn][sys-56]") {
  TickTriggers triggers;
  int reported = 0;
  for (std::uint32_t tick = 10; tick < 70; ++tick) {
    for (int again = 0; again < 4; ++again) reported += triggers.fires(kShot, Tick(tick)) ? 1 : 0;
  }
  CHECK(reported == 60);
}

TEST_CASE("A rollback of 32 ticks brings up what was not known of a gun that fires in each",
          "[runtime][spawn][sys-56]") {
  TickTriggers triggers;
  for (std::uint32_t tick = 70; tick < 101; ++tick) CHECK(triggers.fires(kShot, Tick(tick)));
  CHECK(triggers.fires(kShot, Tick(69)));
  CHECK_FALSE(triggers.fires(kShot, Tick(69)));
  CHECK_FALSE(triggers.fires(kShot, Tick(68)));  // Would be the 33rd.
}

TEST_CASE("One that was predicted in vain hides neither the real one nor brings an old one back",
          "[runtime][spawn][sys-56]") {
  TickTriggers triggers;
  CHECK(triggers.fires(kShot, Tick(100)));
  CHECK(triggers.fires(kShot, Tick(120)));        // Predicted, and wrong.
  CHECK_FALSE(triggers.fires(kShot, Tick(100)));  // What the server knows of.
  CHECK(triggers.fires(kShot, Tick(110)));        // What really happened.
  CHECK(triggers.fires(kShot, Tick(90)));
  for (std::uint32_t tick = 130; tick < 450; tick += 10) CHECK(triggers.fires(kShot, Tick(tick)));
  CHECK_FALSE(triggers.fires(kShot, Tick(80)));  // Too old to know.
}

TEST_CASE("Entities and channels are told apart, and forgotten", "[runtime][spawn][sys-56]") {
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
