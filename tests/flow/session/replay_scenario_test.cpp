// Problems with replays that users of other systems reported. tests/README.md, "Scenarios of
// synchronisation", explains the numbers.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/session/game_client_impl.h"
#include "runtime/session/session_access.h"
#include "tests/support/volley_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace volley_game;  // NOLINT(google-build-using-namespace): the game of these tests

constexpr Link kFar{.delay = 80ms};
constexpr Link kRough{.delay = 60ms, .jitter = 20ms, .loss = 0.05};

Game game_of(const Systems& shared, const Systems& server = {}) {
  Game game = make_game();
  game.systems = shared;
  game.server_systems = server;
  return game;
}

/// Adds a client that replays its commands with every state of the server.
GameClient& add_replaying_client(SimulatedMatch& match, const Link& link) {
  GameClient& client = match.add_client(link);
  SessionAccess::members(client).rules.replays_all = true;
  return client;
}

/// Records the bolts that a client shows over time.
struct SeenBolts {
  explicit SeenBolts(GameClient& client) {
    client.on_spawn([this, &client](EntityId id) {
      if (client.get<Bolt>(id) != nullptr) ++spawned[id];
    });
    client.on_despawn([this](EntityId id) {
      if (spawned.contains(id)) ++despawned[id];
    });
  }
  bool is_each_once() const {
    return std::ranges::all_of(spawned, [](const auto& one) { return one.second == 1; }) &&
           std::ranges::all_of(despawned, [](const auto& one) { return one.second == 1; });
  }
  std::map<EntityId, int> spawned;
  std::map<EntityId, int> despawned;
};

void fire_now_and_then(SimulatedMatch& match, int every = 12) {
  match.on_client_frame([every, frame = 0](GameClient& each, Tick) mutable {
    each.set_command(
        Trigger{{frame % 90 < 45 ? 1.0F : -1.0F, 0, 0}, {.is_held = ++frame % every < 3}});
  });
}
void stop_input(SimulatedMatch& match) {
  match.on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
}

int& missing_shooters() {
  static int count = 0;
  return count;
}
void follow_shooter(SystemContext& ctx, EntityId, const Bolt& bolt, Transform& at) {
  const Transform* const shooter = ctx.get<Transform>(ctx.find(bolt.shooter));
  if (shooter == nullptr) {
    if (!ctx.is_server()) ++missing_shooters();
    return;
  }
  at.position.x += 0.1F * (shooter->position.x - at.position.x);
}

TEST_CASE("A reference in a predicted component names the local entity, even in replays [S9]",
          "[session][flow][sys-85]") {
  missing_shooters() = 0;
  const auto match = open_match(501, game_of(systems<walk, fire, fly, follow_shooter>()));
  GameClient& client = add_replaying_client(*match, kFar);
  const SeenBolts bolts(client);
  fire_now_and_then(*match);
  for (int i = 0; i < 60; ++i) {
    match->run(100ms);
    client.each<const Bolt>([&](EntityId, const Bolt& bolt) {
      CHECK(client.find(bolt.shooter) == own_runner(client));
    });
  }
  CHECK(bolts.spawned.size() > 40);
  CHECK(missing_shooters() == 0);
  stop_input(*match);
  CHECK(match->differences().empty());
}

void grow(SystemContext& ctx, EntityId self, const Runner&) {
  if (!ctx.command<Trigger>(self).fire.is_pressed()) return;
  if (!ctx.is_server()) ctx.add<Bolt>(self);
}

TEST_CASE("A wrong prediction does not add a component [S10]", "[session][flow][sys-77]") {
  const auto match = open_match(502, game_of(systems<walk, grow>()));
  GameClient& client = match->add_client(kFar);
  fire_now_and_then(*match);
  for (int i = 0; i < 40; ++i) {
    match->run(100ms);
    CHECK(client.get<Bolt>(own_runner(client)) == nullptr);
    CHECK(client.confirmed<Bolt>(own_runner(client)) == nullptr);
  }
  CHECK(client.metrics().predicted_ticks > 60);
}

/// Despawns the runner's first existing bolt.
void detonate(SystemContext& ctx, EntityId self, Runner& runner) {
  EntityId first;
  std::int32_t lowest = 1 << 30;
  std::int32_t count = 0;
  ctx.each_known<const Bolt>([&](EntityId id, const Bolt& bolt) {
    if (ctx.owner(id) != ctx.owner(self) || ctx.is_despawning(id)) return;
    ++count;
    if (bolt.number >= lowest) return;
    lowest = bolt.number;
    first = id;
  });
  runner.secret = count;
  if (count > 4) ctx.despawn(first);
}

TEST_CASE("Spawns and despawns are the same in each replay, from any tick on [S11, P20, P21]",
          "[session][flow][sys-79][sys-85]") {
  Game game = game_of(systems<walk, fire, detonate, fly>());
  game.sync.snapshots_per_second = 30;  // Each tick causes a replay.
  const auto match = open_match(503, game);
  faults().bolts_per_press = 2;
  GameClient& client = add_replaying_client(*match, kFar);
  const SeenBolts bolts(client);
  fire_now_and_then(*match);
  match->run(8s);
  CHECK(bolts.spawned.size() > 60);
  CHECK(client.metrics().replayed_ticks > 1000);
  CHECK(client.metrics().corrections == 0);
  CHECK(client.metrics().spawns_undone == 0);
  stop_input(*match);
  match->run(2s);
  CHECK(bolts.is_each_once());
  CHECK(bolts.despawned.size() == bolts.spawned.size());
  CHECK(match->differences().empty());
}

TEST_CASE("A client replays no commands when more of them are unconfirmed than the game allows",
          "[session][flow][sys-80]") {
  Game game = game_of(systems<walk>());
  game.sync.replayed_ticks_max = GENERATE(as<std::uint16_t>(), 3, 63);
  const auto match = open_match(505, game);
  GameClient& client = add_replaying_client(*match, kFar);
  match->run(4s);
  CAPTURE(game.sync.replayed_ticks_max);
  CHECK((client.metrics().replayed_ticks > 100) == (game.sync.replayed_ticks_max == 63));
  CHECK((client.metrics().replayed_ticks == 0) == (game.sync.replayed_ticks_max == 3));
  CHECK(match->differences().empty());
}

bool& has_wall() {
  static bool is_there = false;
  return is_there;
}
void stop_at_wall(SystemContext& ctx, EntityId self, const Bolt&, const Transform& at) {
  if (!ctx.is_server() && has_wall() && at.position.z > 2) ctx.despawn(self);
}
void fire_long(SystemContext& ctx, EntityId self, Runner& runner, const Transform& at) {
  if (!ctx.command<Trigger>(self).fire.is_pressed()) return;
  ++runner.score;
  ctx.spawn("bolt", {.owner = ctx.owner(self)}, at,
            Bolt{.velocity = {0, 0, 2}, .seconds_left = 30, .number = runner.score % 1000});
}

TEST_CASE("An entity that a client despawned by mistake returns with its id and values [S16]",
          "[session][flow][sys-79]") {
  has_wall() = false;
  const auto match = open_match(504, game_of(systems<walk, fire_long, fly, stop_at_wall>()));
  GameClient& client = match->add_client(kFar);
  const SeenBolts bolts(client);
  match->run(2s);
  match->on_client_frame([frame = 0](GameClient& each, Tick) mutable {
    each.set_command(Trigger{{}, {.is_held = ++frame < 3}});
  });
  match->run(800ms);
  REQUIRE(bolts.spawned.size() == 1);
  const EntityId bolt = bolts.spawned.begin()->first;
  const std::int32_t number = client.get<Bolt>(bolt)->number;
  has_wall() = true;
  bool was_hidden = false;
  for (int i = 0; i < 60 && !was_hidden; ++i) {
    match->run(50ms);
    was_hidden = client.get<Bolt>(bolt) == nullptr;
  }
  has_wall() = false;
  CHECK(was_hidden);
  match->run(3s);
  REQUIRE(client.get<Bolt>(bolt) != nullptr);
  CHECK(client.get<Bolt>(bolt)->number == number);
  CHECK(bolts.despawned.empty());
  CHECK(match->differences().empty());
}

std::map<std::uint32_t, std::vector<EntityId>>& visited() {
  static std::map<std::uint32_t, std::vector<EntityId>> all;
  return all;
}
int& changed_orders() {
  static int count = 0;
  return count;
}
void note_order(SystemContext& ctx) {
  if (ctx.is_server()) return;
  std::vector<EntityId> now;
  ctx.each<Bolt>([&](EntityId id, Bolt&) { now.push_back(id); });
  std::vector<EntityId>& before = visited()[ctx.tick().value()];
  std::vector<EntityId> both_before;
  std::vector<EntityId> both_now;
  for (const EntityId id : before) {
    if (std::ranges::find(now, id) != now.end()) both_before.push_back(id);
  }
  for (const EntityId id : now) {
    if (std::ranges::find(before, id) != before.end()) both_now.push_back(id);
  }
  if (both_before != both_now) ++changed_orders();
  before = now;
}

TEST_CASE("A replay visits entities in the order of the first run, even after despawns [S17]",
          "[session][flow][sys-79]") {
  visited().clear();
  changed_orders() = 0;
  const auto match = open_match(505, game_of(systems<walk, fire, fly, note_order>()));
  GameClient& client = add_replaying_client(*match, kRough);
  fire_now_and_then(*match);
  match->run(6s);
  CHECK(client.metrics().replayed_ticks > 500);
  CHECK(visited().size() > 100);
  CHECK(changed_orders() == 0);
}

void enter(SystemContext& ctx, EntityId self, Runner& runner, const Transform& at) {
  const bool is_inside = at.position.x > 0.315F;
  if (is_inside == (runner.secret != 0)) return;
  runner.secret = is_inside ? 1 : 0;
  if (!is_inside) return;
  ++runner.score;
  ctx.emit(session_game::Chat{}, at.position, self);
}

TEST_CASE("Entering an area has its effect once, even if its tick is replayed [S42, P18]",
          "[session][flow][sys-56]") {
  const auto match = open_match(506, game_of(systems<walk, enter>()));
  GameClient& client = add_replaying_client(*match, kFar);
  int received = 0;
  client.on_message<session_game::Chat>([&](const session_game::Chat&) { ++received; });
  match->run(2s);
  const int before = client.confirmed<Runner>(own_runner(client))->score;
  match->on_client_frame([frame = 0](GameClient& each, Tick) mutable {
    each.set_command(Trigger{{frame++ % 120 < 60 ? 1.0F : -1.0F, 0, 0}, {}});
  });
  match->run(20s);
  stop_input(*match);
  match->run(2s);
  const int entered = client.confirmed<Runner>(own_runner(client))->score - before;
  CHECK(entered > 7);
  CHECK(received == entered);
  CHECK(client.metrics().replayed_ticks > 1000);
}

TEST_CASE("A predicted bolt becomes the server's bolt without a jump [S46]",
          "[session][flow][sys-58][sys-59]") {
  const auto match = open_match(507, game_of(systems<walk, fire_long, fly>()));
  GameClient& client = match->add_client({.delay = 70ms, .jitter = 10ms});
  std::map<EntityId, float> last;
  float step_max = 0;
  float step_min = 1;
  match->on_client_frame([&, frame = 0](GameClient& each, Tick) mutable {
    each.set_command(Trigger{{}, {.is_held = ++frame % 40 < 3}});
    each.each<const Bolt, const Transform>([&](EntityId id, const Bolt&, const Transform& at) {
      const auto [known, is_new] = last.try_emplace(id, at.position.z);
      if (!is_new) step_max = std::max(step_max, at.position.z - known->second);
      if (!is_new) step_min = std::min(step_min, at.position.z - known->second);
      known->second = at.position.z;
    });
  });
  match->run(8s);
  CHECK(last.size() > 8);
  CHECK(client.metrics().spawns_confirmed > 8);
  CHECK(step_max < 1.6F * 2 / 60);
  CHECK(step_min > -0.001F);
}

void charge(SystemContext& ctx, EntityId self, Runner& runner) {
  if (ctx.command<Trigger>(self).fire.is_held) {
    ++runner.secret;
  } else {
    runner.score = (runner.score + runner.secret) % 1000;
    runner.secret = 0;
  }
}
void shove(SystemContext& ctx) {
  if (ctx.tick().value() % 25 != 0) return;
  ctx.each<Runner, Transform>([](Runner&, Transform& at) { at.position.z += 0.5F; });
}

TEST_CASE("A correction sets each field of a state once [S52]", "[session][flow][sys-79]") {
  const auto match = open_match(508, game_of(systems<walk, charge>(), systems<shove>()));
  GameClient& client = match->add_client(kRough);
  match->on_client_frame([frame = 0](GameClient& each, Tick) mutable {
    each.set_command(Trigger{{0.2F, 0, 0}, {.is_held = ++frame % 50 < 30}});
  });
  match->run(10s);
  CHECK(client.metrics().corrections > 5);
  stop_input(*match);
  CHECK(match->differences().empty());
  const EntityId own = own_runner(client);
  CHECK(client.get<Runner>(own)->score == client.confirmed<Runner>(own)->score);
  CHECK(client.get<Runner>(own)->score > 50);
}

void cull(SystemContext& ctx) {
  ctx.each<Bolt, const Transform>([&](EntityId id, Bolt&, const Transform& at) {
    if (at.position.z > 1) ctx.despawn(id);
  });
}

TEST_CASE("A bolt that only the server ends also ends at the client [S62]",
          "[session][flow][sys-58]") {
  const auto match = open_match(509, game_of(systems<walk, fire_long, fly>(), systems<cull>()));
  GameClient& client = match->add_client(kRough);
  const SeenBolts bolts(client);
  fire_now_and_then(*match, 20);
  match->run(6s);
  stop_input(*match);
  match->run(3s);
  CHECK(bolts.spawned.size() > 10);
  CHECK(bolts.is_each_once());
  CHECK(bolts.despawned.size() == bolts.spawned.size());
  CHECK(match->differences().empty());
}

void fire_or_jam(SystemContext& ctx, EntityId self, Runner& runner, const Transform& at) {
  if (!ctx.command<Trigger>(self).fire.is_pressed()) return;
  if (ctx.is_server() && faults().server_is_jammed) return;
  ++runner.score;
  ctx.spawn("bolt", {.owner = ctx.owner(self)}, at,
            Bolt{.velocity = {0, 0, 2}, .seconds_left = 2, .number = runner.score % 1000});
}

TEST_CASE("The ids of refused spawns are not given to other entities [S64]",
          "[session][flow][sys-85]") {
  const auto match = open_match(510, game_of(systems<walk, fire_or_jam, fly>()));
  GameClient& client = match->add_client(kFar);
  const SeenBolts bolts(client);
  int frame = 0;
  match->on_client_frame([&](GameClient& each, Tick) {
    faults().server_is_jammed = ++frame / 60 % 2 == 1;
    each.set_command(Trigger{{}, {.is_held = frame % 15 < 3}});
  });
  match->run(12s);
  CHECK(client.metrics().spawns_undone > 15);
  CHECK(client.metrics().spawns_confirmed > 15);
  stop_input(*match);
  match->run(4s);
  CHECK(bolts.is_each_once());
  CHECK(bolts.despawned.size() == bolts.spawned.size());
  CHECK(match->differences().empty());
}

void wobble(SystemContext&, EntityId, Runner&, Transform& at) {
  static int calls = 0;
  at.position.z += 0.05F * static_cast<float>(++calls % 3);
}

TEST_CASE("A misprediction report names a system that keeps hidden state [P19]",
          "[session][flow][sys-57]") {
  const auto match = open_match(511, game_of(systems<walk, wobble>()));
  GameClient& client = match->add_client(kFar);
  stop_input(*match);
  match->run(5s);
  REQUIRE(client.misprediction_count() > 5);
  std::size_t named = 0;
  for (std::size_t i = 0; i < client.misprediction_count(); ++i) {
    const Misprediction& one = client.misprediction(i);
    CHECK(one.component == "Transform");
    CHECK(one.field == "position");
    if (one.system == "wobble") ++named;
  }
  CHECK(named > client.misprediction_count() / 2);
}

void spring(SystemContext& ctx, EntityId self, Runner& runner, Transform& at) {
  const Vec3 pull = ctx.command<Trigger>(self).direction * 8 + at.position * -30;
  runner.velocity = (runner.velocity + pull * ctx.seconds()) * 0.97F;
  at.position = at.position + runner.velocity * ctx.seconds();
}

TEST_CASE("A predicted spring moves like the server's spring [S47]", "[session][flow][sys-77]") {
  const auto match = open_match(512, game_of(systems<spring>()));
  GameClient& client = match->add_client({.delay = 50ms});
  float reach = 0;
  match->on_client_frame([&, frame = 0](GameClient& each, Tick) mutable {
    each.set_command(Trigger{{frame++ % 60 < 30 ? 1.0F : -1.0F, 0, 0}, {}});
    if (const Transform* const at = each.get<Transform>(own_runner(each))) {
      reach = std::max(reach, std::abs(at->position.x));
    }
  });
  match->run(4s);
  const std::uint64_t corrections = client.metrics().corrections;
  match->run(10s);
  CHECK(reach > 0.2F);
  CHECK(client.metrics().corrections == corrections);
  CHECK(match->differences().empty());
}

}  // namespace
}  // namespace muster
