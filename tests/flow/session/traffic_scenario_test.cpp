// Problems with many entities, many players and large numbers that users of other systems reported.
// tests/README.md, "Scenarios of synchronisation", explains the numbers.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>

#include <catch2/catch.hpp>

#include "runtime/session/game_server_impl.h"
#include "runtime/session/session_access.h"
#include "tests/support/volley_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace volley_game;  // NOLINT(google-build-using-namespace): the game of these tests

Game game_of(const Systems& shared) {
  Game game = make_game();
  game.systems = shared;
  game.server_systems = {};
  return game;
}

void spawn_crowd(GameServer& server, int count) {
  for (int i = 0; i < count; ++i) {
    const EntityId one = server.spawn("bolt", {}, Transform{.position = {0, 0, 50}});
    server.edit<Bolt>(one)->velocity = {1, 0.1F * static_cast<float>(i % 7), 0};
    server.edit<Bolt>(one)->seconds_left = 1000;
  }
}

void keep_apart(SystemContext& ctx, EntityId self, const Runner&, Transform& at) {
  ctx.each_known<const Runner, const Transform>(
      [&](EntityId other, const Runner&, const Transform& there) {
        const Vec3 offset = at.position - there.position;
        const float distance = length(offset);
        if (other == self || distance > 1) return;
        at.position.x += (offset.x < 0 ? -1.0F : 1.0F) * (1 - distance) * 0.3F;
      });
}

TEST_CASE("After a collision of two players, no error remains [S8]", "[session][flow][sys-79]") {
  const auto match = open_match(701, game_of(systems<walk, keep_apart>()));
  const Link link{.delay = 60ms, .jitter = 10ms};
  GameClient& left = match->add_client(link);
  GameClient& right = match->add_client(link);
  match->run(3s);
  match->server().edit<Transform>(match->server().owned(left.player(), "runner"))->position.x = -3;
  match->run(1s);
  float direction = 1;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{{&each == &left ? direction : -direction, 0, 0}, {}});
  });
  match->run(3s);
  const std::uint64_t collided = left.metrics().corrections + right.metrics().corrections;
  CHECK(collided > 2);  // Each client predicts with an old state of the other player's entity.
  direction = -1;
  match->run(2s);
  const std::uint64_t apart = left.metrics().corrections + right.metrics().corrections;
  match->run(3s);
  CHECK(left.metrics().corrections + right.metrics().corrections == apart);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  match->run(2s);
  CHECK(left.get<Transform>(own_runner(left))->position.x ==
        Approx(left.confirmed<Transform>(own_runner(left))->position.x).margin(0.02));
  CHECK(match->differences().empty());
}

TEST_CASE("A client that sends nothing does not disturb other clients [S33]",
          "[session][flow][sys-50]") {
  const auto match = open_match(702, game_of(systems<walk>()));
  const Link link{.delay = 40ms, .jitter = 5ms};
  GameClient& first = match->add_client(link);
  GameClient& second = match->add_client(link);
  GameClient& silent = match->add_client(link);
  match->on_client_frame([&](GameClient& each, Tick) {
    if (&each != &silent) each.set_command(Trigger{{1, 0, 0}, {}});
  });
  match->run(4s);
  const std::uint64_t starved = first.metrics().starved_ticks + second.metrics().starved_ticks;
  const std::uint64_t corrected = first.metrics().corrections + second.metrics().corrections;
  match->set_link(silent, {.is_down = true});
  match->run(12s);
  CHECK(first.metrics().corrections + second.metrics().corrections <= corrected + 1);
  CHECK(first.metrics().starved_ticks + second.metrics().starved_ticks <= starved + 2);
  CHECK(first.metrics().predicted_ticks > 400);
}

TEST_CASE("With a world of many packets a released key stops within a tick [S34]",
          "[session][flow][sys-77]") {
  const auto match = open_match(703, game_of(systems<walk, fly>()));
  spawn_crowd(match->server(), 400);
  GameClient& client = match->add_client({.delay = 50ms, .bytes_per_second = 100'000});
  bool is_held = true;
  match->on_client_frame([&](GameClient& each, Tick) {
    each.set_command(Trigger{{is_held ? 1.0F : 0.0F, 0, 0}, {}});
  });
  match->run(10s);
  REQUIRE(client.get<Transform>(own_runner(client)) != nullptr);
  const float released = client.get<Transform>(own_runner(client))->position.x;
  is_held = false;
  match->run(3s);
  const float stopped = client.get<Transform>(own_runner(client))->position.x;
  CHECK(stopped - released >= 0);
  CHECK(stopped - released < 1.5F / 30);
  CHECK(client.metrics().corrections == 0);
  CHECK(match->server().players().front().snapshot_bytes > 20 * 1200);
}

TEST_CASE(
    "Clients have the server's world for any number of entities that nearly fill a packet [S45]",
    "[session][flow][sys-46]") {
  const auto match = open_match(704, game_of(systems<walk, fly>()));
  GameClient& client = match->add_client({.delay = 30ms, .loss = 0.02});
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  match->run(1s);
  for (int count = 1; count <= 90; ++count) {
    spawn_crowd(match->server(), 1);
    match->run(300ms);
    if (count % 15 == 0) CHECK(match->differences(1s).empty());
  }
  int shown = 0;
  client.each<const Bolt>([&](EntityId, const Bolt&) { ++shown; });
  CHECK(shown == 90);
}

TEST_CASE("A session continues when numbers of 16 and 31 bits wrap [P3]",
          "[session][flow][sys-50][sys-52]") {
  const auto first = GENERATE(65'536U - 60U, 0x8000'0000U - 60U);
  CAPTURE(first);
  const auto match = open_match(705, game_of(systems<walk, fire, fly>()));
  SessionAccess::members(match->server()).simulation.begin_at(Tick(first));
  GameClient& client = match->add_client({.delay = 40ms, .jitter = 10ms, .loss = 0.05});
  std::map<EntityId, int> spawned;
  client.on_spawn([&](EntityId id) {
    if (client.get<Bolt>(id) != nullptr) ++spawned[id];
  });
  match->on_client_frame([frame = 0](GameClient& each, Tick) mutable {
    each.set_command(Trigger{{0.3F, 0, 0}, {.is_held = ++frame % 20 < 3}});
  });
  match->run(12s);
  CHECK(match->server().tick() > Tick(first + 300));
  CHECK(client.metrics().confirmed_tick > Tick(first + 300));
  CHECK(client.metrics().predicted_ticks > 250);
  CHECK(client.metrics().spawns_confirmed > 30);
  CHECK(client.metrics().clock_jumps <= 2);
  for (const auto& [id, count] : spawned) CHECK(count == 1);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  CHECK(match->differences().empty());
}

TEST_CASE("A bolt of a late command has the same age on client and server [S30]",
          "[session][flow][sys-58]") {
  Game game = game_of(systems<walk, fire, fly>());
  const auto match = open_match(706, game);
  faults().bolts_per_press = 1;
  GameClient& client = match->add_client({.delay = 50ms, .jitter = 30ms, .loss = 0.25});
  std::map<std::pair<std::int32_t, std::uint32_t>, float> ages;  // The ages at the server.
  int compared = 0;
  int different = 0;
  match->on_client_frame([&, frame = 0](GameClient& each, Tick) mutable {
    each.set_command(Trigger{{}, {.is_held = ++frame % 12 < 3}});
    GameServer& server = match->server();
    server.each<const Bolt>([&](EntityId id, const Bolt& bolt) {
      ages[{server.reference(id).network_id, server.tick().value()}] = bolt.seconds_left;
    });
    each.each<const Bolt>([&](EntityId id, const Bolt&) {
      const Bolt* const confirmed = each.confirmed<Bolt>(id);
      const auto known =
          ages.find({each.reference(id).network_id, each.metrics().confirmed_tick.value()});
      if (confirmed == nullptr || known == ages.end()) return;
      ++compared;
      if (std::abs(confirmed->seconds_left - known->second) > 0.01F) ++different;
    });
  });
  match->run(15s);
  CHECK(compared > 300);
  CHECK(different == 0);
  CHECK(client.metrics().starved_ticks > 5);  // Some commands were late.
}

}  // namespace
}  // namespace muster
