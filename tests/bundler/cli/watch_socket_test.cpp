#include "bundler/cli/watch_socket.h"

#include <catch2/catch.hpp>

#include "runtime/assets/build_notices.h"
#include "tests/support/temporary_folder.h"

namespace muster::cli {
namespace {

using Notice = BuildNotices::Notice;

}  // namespace

TEST_CASE("A game is notified of each build, and once when it connects and when the watch ends",
          "[watch]") {
  const TemporaryFolder folder;
  ManualClock clock;
  auto notices = std::make_unique<BuildNotices>(folder.path());
  CHECK(notices->poll(clock.now()) == Notice::silent);
  {
    auto socket = WatchSocket::open(folder.path());
    REQUIRE(socket.has_value());
    CHECK(notices->poll(clock.now()) == Notice::silent);  // Connecting is retried at intervals.
    clock.advance(BuildNotices::kPause);
    CHECK(notices->poll(clock.now()) == Notice::build);
    CHECK(notices->poll(clock.now()) == Notice::none);
    for (int i = 0; i < 3; ++i) {
      socket.value().notify_built();
      CHECK(notices->poll(clock.now()) == Notice::build);
      CHECK(notices->poll(clock.now()) == Notice::none);
    }
    socket.value().notify_built();
    socket.value().notify_built();
    CHECK(notices->poll(clock.now()) == Notice::build);
    CHECK(notices->poll(clock.now()) == Notice::none);
    clock.advance(BuildNotices::kCheckInterval);  // Other builds may have ended.
    CHECK(notices->poll(clock.now()) == Notice::build);
    CHECK(notices->poll(clock.now()) == Notice::none);
  }
  CHECK(notices->poll(clock.now()) == Notice::build);
  CHECK(notices->poll(clock.now()) == Notice::silent);
}

TEST_CASE("A client that never reads blocks neither the watch nor other clients", "[watch]") {
  const TemporaryFolder folder;
  auto socket = WatchSocket::open(folder.path());
  REQUIRE(socket.has_value());
  BuildNotices deaf(folder.path());
  BuildNotices other(folder.path());
  REQUIRE(deaf.poll(Time()) == Notice::build);
  REQUIRE(other.poll(Time()) == Notice::build);
  for (int i = 0; i < 200'000; ++i) {  // More than any socket can buffer.
    socket.value().notify_built();
    if (other.poll(Time()) != Notice::build) FAIL("not notified");
  }
}

TEST_CASE("A second watch in a folder, and a missing folder, are clear errors", "[watch]") {
  const TemporaryFolder folder;
  {
    const auto socket = WatchSocket::open(folder.path());
    REQUIRE(socket.has_value());
    const auto second = WatchSocket::open(folder.path() + "/.");  // Another spelling of the path.
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().code == ErrorCode::busy);
  }
  CHECK(WatchSocket::open(folder.path()).has_value());
  const auto missing = WatchSocket::open(folder.path() + "/missing");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == ErrorCode::not_found);
}

}  // namespace muster::cli
