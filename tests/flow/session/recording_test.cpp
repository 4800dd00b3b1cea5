// Recordings of a session, and viewers that play them.
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

constexpr std::string_view kPath = "match.mrec";

/// A recorded match with one player. `positions` contains the runner's position for each tick.
struct Recorded {
  Recorded() {
    GameServer& server = match->server();
    REQUIRE(server.record(std::string(kPath)));
    server.on_join([&](PlayerId player) { server.spawn("runner", {.owner = player}); });
    GameClient& client = match->add_client();
    match->on_client_frame([&](GameClient& each, Tick) {
      each.set_command(Steer{{0, 0, 1}});
      const EntityId runner = server.owned(client.player(), "runner");
      if (const Transform* const at = server.get<Transform>(runner)) {
        positions[server.tick().value()] = at->position.z;
      }
    });
    match->run(3s);
    server.send_all(chat("half"), {.timing = Timing::at_tick});
    match->run(3s);
  }
  std::unique_ptr<GameClient> view() {
    auto opened =
        GameClient::play_recording(Build::open(build_folder(), Target::client, make_game()),
                                   edges(), std::string(kPath), {.loading_threads = 0});
    REQUIRE(opened);
    return std::move(opened.value());
  }
  Edges& edges() { return match->edges().host("server"); }

  std::unique_ptr<SimulatedMatch> match = open_match({.seed = 11});
  std::map<std::uint32_t, float> positions;
};

float runner_of(const GameClient& client) {
  float z = -1;
  client.each<const Runner>(
      [&](EntityId id, const Runner&) { z = client.confirmed<Transform>(id)->position.z; });
  return z;
}

TEST_CASE("A viewer of a recording sees the world and the messages of its match",
          "[session][flow]") {
  Recorded recorded;
  recorded.match->server().stop_recording();
  const auto viewer = recorded.view();
  int messages = 0;
  viewer->on_message<Chat>([&](const Chat& chat) {
    CHECK(chat.text.view() == "half");
    ++messages;
  });
  Time now(100s);
  float last = 0;
  for (; !viewer->is_over(); now += 16ms) {
    viewer->frame(now);
    REQUIRE(now < Time(200s));
    last = std::max(last, runner_of(*viewer));
  }
  CHECK(viewer->end().is_good);
  CHECK(messages == 1);
  CHECK(last == Approx(recorded.positions.rbegin()->second).margin(0.1));
}

TEST_CASE("A recording contains the messages of its first tick", "[session][flow]") {
  const auto match = open_match({.seed = 12});
  GameServer& server = match->server();
  match->run(1s);
  REQUIRE(server.record(std::string(kPath)));
  server.send_all(chat("first"), {.timing = Timing::at_tick});
  match->run(1s);
  server.stop_recording();
  auto viewer = GameClient::play_recording(Build::open(build_folder(), Target::client, make_game()),
                                           match->edges().host("server"), std::string(kPath),
                                           {.loading_threads = 0});
  REQUIRE(viewer);
  std::vector<std::string> messages;
  viewer.value()->on_message<Chat>(
      [&](const Chat& chat) { messages.emplace_back(chat.text.view()); });
  for (Time now(1s); !viewer.value()->is_over(); now += 16ms) viewer.value()->frame(now);
  CHECK(messages == std::vector<std::string>{"first"});
}

TEST_CASE("A viewer can go to any tick, forwards and backwards", "[session][flow]") {
  Recorded recorded;
  recorded.match->server().stop_recording();
  const auto viewer = recorded.view();
  viewer->frame(Time(1s));
  for (const std::uint32_t tick : {120U, 60U, 150U}) {
    CAPTURE(tick);
    REQUIRE(viewer->seek(Tick(tick)));
    viewer->frame(Time(1s));
    CHECK(runner_of(*viewer) == Approx(recorded.positions.at(tick)).margin(0.05));
  }
  CHECK_FALSE(viewer->seek(Tick(0)));
}

TEST_CASE("A recording of a server that was killed plays up to its last tick", "[session][flow]") {
  Recorded recorded;
  recorded.match->kill_server();
  const auto viewer = recorded.view();
  for (Time now(1s); !viewer->is_over() && now < Time(30s); now += 16ms) viewer->frame(now);
  CHECK(viewer->is_over());
  CHECK(runner_of(*viewer) == Approx(recorded.positions.rbegin()->second).margin(0.1));
}

TEST_CASE("A file that is not a recording of this game is an error", "[session][flow]") {
  Recorded recorded;
  recorded.match->server().stop_recording();
  const auto open = [&](const Game& game, const std::string& path) {
    return GameClient::play_recording(Build::open(build_folder(), Target::client, game),
                                      recorded.edges(), path);
  };
  CHECK(open(make_game(), "missing").error().code == ErrorCode::not_found);
  CHECK(open(make_game(), "server.key").error().code == ErrorCode::malformed);
  Game other = make_game();
  other.application = 5;
  CHECK(open(other, std::string(kPath)).error().code == ErrorCode::malformed);
}

TEST_CASE("Seeking is possible only in a recording", "[session][flow]") {
  const auto match = open_match();
  CHECK(match->add_client().seek(Tick(5)).error().code == ErrorCode::unsupported);
}

}  // namespace
}  // namespace muster
