// Players of a session: joining, steering, seeing and leaving.
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

constexpr Link kLossy{.delay = 40ms, .jitter = 10ms, .loss = 0.1};

TEST_CASE("Two players steer their runners, and every client has the server's world",
          "[session][flow]") {
  const auto match = open_match({.seed = 3});
  match->server().on_join([&](PlayerId player) {
    match->server().spawn("runner", {.owner = player}, Transform{.position = {0, 0, 5}});
  });
  match->add_client(kLossy);
  GameClient& second = match->add_client(kLossy);
  match->on_client_frame([](GameClient& client, Tick) { client.set_command(Steer{{0, 0, 1}}); });
  match->run(5s);
  CHECK(match->server().players().size() == 2);
  CHECK(second.state() == GameClientState::playing);
  const EntityId mine = match->server().owned(second.player(), "runner");
  CHECK(match->server().get<Transform>(mine)->position.z > 8);
  CHECK(match->differences() == std::vector<std::string>{});
  CHECK(match->problems().empty());
}

TEST_CASE("A press between two frames reaches the systems exactly once", "[session][flow]") {
  const auto match = open_match({.seed = 4});
  match->server().on_join(
      [&](PlayerId player) { match->server().spawn("runner", {.owner = player}); });
  GameClient& client = match->add_client(kLossy);
  match->run(2s);
  constexpr int kPresses = 40;
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    // A press lasts for one frame of six, which is shorter than a tick of the game.
    const bool is_held = frame < 6 * kPresses && frame % 6 == 0;
    ++frame;
    each.set_command(Steer{.jump = {.is_held = is_held}});
  });
  match->run(6s);
  const EntityId runner = match->server().owned(client.player(), "runner");
  CHECK(match->server().get<Runner>(runner)->score == 5 + kPresses);
}

TEST_CASE("A match compares only the worlds of clients that have not left and were not kicked",
          "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  server.on_join([&](PlayerId player) { server.spawn("runner", {.owner = player}); });
  GameClient& leaver = match->add_client();
  const GameClient& kicked = match->add_client();
  match->add_client();
  match->run(1s);
  leaver.leave();
  server.kick(kicked.player(), "idle");
  match->run(1s);
  REQUIRE(leaver.is_over());
  REQUIRE(kicked.is_over());
  CHECK(match->differences() == std::vector<std::string>{});
}

TEST_CASE("A player's entities are removed when the player leaves, except those that are kept",
          "[session][flow]") {
  const auto match = open_match();
  std::string reason = "none";
  match->server().on_join([&](PlayerId player) {
    match->server().spawn("runner", {.owner = player});
    match->server().spawn("rock", {.owner = player, .keep = true});
  });
  match->server().on_leave([&](PlayerId, std::string_view text) { reason = text; });
  GameClient& leaving = match->add_client();
  GameClient& staying = match->add_client();
  match->run(1s);
  CHECK(count_of(staying, "runner") == 2);
  leaving.leave();
  match->run(1s);
  CHECK(leaving.is_over());
  CHECK(leaving.end().is_good);
  CHECK(reason == "left");
  CHECK(count_of(staying, "runner") == 1);
  CHECK(count_of(staying, "rock") == 2);
}

TEST_CASE("A client that joins late gets the current state of all entities", "[session][flow]") {
  const auto match = open_match({.seed = 9});
  for (int i = 0; i < 50; ++i) {
    match->server().spawn("rock", {}, Transform{.position = {static_cast<float>(i), 0, 0}});
  }
  match->run(10s);
  std::size_t spawns = 0;
  GameClient& late = match->add_client(kLossy);
  late.on_spawn([&](EntityId id) {
    ++spawns;
    CHECK(late.get<Transform>(id) != nullptr);
  });
  match->run(3s);
  CHECK(spawns == 50);
  CHECK(match->differences() == std::vector<std::string>{});
}

TEST_CASE("A field that is only for the owner reaches no other client", "[session][flow]") {
  const auto match = open_match();
  match->server().on_join([&](PlayerId player) {
    match->server().spawn("runner", {.owner = player}, Runner{.score = 7, .secret = 42});
  });
  GameClient& first = match->add_client();
  match->add_client();
  match->run(2s);
  int mine = 0;
  int others = 0;
  first.each<const Runner>([&](EntityId id, const Runner& runner) {
    CHECK(runner.score == 7);
    (first.is_mine(id) ? mine : others) += runner.secret;
  });
  CHECK(mine == 42);
  CHECK(others == 0);
}

TEST_CASE("An entity with a radius is sent only to players whose view is near", "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  const EntityId rock = server.spawn("rock", {.visible_within = 30});
  server.on_join([&](PlayerId player) { server.set_view(player, Vec3{100, 0, 0}); });
  GameClient& client = match->add_client();
  match->run(2s);
  CHECK(count_of(client, "rock") == 0);
  server.set_view(client.player(), Vec3{20, 0, 0});
  match->run(1s);
  CHECK(count_of(client, "rock") == 1);
  server.set_options(rock, {.visible_within = 5});
  match->run(1s);
  CHECK(count_of(client, "rock") == 0);
  server.set_options(rock, {});
  match->run(1s);
  CHECK(count_of(client, "rock") == 1);
}

TEST_CASE("A view that follows an entity sees the entities near it", "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  server.spawn("rock", {.visible_within = 5}, Transform{.position = {0, 0, 20}});
  server.on_join(
      [&](PlayerId player) { server.set_view(player, server.spawn("runner", {.owner = player})); });
  GameClient& client = match->add_client();
  match->run(1s);
  CHECK(count_of(client, "rock") == 0);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Steer{{0, 0, 1}}); });
  match->run(20s);
  CHECK(count_of(client, "rock") == 1);
}

TEST_CASE("An entity of a team is sent to that team and to its owner", "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  server.spawn("rock", {.team = 2});
  GameClient& red = match->add_client();
  GameClient& blue = match->add_client();
  match->run(1s);
  server.set_team(blue.player(), 2);
  match->run(1s);
  CHECK(count_of(red, "rock") == 0);
  CHECK(count_of(blue, "rock") == 1);
}

TEST_CASE("A moving entity is shown between two states, by interpolation without jumps",
          "[session][flow]") {
  const auto match = open_match();
  match->server().on_join(
      [&](PlayerId player) { match->server().spawn("runner", {.owner = player}); });
  GameClient& client = match->add_client({.delay = 30ms, .jitter = 5ms});
  float last = 0;
  float step_max = 0;
  float step_min = 1;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Steer{{0, 0, 1}});
    each.each<const Runner, const Transform>([&](const Runner&, const Transform& at) {
      if (last > 2) {
        step_max = std::max(step_max, at.position.z - last);
        step_min = std::min(step_min, at.position.z - last);
      }
      last = at.position.z;
    });
  });
  match->run(6s);
  CHECK(client.state() == GameClientState::playing);
  // The entity moves at one metre per second, with 60 frames per second.
  CHECK(step_max < 1.5F / 60);
  CHECK(step_min > 0.5F / 60);
}

TEST_CASE("After a change of the owner, only the new owner receives the owner's fields",
          "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  GameClient& first = match->add_client(kLossy);
  GameClient& second = match->add_client(kLossy);
  match->run(2s);
  const EntityId runner =
      server.spawn("runner", {.owner = first.player()}, Runner{.score = 1, .secret = 11});
  const auto received = [&](GameClient& client) {
    return *client.confirmed<Runner>(client.find(server.reference(runner)));
  };
  match->run(2s);
  CHECK(received(first).secret == 11);
  CHECK(received(second).secret == 0);
  server.set_options(runner, {.owner = second.player()});
  match->run(2s);
  CHECK(first.is_mine(first.find(server.reference(runner))) == false);
  CHECK(second.is_mine(second.find(server.reference(runner))));
  CHECK(received(second).secret == 11);
  server.edit<Runner>(runner)->secret = 22;
  server.edit<Runner>(runner)->score = 2;
  match->run(2s);
  CHECK(received(first).score == 2);
  CHECK(received(first).secret != 22);
  CHECK(received(second).score == 2);
  CHECK(received(second).secret == 22);
  CHECK(match->differences() == std::vector<std::string>{});
}

}  // namespace
}  // namespace muster
