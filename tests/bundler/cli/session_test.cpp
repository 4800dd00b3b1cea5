#include "bundler/cli/session.h"

#include <sstream>

#include <catch2/catch.hpp>

#include "registry/base/clock.h"

namespace muster::cli {
namespace {

TEST_CASE("No write begins after a request to stop", "[bundler][cli]") {
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
  // The signal handler may run at this point, and must see that a write begins.
  CHECK(writing);
}

TEST_CASE("A size is parsed in every supported notation", "[bundler][cli]") {
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
