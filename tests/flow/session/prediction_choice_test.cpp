// A game switches the prediction of an entity on and off.
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/volley_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace volley_game;  // NOLINT(google-build-using-namespace): the game of these tests

constexpr float kMetresPerSecond = 6;
constexpr float kTickMetres = kMetresPerSecond / 30;

/// Records how a client shows a ball that rolls along x.
struct Ball {
  explicit Ball(SimulatedMatch& match) : server(match.server()) {
    on_server = server.spawn("bolt", {}, Transform{});
    server.edit<Bolt>(on_server)->velocity = {kMetresPerSecond, 0, 0};
    server.edit<Bolt>(on_server)->seconds_left = 1000;
  }
  void record(GameClient& client) {
    client.each<const Bolt, const Transform>([&](EntityId id, const Bolt&, const Transform& at) {
      entity = id;
      if (x) step_max = std::max(step_max, at.position.x - *x);
      if (x) step_min = std::min(step_min, at.position.x - *x);
      x = at.position.x;
    });
  }
  void forget_steps() {
    step_max = 0;
    step_min = 1000;
  }
  float behind() const { return server.get<Transform>(on_server)->position.x - *x; }

  GameServer& server;
  EntityId on_server;
  EntityId entity;
  std::optional<float> x;
  float step_max = 0;
  float step_min = 1000;
};

TEST_CASE("An entity becomes predicted at the game's request, without a jump",
          "[session][flow][sys-53]") {
  const auto delay = GENERATE(10ms, 60ms, 150ms);
  CAPTURE(delay.count());
  Game game = make_game();
  game.systems = systems<walk, fly>();
  game.server_systems = {};
  const auto match = open_match(71, game);
  GameClient& client = match->add_client({.delay = delay, .jitter = 2ms});
  Ball ball(*match);
  match->on_client_frame([&](GameClient& each, Tick) {
    ball.record(each);
    each.set_command(Trigger{});
  });
  match->run(4s);
  REQUIRE_FALSE(client.is_predicted(ball.entity));
  CHECK(ball.behind() > kMetresPerSecond * 0.03F);

  ball.forget_steps();
  match->run(1s);
  const float step_before = ball.step_max;
  ball.forget_steps();
  client.set_predicted(ball.entity, true);
  match->run(2s);
  CHECK(client.is_predicted(ball.entity));
  CHECK(ball.behind() < 0);  // The ball is ahead of the server, like the player's entity.
  CHECK(ball.step_max < step_before + kTickMetres);
  CHECK(ball.step_min > -0.001F);
  const std::uint64_t corrections = client.metrics().corrections;
  match->run(2s);
  CHECK(client.metrics().corrections == corrections);  // The ball rolls as predicted.

  ball.forget_steps();
  client.set_predicted(ball.entity, false);
  match->run(2s);
  CHECK_FALSE(client.is_predicted(ball.entity));
  CHECK(ball.behind() > kMetresPerSecond * 0.03F);
  CHECK(ball.step_max < step_before + kTickMetres);
  CHECK(ball.step_min > -kTickMetres);
}

TEST_CASE("If the game chooses so, a client's own entity is shown as the server sends it",
          "[session][flow][sys-53]") {
  const auto match = open_match(72);
  GameClient& client = match->add_client({.delay = 80ms});
  match->run(3s);
  EntityId own;
  client.each<const Runner>([&](EntityId id, const Runner&) { own = id; });
  REQUIRE(client.is_predicted(own));
  client.set_predicted(own, false);
  match->run(1s);
  CHECK_FALSE(client.is_predicted(own));
  CHECK(client.is_mine(own));
  client.set_predicted(own, true);
  match->run(1s);
  CHECK(client.is_predicted(own));
}

TEST_CASE("An entity whose changes the server defers is predicted without corrections",
          "[session][flow][sys-53][sys-55]") {
  Game game = make_game();
  game.systems = systems<walk, fly>();
  game.server_systems = {};
  const auto match = open_match(73, game);
  for (int i = 0; i < 300; ++i) {
    GameServer& server = match->server();
    const EntityId other = server.spawn("bolt", {}, Transform{.position = {0, 0, 50}});
    server.edit<Bolt>(other)->velocity = {1, 0.1F * static_cast<float>(i % 7), 0};
    server.edit<Bolt>(other)->seconds_left = 1000;
  }
  // The bandwidth is too low for all changes in each snapshot.
  GameClient& client = match->add_client({.delay = 40ms, .bytes_per_second = 12'000});
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  match->run(12s);
  REQUIRE(match->server().players().front().changes_deferred > 1000);
  std::vector<EntityId> chosen;
  client.each<const Bolt>([&](EntityId id, const Bolt&) {
    if (chosen.size() < 20) chosen.push_back(id);
  });
  REQUIRE(chosen.size() == 20);
  const std::uint64_t before = client.metrics().corrections;
  for (const EntityId id : chosen) client.set_predicted(id, true);
  match->run(8s);
  for (const EntityId id : chosen) CHECK(client.is_predicted(id));
  CHECK(client.metrics().corrections == before);  // The entities move as predicted.
}

}  // namespace
}  // namespace muster
