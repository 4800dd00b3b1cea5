// A test of the first game: a server and two clients in one process, at 10 % loss.
#include <muster/match.h>

#include <catch2/catch.hpp>

#include "game.h"

TEST_CASE("Two robots collect coins and every client agrees at 10 % loss") {
  auto opened = muster::SimulatedMatch::open(kGame, BUILD_FOLDER, {.seed = 7});
  REQUIRE(opened);
  muster::SimulatedMatch& match = *opened.value();
  match.server().on_join(
      [&](muster::PlayerId player) { match.server().spawn("robot", {.owner = player}); });
  match.server().spawn("coin", {}, muster::Transform{.position = {0, 0, 5}});
  const muster::Link lossy{.delay = std::chrono::milliseconds(40), .loss = 0.1};
  match.add_client(lossy);
  match.add_client(lossy);
  match.on_client_frame(
      [](muster::GameClient& client, muster::Tick) { client.set_command(Move{.z = 1}); });
  match.run(std::chrono::seconds(10));
  int coins = 0;
  match.server().each<Robot>([&](Robot& robot) { coins += robot.coins; });
  CHECK(coins == 1);
  CHECK(match.differences().empty());
  CHECK(match.problems().empty());
}
