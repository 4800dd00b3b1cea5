// Predicted spawns: a bolt appears once, in the frame of the press, and is the same entity after
// the server has confirmed it.
#include <chrono>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "tests/support/volley_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace volley_game;  // NOLINT(google-build-using-namespace): the game of these tests

/// Records the bolts that a client shows to its player.
struct Watch {
  explicit Watch(GameClient& watched) : client(watched) {
    client.on_spawn([this](EntityId id) {
      if (client.get<Bolt>(id) != nullptr && client.is_mine(id)) ++spawned[id];
    });
    client.on_despawn([this](EntityId id) { ++despawned[id]; });
    client.on_undone([this](EntityId id) { undone.insert(id); });
  }
  /// Called after each frame.
  void record() {
    std::map<std::int32_t, int> by_number;
    client.each<const Bolt, const Transform>(
        [&](EntityId id, const Bolt& bolt, const Transform& at) {
          if (!client.is_mine(id)) return;
          ++by_number[bolt.number];
          const auto last = shown.find(id);
          if (last != shown.end()) {
            step_max = std::max(step_max, at.position.z - last->second);
            step_min = std::min(step_min, at.position.z - last->second);
          }
          shown[id] = at.position.z;
        });
    for (const auto& [number, count] : by_number) doubles += count > 1 ? 1 : 0;
    count_max = std::max(count_max, by_number.size());
  }
  GameClient& client;
  std::map<EntityId, int> spawned;
  std::map<EntityId, int> despawned;
  std::set<EntityId> undone;
  std::map<EntityId, float> shown;
  int doubles = 0;
  std::size_t count_max = 0;
  float step_max = 0;
  float step_min = 0;
};

/// Makes the player fire every 40 frames.
void fire_often(SimulatedMatch& match, int& frame, std::map<const GameClient*, Watch*> watches) {
  match.on_client_frame([&frame, watches](GameClient& client, Tick) {
    if (const auto watch = watches.find(&client); watch != watches.end()) watch->second->record();
    ++frame;
    const bool is_pressed = frame / 2 % 40 == 0;
    client.set_command(Trigger{{0.2F, 0, 0}, {.is_held = is_pressed}});
  });
}

TEST_CASE("A predicted bolt appears at the press, before an answer can arrive",
          "[session][flow][sys-58]") {
  const auto match = open_match(11);
  GameClient& client = match->add_client({.delay = 100ms});
  match->run(3s);
  Watch watch(client);
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{{}, {.is_held = true}});
  });
  match->run(100ms);
  REQUIRE(watch.spawned.size() == 3);
  for (const auto& [id, count] : watch.spawned) {
    CHECK(client.is_predicted(id));
    CHECK(client.get<Bolt>(id)->number > 0);
    CHECK(client.confirmed<Bolt>(id) == nullptr);  // The server has not spawned the bolt yet.
    CHECK(client.reference(id).network_id == -1);
  }
  match->run(300ms);
  for (const auto& [id, count] : watch.spawned) {
    CHECK(count == 1);
    CHECK(client.confirmed<Bolt>(id) != nullptr);
    CHECK(client.reference(id).network_id >= 0);  // The server has confirmed the same entity.
  }
}

TEST_CASE("Equal bolts of one tick are confirmed one by one, without a duplicate or a jump",
          "[session][flow][sys-58][sys-85]") {
  const auto seed = GENERATE(range(21U, 29U));
  CAPTURE(seed);
  const auto match = open_match(seed);
  const Link link{.delay = 60ms, .jitter = 15ms, .loss = 0.05};
  GameClient& client = match->add_client(link);
  GameClient& other = match->add_client(link);
  match->run(2s);
  Watch watch(client);
  Watch others(other);
  int frame = 0;
  fire_often(*match, frame, {{&client, &watch}, {&other, &others}});
  match->run(10s);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  match->run(2s);
  CHECK(watch.spawned.size() >= 30);  // The player has fired.
  CHECK(watch.doubles == 0);
  CHECK(watch.undone.empty());
  CHECK(watch.count_max <= 6);
  CHECK(client.metrics().spawns_confirmed >= watch.spawned.size() - 3);
  for (const auto& [id, count] : watch.spawned) {
    CHECK(count == 1);
    CHECK(watch.despawned[id] == 1);
  }
  // A bolt flies at 20 m/s, which is 0.34 m per frame.
  CHECK(watch.step_max < 0.6F);
  CHECK(watch.step_min > -0.05F);
  CHECK(match->differences() == std::vector<std::string>{});
}

TEST_CASE("A bolt that the server does not fire is undone and reported",
          "[session][flow][sys-58]") {
  const auto match = open_match(31);
  GameClient& client = match->add_client({.delay = 60ms});
  match->run(3s);
  Watch watch(client);
  faults().server_is_jammed = true;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{{}, {.is_held = true}});
  });
  match->run(1500ms);
  REQUIRE(watch.spawned.size() == 3);
  for (const auto& [id, count] : watch.spawned) {
    CHECK(watch.despawned[id] == 1);
    CHECK(client.get<Bolt>(id) == nullptr);
  }
  CHECK(client.metrics().spawns_confirmed == 0);
  CHECK(match->differences() == std::vector<std::string>{});
}

TEST_CASE("A bolt of a server system is matched by its features", "[session][flow][sys-58]") {
  Game game = make_game();
  const bool has_rule = GENERATE(true, false);
  if (has_rule) game.overrides = Overrides().match_spawn<same_bolt>();
  const auto match = open_match(41, game);
  faults().bolts_per_press = 1;
  GameClient& client = match->add_client({.delay = 60ms});
  match->run(3s);
  Watch watch(client);
  faults().server_fires_late = true;
  int frame = 0;
  fire_often(*match, frame, {{&client, &watch}});
  match->run(3s);
  CHECK(watch.spawned.size() >= 3);
  if (has_rule) {
    CHECK(client.metrics().spawns_confirmed >= 2);
    CHECK(watch.doubles == 0);
  } else {
    CHECK(client.metrics().spawns_confirmed == 0);
  }
}

TEST_CASE("A bolt is shown at the muzzle at first, and on its real path half a second later",
          "[session][flow][sys-59]") {
  const auto match = open_match(45);
  faults().bolts_per_press = 1;
  GameClient& client = match->add_client({.delay = 60ms});
  match->run(3s);
  EntityId bolt;
  client.on_spawn([&](EntityId id) {
    bolt = id;
    const Vec3 eye = client.get<Transform>(id)->position;
    client.show_from(id, eye + Vec3{0.4F, -0.2F, 0}, 300ms);
  });
  std::vector<float> sides;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{{}, {.is_held = true}});
    const Transform* const at = each.get<Transform>(bolt);
    if (at != nullptr && !bolt.is_null()) sides.push_back(at->position.x);
  });
  match->run(500ms);
  REQUIRE(sides.size() > 20);
  CHECK(sides.front() == Approx(0.4F).margin(0.001));
  for (std::size_t i = 1; i < sides.size(); ++i) CHECK(sides[i] <= sides[i - 1] + 0.001F);
  CHECK(sides[18] == Approx(0).margin(0.001));  // After 300 ms.
}

TEST_CASE("The other player sees each bolt once, at a later time than the server",
          "[session][flow]") {
  const auto match = open_match(51);
  GameClient& client = match->add_client({.delay = 40ms});
  GameClient& other = match->add_client({.delay = 40ms});
  match->run(2s);
  std::map<EntityId, int> seen;
  other.on_spawn([&](EntityId id) {
    if (other.get<Bolt>(id) != nullptr) ++seen[id];
  });
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    ++frame;
    const bool is_pressed = &each == &client && frame % 60 < 4;
    each.set_command(Trigger{{}, {.is_held = is_pressed}});
  });
  match->run(5s);
  CHECK(seen.size() >= 9);
  for (const auto& [id, count] : seen) CHECK(count == 1);
  CHECK(other.metrics().spawns_confirmed == 0);
}

void shoot_alone(SystemContext& ctx, EntityId self, Runner& runner, const Transform& at) {
  if (runner.score < 100 || !ctx.command<Trigger>(self).fire.is_pressed()) return;
  ctx.spawn("bolt", {.owner = ctx.owner(self)}, at,
            Bolt{.velocity = {0, 0, 20},
                 .seconds_left = 3,
                 .number = ++runner.score,
                 .shooter = ctx.reference(self)});
}

void shove_some(SystemContext& ctx) {
  Random random = ctx.random();
  ctx.each<const Runner, Transform>([&](const Runner& runner, Transform& at) {
    if (runner.score < 100 && random.below(400) == 0) at.position.z += 0.5F;
  });
}

TEST_CASE("A predicted spawn is kept when the states of the player's entities arrive one by one",
          "[session][flow][sys-58][sys-79]") {
  const auto seed = GENERATE(range(61U, 64U));
  CAPTURE(seed);
  faults() = {};
  Game game = make_game();
  game.systems = systems<walk, shoot_alone, fly>();
  game.server_systems = systems<shove_some>();
  auto opened =
      SimulatedMatch::open(game, build_folder(), {.seed = seed, .server = {.seed = seed}});
  REQUIRE(opened);
  const auto match = std::move(opened.value());
  GameServer& server = match->server();
  server.on_join([&](PlayerId player) {
    for (int i = 0; i < 60; ++i) {
      const EntityId runner = server.spawn("runner", {.owner = player});
      if (i == 0) server.edit<Runner>(runner)->score = 100;
    }
  });
  GameClient& client = match->add_client({.delay = 60ms});
  match->edges().set_links("client1", {.delay = 60ms}, {.delay = 60ms, .bytes_per_second = 8'000});
  match->run(5s);
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    ++frame;
    const float direction = frame % 60 < 30 ? 1.0F : -1.0F;
    each.set_command(Trigger{{direction, 0, direction / 2}, {.is_held = frame % 20 < 4}});
  });
  match->run(20s);
  CHECK(server.players().front().changes_deferred > 1'000);
  CHECK(client.metrics().corrections > 50);
  CHECK(client.metrics().spawns_confirmed > 45);
  CHECK(client.metrics().spawns_undone == 0);
}

}  // namespace
}  // namespace muster
