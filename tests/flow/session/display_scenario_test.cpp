// Problems with displayed motion that users of other systems reported. tests/README.md, "Scenarios
// of synchronisation", explains the numbers.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/volley_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace volley_game;  // NOLINT(google-build-using-namespace): the game of these tests

Game game_of(const Systems& shared, const Systems& server = {}) {
  Game game = make_game();
  game.systems = shared;
  game.server_systems = server;
  return game;
}

/// Measures the steps of a position from frame to frame.
struct Steps {
  void add(float position) {
    if (last) {
      step_max = std::max(step_max, position - *last);
      step_min = std::min(step_min, position - *last);
      sum += position - *last;
      ++count;
      if (std::abs(position - *last) > 0.001F) ++moved;
    }
    last = position;
  }
  float mean() const { return sum / static_cast<float>(std::max(count, 1)); }
  std::optional<float> last;
  float step_max = -1000;
  float step_min = 1000;
  float sum = 0;
  int count = 0;
  int moved = 0;
};

void shove(SystemContext& ctx) {
  if (ctx.tick().value() % 20 != 0) return;
  ctx.each<Runner, Transform>([](Runner&, Transform& at) { at.position.z += 0.5F; });
}

TEST_CASE("A clock that jumps while a correction is blended shows no jump of the entity [S5]",
          "[session][flow][sys-55]") {
  const auto match = open_match(601, game_of(systems<walk>(), systems<shove>()));
  GameClient& client = match->add_client({.delay = 20ms});
  Steps steps;
  bool is_measuring = false;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{});
    const Transform* const at = each.get<Transform>(own_runner(each));
    if (at != nullptr && is_measuring) steps.add(at->position.z);
  });
  match->run(4s);
  const std::uint64_t jumps = client.metrics().clock_jumps;
  is_measuring = true;
  for (int i = 0; i < 6; ++i) {
    match->set_link(client, {.delay = i % 2 == 0 ? 450ms : 20ms});
    match->run(3s);
  }
  CHECK(client.metrics().clock_jumps > jumps);
  CHECK(client.metrics().corrections > 10);
  CHECK(steps.sum > 5);
  // A correction is blended over six frames. After half a second without states, two states may
  // arrive together.
  CHECK(steps.step_max < 0.3F);
  CHECK(steps.step_min > -0.01F);
}

/// A server and a client with rates that `SimulatedMatch` does not offer.
struct Screen {
  Screen(const Game& made, Link link) : game(made), edges(7) {
    auto opened = GameServer::open(Build::open(build_folder(), Target::server, game),
                                   edges.host("server"), {.listen = "server:7000"});
    if (!opened) throw std::runtime_error(opened.error().message);
    server = std::move(opened.value());
    server->on_join([this](PlayerId player) { server->spawn("runner", {.owner = player}); });
    for (std::size_t i = 0; i < clients.size(); ++i) {
      auto connected = GameClient::connect(
          Build::open(build_folder(), Target::client, game),
          edges.host("client" + std::to_string(i), link),
          {.server = "server:7000", .key = server->public_key(), .loading_threads = 0});
      if (!connected) throw std::runtime_error(connected.error().message);
      clients[i] = std::move(connected.value());
    }
  }
  template <typename Each>
  void run(double seconds, double frames_per_second, const Each& each) {
    const auto frames = static_cast<int>(seconds * frames_per_second);
    const auto frame =
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / frames_per_second));
    for (int i = 0; i < frames; ++i) {
      edges.advance(frame);
      server->frame(edges.now());
      for (const auto& client : clients) {
        client->set_command(Trigger{{1, 0, 0}, {}});
        client->frame(edges.now());
        each(*client);
      }
    }
  }
  Game game;
  SimulatedEdges edges;
  std::unique_ptr<GameServer> server;
  std::array<std::unique_ptr<GameClient>, 2> clients;
};

TEST_CASE("The player's own entities and other entities move evenly at any frame rate [S36, S49]",
          "[session][flow][sys-53][sys-54]") {
  const double rate = GENERATE(50.0, 60.0, 144.0, 240.0);
  CAPTURE(rate);
  Game game = game_of(systems<walk>());
  game.ticks_per_second = 60;
  Screen screen(game, {.delay = 25ms});
  screen.run(6, rate, [](GameClient&) {});
  Steps own;
  Steps other;
  screen.run(6, rate, [&](GameClient& client) {
    if (&client != screen.clients[0].get()) return;
    client.each<const Runner, const Transform>(
        [&](EntityId id, const Runner&, const Transform& at) {
          (client.is_mine(id) ? own : other).add(at.position.x);
        });
  });
  const auto step = static_cast<float>(1 / rate);  // The entity moves at one metre per second.
  for (const Steps* const steps : {&own, &other}) {
    CHECK(steps->mean() == Approx(step).epsilon(0.02));
    CHECK(steps->step_max < 1.5F * step);
    CHECK(steps->step_min > 0.5F * step);
  }
}

void push(SystemContext& ctx, EntityId, const Runner&, const Transform& at) {
  ctx.each_known<const Bolt, const Transform>([&](EntityId id, const Bolt&, const Transform& ball) {
    const Vec3 offset = ball.position - at.position;
    if (length(offset) > 0.6F) return;
    if (Transform* const there = ctx.edit_on_server<Transform>(id)) {
      there->position.x = at.position.x + 0.6F;
    }
  });
}

TEST_CASE("A ball that a player pushes does not jitter for this player [S38]",
          "[session][flow][sys-54]") {
  const auto match = open_match(603, game_of(systems<walk, push>()));
  GameServer& server = match->server();
  const EntityId ball = server.spawn("bolt", {}, Transform{.position = {1.5F, 0, 0}});
  GameClient& client = match->add_client({.delay = 50ms, .jitter = 5ms});
  match->run(3s);
  Steps steps;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{{1, 0, 0}, {}});
    each.each<const Bolt, const Transform>(
        [&](EntityId, const Bolt&, const Transform& at) { steps.add(at.position.x); });
  });
  match->run(6s);
  CHECK(server.get<Transform>(ball)->position.x > 4);
  CHECK(steps.sum > 2);
  CHECK(steps.step_min > -0.001F);
  CHECK(steps.step_max < 2.5F / 60);
  CHECK(client.metrics().corrections <= 2);
}

TEST_CASE(
    "A correction that is older than all stored commands is applied once, without a loop [S80, "
    "P27]",
    "[session][flow][sys-79][sys-80]") {
  Game game = game_of(systems<walk>());
  game.ticks_per_second = 60;
  const auto match = open_match(604, game);
  // The delay is so long that the server's states are older than all commands that can be replayed.
  GameClient& client = match->add_client({.delay = 700ms});
  match->on_client_frame([](GameClient& each, Tick) {
    each.set_command(Trigger{{0.5F, 0, 0}, {}});
  });
  match->run(8s);
  const EntityId owned = match->server().owned(client.player(), "runner");
  match->server().edit<Transform>(owned)->position.z = 2;
  match->run(4s);
  const Transform* const shown = client.get<Transform>(own_runner(client));
  REQUIRE(shown != nullptr);
  CHECK(shown->position.z == Approx(2).margin(0.01));
  const std::uint64_t corrections = client.metrics().corrections;
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  match->run(6s);
  CHECK(client.metrics().corrections <= corrections + 2);
  CHECK(match->differences(4s).empty());
}

void blink(SystemContext& ctx, EntityId self, Runner&, Transform& at) {
  if (ctx.command<Trigger>(self).fire.is_pressed()) at.position.x += 50;
}

TEST_CASE("Positions between the start and the end of a teleport are never shown [P30]",
          "[session][flow][sys-54][sys-55]") {
  const bool is_predicted = GENERATE(false, true);
  // In a fast game, the distance of the teleport is a normal movement.
  const bool is_fast_game = GENERATE(false, true);
  CAPTURE(is_predicted, is_fast_game);
  Game game = game_of(systems<walk, blink>());
  if (is_fast_game) game.teleport_metres_per_second = 4'000;
  const auto match = open_match(605, game);
  const Link link{.delay = 40ms, .jitter = 5ms};
  GameClient& mover = match->add_client(link);
  GameClient& watcher = match->add_client(link);
  match->run(3s);
  const EntityId owned = match->server().owned(mover.player(), "runner");
  int between = 0;
  int after = 0;
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    ++frame;
    const bool is_held = is_predicted && &each == &mover && frame > 60 && frame < 70;
    each.set_command(Trigger{{0.2F, 0, 0}, {.is_held = is_held}});
    each.each<const Runner, const Transform>([&](EntityId id, const Runner&, const Transform& at) {
      if (each.is_mine(id) != (&each == &mover)) return;
      if (at.position.x > 5 && at.position.x < 45) ++between;
      if (at.position.x > 45) ++after;
    });
  });
  match->run(1s);
  if (!is_predicted) match->server().edit<Transform>(owned)->position.x += 50;
  match->run(2s);
  CHECK((between > 0) == is_fast_game);
  CHECK(after > 100);
  CHECK(watcher.metrics().snapshots > 20);
}

TEST_CASE("A correction of a rarely updated entity is blended at display rate [P32]",
          "[session][flow][sys-55]") {
  const auto match = open_match(606, game_of(systems<walk, fly>()));
  GameServer& server = match->server();
  const EntityId ball = server.spawn("bolt", {.priority = 0.2F}, Transform{});
  server.edit<Bolt>(ball)->seconds_left = 1000;
  GameClient& client = match->add_client({.delay = 40ms});
  match->run(3s);
  EntityId local;
  client.each<const Bolt>([&](EntityId id, const Bolt&) { local = id; });
  client.set_predicted(local, true);
  match->run(1s);
  REQUIRE(client.is_predicted(local));
  Steps steps;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{});
    steps.add(each.get<Transform>(local)->position.x);
  });
  server.edit<Transform>(ball)->position.x += 1;
  match->run(2s);
  CHECK(steps.sum == Approx(1).margin(0.01));
  CHECK(steps.moved >= 5);  // 100 ms are six frames.
  CHECK(steps.step_max < 0.4F);
  CHECK(steps.step_min > -0.001F);
}

TEST_CASE("Without new states, other entities continue to move for a limited time only [S43, P34]",
          "[session][flow][sys-54]") {
  const auto match = open_match(607, game_of(systems<walk>()));
  GameClient& mover = match->add_client({.delay = 20ms});
  GameClient& watcher = match->add_client({.delay = 20ms});
  Steps steps;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{{1, 0, 0}, {}});
    if (&each != &watcher) return;
    each.each<const Runner, const Transform>([&](EntityId id, const Runner&, const Transform& at) {
      if (!each.is_mine(id)) steps.add(at.position.x);
    });
  });
  match->run(4s);
  const float before = *steps.last;
  match->set_link(watcher, {.is_down = true});
  match->run(3s);
  CHECK(*steps.last - before > 0);
  // The shown entity may move on for the link's delay, the view's delay and one snapshot interval.
  CHECK(*steps.last - before < 0.3F);
  CHECK(mover.metrics().predicted_ticks > 100);
}

}  // namespace
}  // namespace muster
