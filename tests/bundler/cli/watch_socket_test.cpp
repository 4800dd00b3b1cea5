#include "bundler/cli/watch_socket.h"

#include <catch2/catch.hpp>

#include "runtime/assets/build_notices.h"
#include "tests/support/temporary_folder.h"

namespace muster::cli {
namespace {

using News = BuildNotices::News;

}  // namespace

TEST_CASE("A game hears of each build, and looks once when it comes and when the watch ends",
          "[watch]") {
  const TemporaryFolder folder;
  ManualClock clock;
  auto notices = std::make_unique<BuildNotices>(folder.path());
  CHECK(notices->poll(clock.now()) == News::silent);
  {
    auto socket = WatchSocket::open(folder.path());
    REQUIRE(socket.has_value());
    CHECK(notices->poll(clock.now()) == News::silent);  // It tries once in a while.
    clock.advance(BuildNotices::kPause);
    CHECK(notices->poll(clock.now()) == News::build);
    CHECK(notices->poll(clock.now()) == News::none);
    for (int i = 0; i < 3; ++i) {
      socket.value().tell_built();
      CHECK(notices->poll(clock.now()) == News::build);
      CHECK(notices->poll(clock.now()) == News::none);
    }
    socket.value().tell_built();
    socket.value().tell_built();
    CHECK(notices->poll(clock.now()) == News::build);  // Once is enough.
    CHECK(notices->poll(clock.now()) == News::none);
    clock.advance(BuildNotices::kLookAnyway);  // Others may have built.
    CHECK(notices->poll(clock.now()) == News::build);
    CHECK(notices->poll(clock.now()) == News::none);
  }
  CHECK(notices->poll(clock.now()) == News::build);
  CHECK(notices->poll(clock.now()) == News::silent);
}

TEST_CASE("Who never reads keeps neither the watch nor the others waiting", "[watch]") {
  const TemporaryFolder folder;
  auto socket = WatchSocket::open(folder.path());
  REQUIRE(socket.has_value());
  BuildNotices deaf(folder.path());
  BuildNotices other(folder.path());
  REQUIRE(deaf.poll(Time()) == News::build);
  REQUIRE(other.poll(Time()) == News::build);
  for (int i = 0; i < 200'000; ++i) {  // More than any socket keeps.
    socket.value().tell_built();
    if (other.poll(Time()) != News::build) FAIL("not told");
  }
}

TEST_CASE("Two watches in one folder, and no folder: errors that say so", "[watch]") {
  const TemporaryFolder folder;
  {
    const auto socket = WatchSocket::open(folder.path());
    REQUIRE(socket.has_value());
    const auto second = WatchSocket::open(folder.path() + "/.");  // Another way to it.
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().code == ErrorCode::busy);
  }
  CHECK(WatchSocket::open(folder.path()).has_value());
  const auto missing = WatchSocket::open(folder.path() + "/missing");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == ErrorCode::not_found);
}

}  // namespace muster::cli
