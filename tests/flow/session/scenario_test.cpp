// Problems that users of other systems reported. tests/README.md, "Scenarios of synchronisation",
// explains the numbers.
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/volley_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace volley_game;  // NOLINT(google-build-using-namespace): the game of these tests

constexpr Link kRough{.delay = 60ms, .jitter = 20ms, .loss = 0.05};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The number of runs by entity and tick.
std::map<std::pair<std::int32_t, std::uint32_t>, int>& runs() {
  static std::map<std::pair<std::int32_t, std::uint32_t>, int> all;
  return all;
}
void count_runs(SystemContext& ctx, EntityId self, Runner& runner) {
  runner.score = (runner.score + 1) % 1000;
  if (ctx.is_server()) ++runs()[{ctx.reference(self).network_id, ctx.tick().value()}];
}

TEST_CASE("Systems run once for each entity and tick, even if clients replay ticks [S41, S44]",
          "[session][flow][sys-79]") {
  runs().clear();
  Game game = make_game();
  game.systems = systems<walk, count_runs>();
  game.server_systems = {};
  const auto match = open_match(301, game);
  GameClient& client = match->add_client(kRough);
  match->add_client(kRough);
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    const float x = frame++ / 20 % 2 == 0 ? 1.0F : -1.0F;
    each.set_command(Trigger{{x, 0, 0}, {}});
  });
  match->run(8s);
  CHECK(runs().size() > 300);
  for (const auto& [key, count] : runs()) CHECK(count == 1);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  match->run(2s);
  // The client's count is higher by the ticks that the client is ahead of the server.
  const EntityId own = own_runner(client);
  const int ahead =
      (client.get<Runner>(own)->score - client.confirmed<Runner>(own)->score + 1000) % 1000;
  CHECK(ahead > 0);
  CHECK(ahead < 20);
}

// Changes a predicted value at the server without a command.
void add_bonus(SystemContext& ctx) {
  if (ctx.tick().value() % 40 != 0) return;
  ctx.each<Runner>([](Runner& runner) { runner.score = (runner.score + 100) % 1000; });
}
void count_presses(SystemContext& ctx, EntityId self, Runner& runner) {
  runner.score = (runner.score + ctx.command<Trigger>(self).fire.press_count) % 1000;
}

TEST_CASE("A change by the server survives the replay of older commands [S31, P23]",
          "[session][flow][sys-79]") {
  Game game = make_game();
  game.systems = systems<walk, count_presses>();
  game.server_systems = systems<add_bonus>();
  const auto match = open_match(302, game);
  GameClient& client = match->add_client(kRough);
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{{0.5F, 0, 0}, {.is_held = ++frame % 7 < 2}});
  });
  match->run(10s);
  CHECK(client.metrics().corrections > 3);  // The client could not predict the bonuses.
  CHECK(client.metrics().replayed_ticks > 10);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  CHECK(joined(match->differences()).empty());
}

TEST_CASE("After turns and shots in every tick, a client has the server's world [S19]",
          "[session][flow][sys-58]") {
  const auto seed = GENERATE(range(311U, 315U));
  CAPTURE(seed);
  Game game = make_game();
  game.systems = systems<walk, fire, fly>();
  game.server_systems = {};
  const auto match = open_match(seed, game);
  GameClient& client = match->add_client({.delay = 75ms, .jitter = 40ms});
  match->add_client(kRough);
  std::map<EntityId, int> spawned;
  client.on_spawn([&](EntityId id) {
    if (client.get<Bolt>(id) != nullptr) ++spawned[id];
  });
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    ++frame;
    each.set_command(Trigger{{frame % 4 < 2 ? 1.0F : -1.0F, 0, 0}, {.is_held = frame % 12 < 4}});
  });
  match->run(6s);
  CHECK(spawned.size() > 40);
  for (const auto& [id, count] : spawned) CHECK(count == 1);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  CHECK(joined(match->differences()).empty());
}

// Fires a bolt that ends after two ticks, before the server's answer can arrive.
void fire_short(SystemContext& ctx, EntityId self, Runner& runner, const Transform& at) {
  if (!ctx.command<Trigger>(self).fire.is_pressed()) return;
  ++runner.score;
  ctx.spawn("bolt", {.owner = ctx.owner(self)}, at,
            Bolt{.velocity = {0, 0, 20}, .seconds_left = 0.06F, .number = runner.score % 1000});
}

TEST_CASE("A bolt that ends before the server confirms it leaves no ghost and no error [S60]",
          "[session][flow][sys-58]") {
  Game game = make_game();
  game.systems = systems<walk, fire_short, fly>();
  game.server_systems = {};
  const auto match = open_match(321, game);
  GameClient& client = match->add_client({.delay = 120ms, .jitter = 10ms});
  std::set<EntityId> alive;
  int spawned = 0;
  client.on_spawn([&](EntityId id) {
    if (client.get<Bolt>(id) == nullptr) return;
    alive.insert(id);
    ++spawned;
  });
  client.on_despawn([&](EntityId id) { alive.erase(id); });
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{{}, {.is_held = ++frame % 20 < 3}});
  });
  match->run(5s);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  match->run(2s);
  CHECK(spawned > 8);
  CHECK(alive.empty());
  int shown = 0;
  client.each<const Bolt>([&](EntityId, const Bolt&) { ++shown; });
  CHECK(shown == 0);
}

// The first tick in which each entity may run.
std::map<EntityId, std::uint32_t>& born() {
  static std::map<EntityId, std::uint32_t> all;
  return all;
}
int& early_runs() {
  static int count = 0;
  return count;
}
void fly_late(SystemContext& ctx, EntityId self, Bolt& bolt, Transform& at) {
  if (ctx.is_server()) {
    const auto [known, is_new] = born().try_emplace(self, ctx.tick().value());
    if (is_new && at.position.z != 0) ++early_runs();
  }
  fly(ctx, self, bolt, at);
}

TEST_CASE("No system runs for an entity before the tick that spawns it [S29]", "[session][flow]") {
  born().clear();
  early_runs() = 0;
  Game game = make_game();
  game.systems = systems<walk, fire, fly_late>();
  game.server_systems = {};
  const auto match = open_match(331, game);
  match->add_client(kRough);
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{{}, {.is_held = ++frame % 30 < 3}});
  });
  match->run(6s);
  CHECK(born().size() > 10);
  CHECK(early_runs() == 0);
}

TEST_CASE("An idle world shows no motion, and no error remains after a stop [S50, S51, P31]",
          "[session][flow]") {
  const auto match = open_match(341);
  GameClient& client = match->add_client(kRough);
  GameClient& other = match->add_client({.delay = 40ms, .jitter = 15ms, .loss = 0.02});
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{{1, 0, 0}, {}}); });
  match->run(4s);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  match->run(2s);
  std::map<EntityId, Vec3> last;
  double moved = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{});
    if (&each != &other) return;
    each.each<const Runner, const Transform>([&](EntityId id, const Runner&, const Transform& at) {
      if (last.contains(id)) moved += double{length(at.position - last[id])};
      last[id] = at.position;
    });
  });
  match->run(2s);
  CHECK(last.size() == 2);
  CHECK(moved < 1e-6);
  const EntityId own = own_runner(client);
  CHECK(client.get<Transform>(own)->position.x ==
        Approx(client.confirmed<Transform>(own)->position.x).margin(1e-4));
}

void stagger(SystemContext& ctx, EntityId self, Runner& runner, Transform& at) {
  runner.velocity = ctx.command<Trigger>(self).direction;
  Random random = ctx.random(self);
  at.position.x += (runner.velocity.x + 0.01F * static_cast<float>(random.below(100))) * 0.03F;
}

TEST_CASE("A shared system draws the server's random numbers, so nothing is corrected [P24]",
          "[session][flow][sys-77]") {
  Game game = make_game();
  game.systems = systems<stagger>();
  game.server_systems = {};
  const auto match = open_match(346, game);
  GameClient& client = match->add_client({.delay = 50ms});
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{{1, 0, 0}, {}}); });
  match->run(5s);
  const std::uint64_t corrections = client.metrics().corrections;
  match->run(10s);
  CHECK(client.metrics().corrections == corrections);
  CHECK(client.metrics().predicted_ticks > 300);
}

// Moves a body by less than one step of its resolution per tick.
void creep(SystemContext& ctx, EntityId, Runner&, Transform& at) {
  at.position.z += 0.004F * ctx.seconds();
}

TEST_CASE("A body that moves very slowly stays at the server's position [S48]", "[session][flow]") {
  Game game = make_game();
  game.systems = systems<walk>();
  game.server_systems = systems<creep>();
  const auto match = open_match(351, game);
  GameClient& client = match->add_client({.delay = 40ms, .loss = 0.05});
  float error_max = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{});
    const EntityId own = own_runner(each);
    const Transform* const here = each.confirmed<Transform>(own);
    const Transform* const there =
        match->server().get<Transform>(match->server().owned(each.player(), "runner"));
    if (here == nullptr || there == nullptr) return;
    error_max = std::max(error_max, std::abs(here->position.z - there->position.z));
  });
  match->run(40s);
  CHECK(client.confirmed<Transform>(own_runner(client))->position.z > 0.1F);
  // Two steps of the resolution, plus the distance that the body moves in half a second.
  CHECK(error_max < 0.01F);
}

TEST_CASE("An idle entity begins to move without a jump for others [S58, P33]",
          "[session][flow][sys-54]") {
  const auto match = open_match(361);
  GameClient& mover = match->add_client({.delay = 30ms});
  GameClient& watcher = match->add_client({.delay = 50ms, .jitter = 10ms});
  bool is_moving = false;
  std::optional<float> last;
  float step_max = 0;
  float step_min = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{{is_moving ? 1.0F : 0.0F, 0, 0}, {}});
    if (&each != &watcher) return;
    watcher.each<const Runner, const Transform>(
        [&](EntityId id, const Runner&, const Transform& at) {
          if (watcher.is_mine(id)) return;
          if (last) step_max = std::max(step_max, at.position.x - *last);
          if (last) step_min = std::min(step_min, at.position.x - *last);
          last = at.position.x;
        });
  });
  match->run(6s);
  is_moving = true;
  match->run(3s);
  REQUIRE(last);
  CHECK(*last > 2);
  // The entity moves at one metre per second, with 60 frames per second. The client's clock may run
  // faster.
  CHECK(step_max < 2.5F / 60);
  CHECK(step_min > -0.001F);
  CHECK(mover.metrics().predicted_ticks > 100);
}

TEST_CASE(
    "Input before a client plays is ignored, and no correction follows when play begins [S25]",
    "[session][flow][sys-55]") {
  Game game = make_game();
  game.systems = systems<walk>();
  game.server_systems = {};
  const auto match = open_match(371, game);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{{1, 0, 0}, {}}); });
  GameClient& client = match->add_client({.delay = 80ms});
  match->run(4s);
  CHECK(client.state() == GameClientState::playing);
  CHECK(client.metrics().predicted_ticks > 60);
  CHECK(client.metrics().corrections <= 2);
}

TEST_CASE("Joining a server after a long uptime takes no longer than joining a new server [S22]",
          "[session][flow]") {
  const auto ticks_to_play = [](SimulatedMatch& match) {
    GameClient& client = match.add_client({.delay = 50ms});
    int steps = 0;
    while (steps < 600 && own_runner(client).is_null()) {
      match.run(10ms);
      ++steps;
    }
    return steps;
  };
  const auto fresh = open_match(381);
  const int soon = ticks_to_play(*fresh);
  const auto old = open_match(381);
  old->run(10h);
  const int late = ticks_to_play(*old);
  CHECK(soon < 100);
  CHECK(late <= soon + 5);
}

}  // namespace
}  // namespace muster
