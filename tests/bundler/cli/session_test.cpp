#include "bundler/cli/session.h"

#include <sstream>

#include <catch2/catch.hpp>

#include "registry/base/clock.h"

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

TEST_CASE("A size is read in every notation that there is", "[bundler][cli]") {
  CHECK(size_from("1024").value() == 1024);
  CHECK(size_from("1 KiB").value() == 1024);
  CHECK(size_from("80MB").value() == 80'000'000);
  CHECK(size_from("2M").value() == 2 * 1024 * 1024);
  for (const char* const wrong : {"", "M", "many", "1 K", "1KiBM", "-1", "99999999999T"}) {
    CAPTURE(wrong);
    CHECK_FALSE(size_from(wrong).has_value());
  }
}

}  // namespace
}  // namespace muster::cli
