// Effects and sounds of predicted systems: each plays once on every client, even after replays and
// lost packets.
#include <chrono>
#include <map>

#include <catch2/catch.hpp>

#include "tests/support/volley_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace volley_game;  // NOLINT(google-build-using-namespace): the game of these tests
using session_game::Chat;
using session_game::chat;

/// The numbers of effects that the server's systems have caused, by the runner's network id.
struct Truth {
  std::map<std::int32_t, int> flashes;
  std::map<std::int32_t, int> bangs;
  std::map<std::int32_t, int> steps;
};
Truth& truth() {
  static Truth all;
  return all;
}

void flash(SystemContext& ctx, EntityId self, Runner& runner, const Transform& at) {
  if (!ctx.command<Trigger>(self).fire.is_pressed()) return;
  ++runner.score;
  const std::int32_t id = ctx.reference(self).network_id;
  ctx.play("flash", {.position = at.position});
  ctx.emit(chat("bang", id % 100), at.position);
  if (!ctx.is_server()) return;
  ++truth().flashes[id];
  ++truth().bangs[id % 100];
}

/// Plays a footstep at each whole metre.
void step(SystemContext& ctx, EntityId self, Runner& runner, Transform& at) {
  const float before = at.position.x;
  runner.velocity = ctx.command<Trigger>(self).direction;
  at.position = at.position + runner.velocity * (4 * ctx.seconds());
  if (std::floor(before) == std::floor(at.position.x)) return;
  ctx.play("step", {.position = at.position});
  if (ctx.is_server()) ++truth().steps[ctx.reference(self).network_id];
}

/// Pushes runners at random ticks, which no client can predict.
void push(SystemContext& ctx, EntityId self, const Runner&, Transform& at) {
  Random random = ctx.random(self);
  if (random.below(20) == 0) at.position.x += 0.4F;
}

struct ReceivedEvents {
  explicit ReceivedEvents(GameClient& game_client) : client(game_client) {
    client.on_effect([this](const PlayedEffect& effect) {
      const std::int32_t id = client.reference(effect.cause).network_id;
      ++effects[std::string(effect.effect.name())][id];
      late += effect.is_late ? 1 : 0;
    });
    client.on_message<Chat>([this](const Chat& received) { ++bangs[received.number]; });
    client.on_undone([this](EntityId cause) { ++undone[client.reference(cause).network_id]; });
  }
  GameClient& client;
  std::map<std::string, std::map<std::int32_t, int>> effects;
  std::map<std::int32_t, int> bangs;
  std::map<std::int32_t, int> undone;
  int late = 0;
};

struct Stage {
  Stage(std::uint64_t seed, const Game& game, const Link& link) : match(open_match(seed, game)) {
    truth() = {};
    first.emplace(match->add_client(link));
    second.emplace(match->add_client(link));
    // Only playing clients receive events, and a bad link may delay the start of a client.
    const auto is_playing = [](const ReceivedEvents& received) {
      return received.client.state() == GameClientState::playing;
    };
    for (int i = 0; i < 40 && !(is_playing(*first) && is_playing(*second)); ++i) match->run(250ms);
    match->run(1s);
  }
  std::unique_ptr<SimulatedMatch> match;
  std::optional<ReceivedEvents> first;
  std::optional<ReceivedEvents> second;
};

constexpr Link kRough{.delay = 70ms, .jitter = 25ms, .loss = 0.08};

TEST_CASE("Each shot flashes and sounds once on every client, despite replays and losses",
          "[session][flow][sys-56]") {
  const auto seed = GENERATE(range(41U, 61U));
  CAPTURE(seed);
  Game game = make_game();
  game.systems = systems<walk, flash>();
  game.server_systems = systems<push>();
  Stage stage(seed, game, kRough);
  int frame = 0;
  stage.match->on_client_frame([&](GameClient& client, Tick) {
    const bool is_held = ++frame / 2 % 9 < 3;
    client.set_command(Trigger{{0.3F, 0, 0}, {.is_held = is_held}});
  });
  stage.match->run(12s);
  stage.match->on_client_frame([](GameClient& client, Tick) { client.set_command(Trigger{}); });
  stage.match->run(3s);
  int shots = 0;
  for (const auto& [id, count] : truth().flashes) {
    shots += count;
    for (ReceivedEvents* const received : {&*stage.first, &*stage.second}) {
      // A command that arrives too late runs with a later command. The effect then plays later, and
      // the predicted flash and sound are undone.
      const int undone = received->undone[id];
      CHECK(2 * received->effects["flash"][id] - undone == 2 * count);
      CHECK(2 * received->bangs[id % 100] - undone == 2 * truth().bangs[id % 100]);
      CHECK(undone <= 12);
    }
  }
  CHECK(shots > 100);
  for (ReceivedEvents* const received : {&*stage.first, &*stage.second}) {
    const GameClientMetrics metrics = received->client.metrics();
    CHECK(metrics.replayed_ticks > 50);
    CHECK(metrics.effects_repeated > 50);
    CHECK(metrics.effects_predicted > 50);
  }
}

TEST_CASE("An effect that a replay adds plays late, and an effect that a replay removes is undone",
          "[session][flow][sys-56]") {
  const auto seed = GENERATE(range(71U, 91U));
  CAPTURE(seed);
  Game game = make_game();
  game.systems = systems<step>();
  game.server_systems = systems<push>();
  Stage stage(seed, game, kRough);
  stage.match->on_client_frame([](GameClient& client, Tick) {
    client.set_command(Trigger{{0.8F, 0, 0}, {}});
  });
  stage.match->run(12s);
  stage.match->on_client_frame([](GameClient& client, Tick) { client.set_command(Trigger{}); });
  stage.match->run(3s);
  REQUIRE(truth().steps.size() == 2);
  int late = 0;
  int undone = 0;
  for (ReceivedEvents* const received : {&*stage.first, &*stage.second}) {
    late += received->late;
    for (const auto& [id, count] : truth().steps) {
      CHECK(count > 20);
      CHECK(received->effects["step"][id] - received->undone[id] == count);
      undone += received->undone[id];
    }
    const GameClientMetrics metrics = received->client.metrics();
    CHECK(metrics.effects_late + metrics.effects_unforeseen >= 1);
  }
  CHECK(late > 0);
  CHECK(undone > 0);
}

TEST_CASE("An effect plays at the press for its player, and at the shown tick for other players",
          "[session][flow]") {
  Game game = make_game();
  game.systems = systems<flash>();
  game.server_systems = {};
  Stage stage(81, game, {.delay = 100ms});
  stage.match->on_client_frame([&](GameClient& client, Tick) {
    const bool is_first = &client == &stage.first->client;
    client.set_command(Trigger{{}, {.is_held = is_first}});
  });
  stage.match->run(70ms);
  CHECK(stage.first->effects["flash"].size() == 1);
  CHECK(stage.first->bangs.size() == 1);
  CHECK(stage.second->effects["flash"].empty());
  stage.match->run(500ms);
  REQUIRE(stage.second->effects["flash"].size() == 1);
  CHECK(stage.second->effects["flash"].begin()->second == 1);
  CHECK(stage.second->late == 0);
}

TEST_CASE("An effect of the server plays for players near it", "[session][flow]") {
  Game game = make_game();
  game.systems = systems<flash>();
  game.server_systems = {};
  Stage stage(82, game, {.delay = 30ms});
  stage.match->server().set_view(stage.second->client.player(), {500, 0, 0});
  stage.match->server().play("thunder", {.position = {0, 0, 1}, .metres = 100});
  stage.match->run(1s);
  CHECK(stage.first->effects["thunder"].size() == 1);
  CHECK(stage.second->effects["thunder"].empty());
}

}  // namespace
}  // namespace muster
