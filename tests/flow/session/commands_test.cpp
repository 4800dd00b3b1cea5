// Commands of a session: over a lossy link, and with values that the server forces.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <catch2/catch.hpp>

#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

struct Aim {
  float yaw = 0;
  Button fire{};
};
consteval auto describe(Type<Aim>) {
  return Describe<Aim>("Aim")
      .field<&Aim::yaw>("yaw", {.unit = "deg",
                                .minimum = -180,
                                .maximum = 180,
                                .resolution = 0.01,
                                .interpolation = Interpolation::angle})
      .field<&Aim::fire>("fire");
}

void aim(SystemContext& ctx, EntityId self, Runner& runner) {
  const Aim& command = ctx.command<Aim>(self);
  runner.velocity.x = command.yaw;
  runner.score += command.fire.press_count;
}

std::unique_ptr<SimulatedMatch> open_aiming(std::uint64_t seed) {
  Game game = make_game();
  game.commands = commands<Aim>();
  game.systems = systems<aim>();
  game.server_systems = {};
  return open_with_runners(game, seed);
}

const Runner& on_server(SimulatedMatch& match, const GameClient& client) {
  return *match.server().get<Runner>(match.server().owned(client.player(), "runner"));
}

enum class Gait : std::uint8_t { stand, walk, sprint };
constexpr std::array<std::string_view, 3> kGaits = {"stand", "walk", "sprint"};
struct Walk {
  Gait gait = Gait::stand;
  float speed = 0;
};
consteval auto describe(Type<Walk>) {
  return Describe<Walk>("Walk")
      .field<&Walk::gait>("gait", {.names = kGaits})
      .field<&Walk::speed>("speed", {.minimum = 0, .maximum = 10});
}
void walk(SystemContext& ctx, EntityId self, Runner& runner) {
  const Walk& command = ctx.command<Walk>(self);
  runner.score = static_cast<std::int32_t>(command.gait);
  runner.velocity.x = command.speed;
}

TEST_CASE("A command's value outside its range is clamped and reported", "[session][flow]") {
  Game game = make_game();
  game.commands = commands<Walk>();
  game.systems = systems<walk>();
  game.server_systems = {};
  const auto opened = open_with_runners(game);
  SimulatedMatch& match = *opened;
  GameClient& client = match.add_client();
  match.on_client_frame([](GameClient& each, Tick) {
    each.set_command(Walk{.gait = static_cast<Gait>(9), .speed = 50});
  });
  match.run(3s);
  CHECK(on_server(match, client).score == 2);
  CHECK(on_server(match, client).velocity.x == 10);
  const auto clamped = std::ranges::find(match.problems(), ProblemKind::clamped, &Problem::kind);
  REQUIRE(clamped != match.problems().end());
  CHECK(clamped->component == "Walk");
  CHECK(clamped->field == "gait");
  const std::uint64_t corrections = client.metrics().corrections;
  match.run(3s);
  CHECK(client.metrics().corrections == corrections);
}

TEST_CASE("Each press is processed once over a link with loss, delay and reordering",
          "[session][flow]") {
  const auto seed = GENERATE(range(41U, 47U));
  CAPTURE(seed);
  const auto match = open_aiming(seed);
  GameClient& client = match->add_client({.delay = 40ms, .jitter = 25ms, .loss = 0.1});
  match->run(2s);
  const int before = on_server(*match, client).score;
  int pressed = 0;
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    const bool is_down = ++frame < 400 && frame % 5 == 0;
    pressed += is_down ? 1 : 0;
    each.set_command(Aim{.yaw = static_cast<float>(frame % 90), .fire = {.is_held = is_down}});
  });
  match->run(12s);
  CHECK(pressed > 50);
  CHECK(on_server(*match, client).score - before == pressed);
  const GameClientMetrics metrics = client.metrics();
  CHECK(metrics.command_loss > 0.01F);
  CHECK(metrics.command_loss < 0.3F);
  CHECK(std::abs(metrics.command_earliness_ticks) < 20);
}

TEST_CASE("A view direction that the server forces is used on server and client",
          "[session][flow]") {
  const auto match = open_aiming(51);
  GameClient& client = match->add_client({.delay = 60ms, .jitter = 5ms});
  match->run(2s);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Aim{.yaw = 20}); });
  match->run(1s);
  REQUIRE(on_server(*match, client).velocity.x == Approx(20).margin(0.01));
  REQUIRE(match->server().force_command(client.player(), "yaw", Aim{.yaw = -90}));
  CHECK_FALSE(match->server().force_command(client.player(), "nothing", Aim{}));
  CHECK_FALSE(match->server().force_command(PlayerId(99), "yaw", Aim{}));
  match->run(2s);
  REQUIRE_FALSE(client.is_over());
  CHECK(on_server(*match, client).velocity.x == Approx(-90).margin(0.01));
  // The input device turns by 15 degrees, so the forced view also turns by 15 degrees.
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Aim{.yaw = 35}); });
  match->run(2s);
  CHECK(on_server(*match, client).velocity.x == Approx(-75).margin(0.02));
  EntityId own;
  client.each<const Runner>([&](EntityId id, const Runner&) {
    if (client.is_mine(id)) own = id;
  });
  CHECK(client.get<Runner>(own)->velocity.x == on_server(*match, client).velocity.x);
  CHECK(match->differences() == std::vector<std::string>{});
}

TEST_CASE("A second forced view also replaces the first forced view in predicted ticks",
          "[session][flow]") {
  const auto match = open_aiming(52);
  GameClient& client = match->add_client({.delay = 80ms});
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Aim{.yaw = 20}); });
  match->run(3s);
  std::array<std::uint64_t, 3> corrections{};
  for (std::size_t i = 0; i < corrections.size(); ++i) {
    const std::uint64_t before = client.metrics().corrections;
    const float yaw = i % 2 == 0 ? -90.0F : 60.0F;
    REQUIRE(match->server().force_command(client.player(), "yaw", Aim{.yaw = yaw}));
    match->run(2s);
    corrections[i] = client.metrics().corrections - before;
    CHECK(on_server(*match, client).velocity.x == Approx(yaw).margin(0.01));
  }
  CHECK(corrections[1] <= corrections[0]);
  CHECK(corrections[2] <= corrections[0]);
}

TEST_CASE(
    "A forced view continues on both sides when the message about it is lost in a level change",
    "[session][flow]") {
  const auto seed = GENERATE(range(53U, 57U));
  CAPTURE(seed);
  const auto match = open_aiming(seed);
  GameServer& server = match->server();
  server.on_level([&server] {
    for (const PlayerInfo& info : server.players()) server.spawn("runner", {.owner = info.player});
  });
  GameClient& client = match->add_client({.delay = 80ms});
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Aim{.yaw = 20}); });
  match->run(2s);
  REQUIRE(server.force_command(client.player(), "yaw", Aim{.yaw = -90}));
  match->run(std::chrono::milliseconds(10 * (seed - 52)));
  REQUIRE(server.load_level("yard"));
  match->run(3s);
  REQUIRE(client.state() == GameClientState::playing);
  CHECK(on_server(*match, client).velocity.x == Approx(-90).margin(0.01));
  const std::uint64_t corrections = client.metrics().corrections;
  match->run(2s);
  CHECK(client.metrics().corrections == corrections);
}

}  // namespace
}  // namespace muster
