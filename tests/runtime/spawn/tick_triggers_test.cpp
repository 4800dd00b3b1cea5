#include "runtime/spawn/tick_triggers.h"

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
  CHECK_FALSE(triggers.fires(kShot, Tick(93)));
  CHECK(triggers.fires(kShot, Tick(97)));
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
}

}  // namespace
}  // namespace muster
