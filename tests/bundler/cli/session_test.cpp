#include "bundler/cli/session.h"

#include <sstream>

#include <catch2/catch.hpp>

#include "registry/vocabulary/clock.h"

namespace muster::cli {
namespace {

TEST_CASE("Nothing is begun to be written once somebody has asked to stop", "[bundler][cli]") {
  OutputStream out(-1);
  std::ostringstream err;
  SilentReporter silent;
  SwitchedReporter reporter(silent);
  const ManualClock clock;
  const std::stop_source stop;
  std::atomic<bool> writing{false};
  Session session{.out = out,
                  .err = err,
                  .reporter = reporter,
                  .clock = clock,
                  .stop = stop.get_token(),
                  .writing = writing};
  CHECK(begin_writing(session).has_value());
  CHECK(writing);
  writing = false;
  std::stop_source(stop).request_stop();
  const auto begun = begin_writing(session);
  REQUIRE_FALSE(begun.has_value());
  CHECK(begun.error().code == ErrorCode::cancelled);
  // Whoever waits for signals sees that somebody was about to write, if he looks only now.
  CHECK(writing);
}

}  // namespace
}  // namespace muster::cli
