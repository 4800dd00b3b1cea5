// Prediction: a player's own entities react at once, and finally have the server's positions.
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

/// Moves every runner once. A client cannot predict this.
void gust(SystemContext& ctx, Transform& at, const Runner&) {
  if (ctx.tick() == Tick(120)) at.position.x += 3;
}

Game predicted_game(bool has_gust) {
  Game game = make_game();
  game.systems = systems<steer>();
  game.server_systems = has_gust ? systems<gust>() : Systems{};
  return game;
}

std::unique_ptr<SimulatedMatch> open_predicted(std::uint64_t seed, bool has_gust = false) {
  return open_with_runners(predicted_game(has_gust), seed);
}

EntityId mine(const GameClient& client) {
  EntityId found;
  client.each<const Runner>([&](EntityId id, const Runner&) {
    if (client.is_mine(id)) found = id;
  });
  return found;
}

TEST_CASE(
    "A player's entity moves in the frame of the input, a round trip before the server's answer",
    "[session][flow][sys-55][sys-77]") {
  const auto match = open_predicted(21);
  GameClient& client = match->add_client({.delay = 100ms});
  match->run(3s);
  const EntityId runner = mine(client);
  REQUIRE(client.is_predicted(runner));
  REQUIRE(client.get<Transform>(runner)->position.z == 0);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Steer{{0, 0, 1}}); });
  match->run(150ms);
  CHECK(client.get<Transform>(runner)->position.z > 0.05F);
  CHECK(client.confirmed<Transform>(runner)->position.z == 0);
}

TEST_CASE("A prediction from the same commands needs no correction", "[session][flow]") {
  const auto match = open_predicted(22);
  GameClient& client = match->add_client({.delay = 60ms, .jitter = 8ms});
  match->run(2s);
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    const float angle = static_cast<float>(++frame) / 40;
    each.set_command(Steer{{std::sin(angle), 0, std::cos(angle)}, {.is_held = frame % 37 == 0}});
  });
  match->run(10s);
  CHECK(client.metrics().corrections == 0);
  CHECK(match->differences() == std::vector<std::string>{});
}

TEST_CASE("With losses, the player's own entity finally has the server's position",
          "[session][flow]") {
  const auto seed = GENERATE(range(31U, 36U));
  CAPTURE(seed);
  const auto match = open_predicted(seed);
  GameClient& client = match->add_client({.delay = 60ms, .jitter = 20ms, .loss = 0.1});
  match->run(2s);
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Steer{{(++frame / 50) % 2 == 0 ? 1.0F : -1.0F, 0, 0.5F}});
  });
  match->run(10s);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Steer{}); });
  match->run(2s);
  const EntityId runner = mine(client);
  const Transform& shown = *client.get<Transform>(runner);
  const Transform& there =
      *match->server().get<Transform>(match->server().owned(client.player(), "runner"));
  CHECK(shown.position.x == Approx(there.position.x).margin(0.02));
  CHECK(shown.position.z == Approx(there.position.z).margin(0.02));
  CHECK(match->differences() == std::vector<std::string>{});
}

TEST_CASE("A misprediction is reported, and corrected without a jump", "[session][flow]") {
  const auto match = open_predicted(41, true);
  GameClient& client = match->add_client({.delay = 50ms});
  float last = 0;
  float step_max = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    const EntityId runner = mine(each);
    const Transform* const at = each.get<Transform>(runner);
    if (at == nullptr) return;
    step_max = std::max(step_max, std::abs(at->position.x - last));
    last = at->position.x;
  });
  match->run(6s);
  CHECK(last == Approx(3).margin(0.01));
  // The correction of three metres is blended over a tenth of a second, in frames of 17 ms.
  CHECK(step_max < 1.5F);
  CHECK(client.metrics().corrections >= 1);
  const auto found =
      std::ranges::find(match->problems(), ProblemKind::mispredicted, &Problem::kind);
  REQUIRE(found != match->problems().end());
  CHECK(found->component == "Transform");
  CHECK(found->field == "position");
  CHECK(found->difference == Approx(3).margin(0.01));
}

TEST_CASE("A new owner sees an entity become predicted without a jump", "[session][flow]") {
  const auto match = open_predicted(61);
  GameClient& client = match->add_client({.delay = 100ms, .jitter = 5ms});
  GameClient& other = match->add_client({.delay = 100ms, .jitter = 5ms});
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Steer{{1, 0, 0}}); });
  match->run(3s);
  const EntityId given = match->server().owned(other.player(), "runner");
  EntityId seen;
  client.each<const Runner>([&](EntityId id, const Runner&) {
    if (!client.is_mine(id)) seen = id;
  });
  float last = client.get<Transform>(seen)->position.x;
  float step_max = 0;
  float step_min = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Steer{{1, 0, 0}});
    if (&each != &client) return;
    const float now = each.get<Transform>(seen)->position.x;
    step_max = std::max(step_max, now - last);
    step_min = std::min(step_min, now - last);
    last = now;
  });
  match->server().set_options(given, {.owner = client.player()});
  match->run(2s);
  REQUIRE(client.is_predicted(seen));
  // The runner moves 0.017 m per frame. The prediction is about 0.3 m ahead of the previously shown
  // position.
  CHECK(step_max < 0.08F);
  CHECK(step_min > -0.02F);
}

/// Gives runners a score that is outside its range.
void boast(SystemContext&, Runner& runner) { runner.score = 5000; }

TEST_CASE("A predicted value outside its range is clamped for clients, and needs no correction",
          "[session][flow]") {
  Game game = predicted_game(false);
  game.systems = systems<boast>();
  const auto opened = open_with_runners(game);
  SimulatedMatch& match = *opened;
  GameClient& client = match.add_client();
  match.run(3s);
  CHECK(client.get<Runner>(mine(client))->score == 5000);
  CHECK(client.confirmed<Runner>(mine(client))->score == 1000);
  CHECK(client.metrics().corrections == 0);
}

TEST_CASE("A client does not predict other players' entities", "[session][flow]") {
  const auto match = open_predicted(51);
  GameClient& first = match->add_client({.delay = 30ms});
  match->add_client({.delay = 30ms});
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Steer{{1, 0, 0}}); });
  match->run(4s);
  int others = 0;
  first.each<const Runner>([&](EntityId id, const Runner&) {
    if (first.is_mine(id)) return;
    ++others;
    CHECK_FALSE(first.is_predicted(id));
    // Other players' entities are shown with a delay, so behind the server's newest state.
    CHECK(first.get<Transform>(id)->position.x < first.confirmed<Transform>(id)->position.x);
  });
  CHECK(others == 1);
}

}  // namespace
}  // namespace muster
