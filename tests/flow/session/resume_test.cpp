// Connections that are lost for longer than their timeout, and then resume.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "runtime/session/session_access.h"
#include "tests/support/volley_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using session_game::Chat;
using namespace volley_game;  // NOLINT(google-build-using-namespace): the game of these tests

struct Seen {
  int joins = 0;
  int leaves = 0;
  std::string reason;
};

std::unique_ptr<SimulatedMatch> open_counted(Seen& seen, std::uint64_t seed, const Game& game) {
  auto match = open_match(seed, game);
  GameServer& server = match->server();
  server.on_join([&](PlayerId player) {
    ++seen.joins;
    server.spawn("runner", {.owner = player});
  });
  server.on_leave([&](PlayerId, std::string_view reason) {
    ++seen.leaves;
    seen.reason = std::string(reason);
  });
  return match;
}

void count_presses(SystemContext& ctx, EntityId self, Runner& runner) {
  runner.score = (runner.score + ctx.command<Trigger>(self).fire.press_count) % 1000;
}

Game counting_game() {
  Game game = make_game();
  game.systems = systems<walk, count_presses>();
  game.server_systems = {};
  return game;
}

TEST_CASE("After an outage of any length, a client continues as the same player [F23, P11]",
          "[session][flow][sys-80]") {
  const auto outage = GENERATE(1s, 5s, 14s, 18s, 25s, 40s);
  CAPTURE(outage.count());
  Seen seen;
  const Game game = counting_game();
  const auto match = open_counted(seen, 401, game);
  const Link link{.delay = 40ms, .jitter = 5ms};
  GameClient& client = match->add_client(link);
  GameClient& other = match->add_client({.delay = 20ms});
  int frame = 0;
  int pressed = 5;  // The initial score of the prefab.
  bool is_stopped = false;
  match->on_client_frame([&](GameClient& each, Tick) {
    if (&each != &client) return each.set_command(Trigger{});
    ++frame;
    const bool is_held = !is_stopped && frame % 40 < 3 && frame >= 40;
    if (is_held && frame % 40 == 0) ++pressed;
    each.set_command(Trigger{{is_stopped ? 0.0F : 0.5F, 0, 0}, {.is_held = is_held}});
  });
  match->run(4s);
  const PlayerId player = client.player();
  const EntityId owned = match->server().owned(player, "runner");
  const EntityReference reference = client.reference(own_runner(client));
  REQUIRE_FALSE(owned.is_null());

  match->set_link(client, {.is_down = true});
  match->run(outage);
  CHECK_FALSE(client.is_over());
  CHECK(match->server().players().size() == 2);
  CHECK(match->server().owned(player, "runner") == owned);
  CHECK_FALSE(own_runner(client).is_null());  // The runner is still shown.
  match->set_link(client, link);
  match->run(12s);

  CHECK(client.state() == GameClientState::playing);
  CHECK(client.metrics().resumes == (outage > 15s ? 1 : 0));
  CHECK(client.player() == player);
  CHECK(match->server().owned(player, "runner") == owned);
  CHECK(client.reference(own_runner(client)) == reference);
  CHECK(client.is_predicted(own_runner(client)));
  CHECK(seen.joins == 2);
  CHECK(seen.leaves == 0);
  is_stopped = true;
  match->run(2s);
  CHECK(pressed > 20);
  CHECK(match->server().get<Runner>(owned)->score == pressed);
  CHECK(other.metrics().resumes == 0);
  CHECK(match->differences().empty());
}

/// Sends numbered messages in both directions, and checks them.
struct Correspondence {
  Correspondence(SimulatedMatch& played, GameClient& of) : match(played), client(of) {
    const auto number_in = [](const Chat& each) {
      return std::stoi(std::string(each.text.view()));
    };
    match.server().on_message<Chat>(
        [this, number_in](PlayerId, const Chat& chat) { to_server.push_back(number_in(chat)); });
    client.on_message<Chat>(
        [this, number_in](const Chat& chat) { to_client.push_back(number_in(chat)); });
    const auto count_dropped = [this](const Problem& problem) {
      if (problem.kind == ProblemKind::dropped) dropped += problem.count;
    };
    match.server().on_problem(count_dropped);
    client.on_problem(count_dropped);
    match.on_client_frame([this, frame = 0](GameClient& each, Tick) mutable {
      each.set_command(Trigger{});
      if (++frame % 4 != 0 || is_over || each.is_over()) return;
      ++sent;
      const Chat chat = session_game::chat(std::to_string(sent));
      REQUIRE(each.send(chat));
      REQUIRE(match.server().send(each.player(), chat));
    });
  }
  void check_once_and_in_order() const {
    CHECK(std::ranges::is_sorted(to_server));
    CHECK(std::ranges::is_sorted(to_client));
    CHECK(std::ranges::adjacent_find(to_server) == to_server.end());
    CHECK(std::ranges::adjacent_find(to_client) == to_client.end());
    // Each message either arrived or was reported as dropped.
    CHECK(to_server.size() + to_client.size() + dropped >= 2 * static_cast<std::size_t>(sent));
  }

  SimulatedMatch& match;
  GameClient& client;
  std::vector<int> to_server;
  std::vector<int> to_client;
  std::uint64_t dropped = 0;
  int sent = 0;
  bool is_over = false;
};

TEST_CASE("Each reliable message arrives once and in order, even when connections are lost",
          "[session][flow][sys-80]") {
  Seen seen;
  const Game game = counting_game();
  const auto match = open_counted(seen, 408, game);
  const Link link{.delay = 80ms, .jitter = 10ms, .loss = 0.05};
  GameClient& client = match->add_client(link);
  match->run(2s);
  Correspondence letters(*match, client);
  for (int i = 0; i < 3; ++i) {
    match->run(2s);
    match->set_link(client, {.is_down = true});
    match->run(17s);
    match->set_link(client, link);
    match->run(4s);
  }
  letters.is_over = true;
  match->run(12s);
  CHECK(client.metrics().resumes == 3);
  CHECK(letters.sent > 800);
  letters.check_once_and_in_order();
  CHECK(letters.dropped == 0);
  CHECK(letters.to_server.size() == static_cast<std::size_t>(letters.sent));
  CHECK(letters.to_client.size() == static_cast<std::size_t>(letters.sent));
  CHECK(match->differences().empty());
}

TEST_CASE("Lost connections and new maps neither duplicate a reliable message nor remove a player",
          "[session][flow][sys-80]") {
  const auto seed = GENERATE(range(1U, 17U));
  CAPTURE(seed);
  Seen seen;
  const Game game = counting_game();
  const auto match = open_counted(seen, 420 + seed, game);
  const Link link{.delay = 80ms, .jitter = 10ms, .loss = 0.05};
  GameClient& client = match->add_client(link);
  match->run(2s);
  Random random(seed);
  const auto run_up_to = [&](std::uint32_t ms_max) {
    match->run(std::chrono::milliseconds(random.below(ms_max)));
    if (random.below(3) == 0) REQUIRE(match->server().load_level("yard"));
  };
  Correspondence letters(*match, client);
  for (int i = 0; i < 6; ++i) {
    run_up_to(3'000);
    match->set_link(client, {.is_down = true});
    run_up_to(1'000);
    match->run(15s);
    run_up_to(1'000);
    match->set_link(client, link);
    run_up_to(2'000);  // The next loss sometimes occurs before the connection has resumed.
  }
  letters.is_over = true;
  match->run(30s);
  CHECK(client.metrics().resumes >= 3);
  CHECK(client.state() == GameClientState::playing);
  CHECK(seen.joins == 1);
  CHECK(seen.leaves == 0);
  letters.check_once_and_in_order();
}

TEST_CASE("A lost player leaves when the time to reconnect is over", "[session][flow][sys-80]") {
  Seen seen;
  const Game game = counting_game();
  const auto match = open_counted(seen, 402, game);
  GameClient& client = match->add_client({.delay = 40ms});
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{{1, 0, 0}, {}}); });
  match->run(3s);
  const PlayerId player = client.player();
  match->set_link(client, {.is_down = true});
  match->run(30s);
  CHECK(seen.leaves == 0);
  REQUIRE(match->server().players().size() == 1);
  CHECK(match->server().players().front().is_interrupted);
  const EntityId owned = match->server().owned(player, "runner");
  const float stopped = match->server().get<Transform>(owned)->position.x;
  match->run(2s);
  // The runner gets no commands, so its stick counts as released.
  CHECK(match->server().get<Transform>(owned)->position.x == Approx(stopped));
  match->run(20s);
  CHECK(seen.leaves == 1);
  CHECK(match->server().players().empty());
  CHECK(match->server().owned(player, "runner").is_null());
  CHECK(client.is_over());
  CHECK(client.end().code == ErrorCode::timed_out);
}

TEST_CASE("A client whose player was removed meanwhile continues as another player",
          "[session][flow]") {
  faults() = {};
  const Game game = counting_game();
  auto opened =
      SimulatedMatch::open(game, build_folder(), {.seed = 403, .server = {.resume_time = 2s}});
  REQUIRE(opened);
  const auto match = std::move(opened.value());
  GameServer& server = match->server();
  server.on_join([&](PlayerId player) { server.spawn("runner", {.owner = player}); });
  const Link link{.delay = 40ms};
  GameClient& client = match->add_client(link);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{{1, 0, 0}, {}}); });
  match->run(3s);
  const PlayerId player = client.player();
  match->set_link(client, {.is_down = true});
  match->run(25s);
  CHECK(server.players().empty());
  match->set_link(client, link);
  match->run(12s);
  REQUIRE(client.state() == GameClientState::playing);
  CHECK(client.player() != player);
  CHECK(client.is_predicted(own_runner(client)));
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  CHECK(match->differences().empty());
}

TEST_CASE("The server keeps a limited number of slots for the lost players of an address",
          "[session][flow]") {
  faults() = {};
  const Game game = counting_game();
  auto opened = SimulatedMatch::open(
      game, build_folder(),
      {.seed = 407, .server = {.players_per_address = 2, .resume_time = 120s}});
  REQUIRE(opened);
  const auto match = std::move(opened.value());
  std::vector<PlayerId> left;
  match->server().on_leave([&](PlayerId player, std::string_view reason) {
    left.push_back(player);
    CHECK(reason == "too many players of this address have lost their connections");
  });
  SimulatedEdges& edges = match->edges();
  Edges& house = edges.host("house");
  std::vector<PlayerId> joined;
  for (int i = 0; i < 3; ++i) {
    edges.set_link("house", {});
    const auto client = GameClient::connect(
        Build::open(build_folder(), Target::client, game), house,
        {.server = "server:7000", .key = match->server().public_key(), .loading_threads = 0});
    REQUIRE(client);
    for (int frame = 0; frame < 100; ++frame) {
      edges.advance(16ms);
      match->server().frame(edges.now());
      client.value()->frame(edges.now());
    }
    joined.push_back(client.value()->player());
    edges.set_link("house", {.is_down = true});
    match->run(16s);
  }
  match->run(1s);
  CHECK(left == std::vector{joined.front()});
  CHECK(match->server().players().size() == 2);
}

TEST_CASE("A lost player that is kicked is removed, and the player's slot becomes free",
          "[session][flow]") {
  Seen seen;
  const Game game = counting_game();
  const auto match = open_counted(seen, 404, game);
  GameClient& client = match->add_client();
  match->run(2s);
  match->set_link(client, {.is_down = true});
  match->run(17s);
  match->server().kick(client.player(), "away for too long");
  match->run(1s);
  CHECK(seen.leaves == 1);
  CHECK(seen.reason == "away for too long");
  CHECK(match->server().players().empty());
}

TEST_CASE("A kicked player cannot reconnect with the ticket of its connection", "[session][flow]") {
  Seen seen;
  const Game game = counting_game();
  const auto match = open_counted(seen, 406, game);
  GameServer& server = match->server();
  GameClient& client = match->add_client();
  match->run(2s);
  match->set_link(client, {.is_down = true});
  match->run(17s);
  server.on_apply([](const PlayerInfo&) { return std::optional<std::string>("banned"); });
  server.kick(client.player(), "away for too long");
  match->run(1s);
  match->set_link(client, {});
  match->run(45s);
  CHECK(server.players().empty());
  REQUIRE(client.is_over());
  CHECK(client.end().code == ErrorCode::permission_denied);
  CHECK(client.end().text.find("banned") != std::string::npos);
}

TEST_CASE("After three consecutive outages on a bad link, the client has the server's world",
          "[session][flow][sys-80]") {
  Seen seen;
  const Game game = counting_game();
  const auto match = open_counted(seen, 405, game);
  const Link link{.delay = 60ms, .jitter = 20ms, .loss = 0.1};
  GameClient& client = match->add_client(link);
  match->on_client_frame([](GameClient& each, Tick) {
    each.set_command(Trigger{{0.1F, 0, 0}, {}});
  });
  for (int i = 0; i < 3; ++i) {
    match->run(3s);
    match->set_link(client, {.is_down = true});
    match->run(17s);
    match->set_link(client, link);
  }
  match->run(12s);
  CHECK(client.metrics().resumes == 3);
  CHECK(client.state() == GameClientState::playing);
  CHECK(seen.joins == 1);
  match->on_client_frame([](GameClient& each, Tick) { each.set_command(Trigger{}); });
  CHECK(match->differences().empty());
}

}  // namespace
}  // namespace muster
