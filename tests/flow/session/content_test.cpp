// Levels, and connections between different versions of the content.
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

/// The runner of another version: its score has a larger range, and it has a field that the server
/// lacks.
struct LaterRunner {
  std::int64_t score = 0;
  float stamina = 80;
};
consteval auto describe(Type<LaterRunner>) {
  return Describe<LaterRunner>("Runner")
      .field<&LaterRunner::score>("score", {.minimum = -5000, .maximum = 5000})
      .field<&LaterRunner::stamina>("stamina");
}
/// The chat of another version.
struct LaterChat {
  std::int32_t number = 0;
  bool is_shouted = true;
};
consteval auto describe(Type<LaterChat>) {
  return Describe<LaterChat>("Chat")
      .field<&LaterChat::number>("number")
      .field<&LaterChat::is_shouted>("isShouted");
}

Game later_game() {
  Game game = make_game();
  game.components = components<Replicated, Transform, LaterRunner, Burning>();
  game.messages = messages<LaterChat>();
  game.server_systems = {};
  return game;
}

const std::string& later_build() {
  static const TemporaryFolder folder;
  static const bool is_built = [] {
    build_project(project_of(later_game()), folder.path());
    return true;
  }();
  static_cast<void>(is_built);
  return folder.path();
}

TEST_CASE("The level's placed entities are the same on server and client", "[session][flow]") {
  const auto match = open_match({.server = {.level = "yard"}});
  GameClient& client = match->add_client({.delay = 30ms, .loss = 0.1});
  std::string level;
  client.on_level([&](std::string_view path) { level = path; });
  match->run(3s);
  CHECK(level == "things/yard.yaml");
  CHECK(client.state() == GameClientState::playing);
  std::vector<float> positions;
  client.each<const Transform>(
      [&](EntityId, const Transform& at) { positions.push_back(at.position.x); });
  std::ranges::sort(positions);
  CHECK(positions == std::vector<float>{3, 6});
  // Placed entities can be moved and removed like other entities.
  EntityId first;
  match->server().each<Transform>([&](EntityId id, Transform& at) {
    if (at.position.x == 3) {
      first = id;
    } else {
      at.position.z = 9;
    }
  });
  match->server().despawn(first);
  match->run(2s);
  std::vector<float> depths;
  client.each<const Transform>(
      [&](EntityId, const Transform& at) { depths.push_back(at.position.z); });
  CHECK(depths == std::vector<float>{9});
  CHECK(match->differences() == std::vector<std::string>{});
  CHECK(match->problems().empty());
}

TEST_CASE("A level that is not in the build is an error with the nearest name", "[session][flow]") {
  auto match = SimulatedMatch::open(make_game(), build_folder(), {.server = {.level = "jard"}});
  REQUIRE_FALSE(match);
  CHECK(match.error().code == ErrorCode::not_found);
  CHECK(match.error().message.find("yard") != std::string::npos);
}

TEST_CASE("A client with another build is refused with a clear reason", "[session][flow]") {
  const auto match = open_match();
  GameClient& client = match->add_client({}, later_game(), later_build(), {});
  match->run(1s);
  REQUIRE(client.is_over());
  CHECK_FALSE(client.end().is_good);
  CHECK(client.end().text.find("content") != std::string::npos);
}

TEST_CASE("A client whose game has another tick rate than the server reports both rates",
          "[session][flow]") {
  const auto match = open_match();
  Game faster = make_game();
  faster.ticks_per_second *= 2;
  GameClient& client = match->add_client({}, faster, build_folder(), {});
  match->run(1s);
  CHECK(client.state() == GameClientState::playing);
  const std::span<const Problem> problems = match->problems();
  const auto problem = std::ranges::find(problems, ProblemKind::content_differs, &Problem::kind);
  REQUIRE(problem != problems.end());
  CHECK(problem->text.starts_with(
      "the server runs " + std::to_string(make_game().ticks_per_second) + " ticks per second"));
}

TEST_CASE("A server that accepts other content converts components and messages by name",
          "[session][flow]") {
  const auto match = open_match({.server = {.admit_other_content = true}});
  GameServer& server = match->server();
  server.spawn("runner", {}, Runner{.score = 321});
  GameClient& client = match->add_client({}, later_game(), later_build(), {});
  std::int32_t number = 0;
  bool is_shouted = false;
  client.on_message<LaterChat>([&](const LaterChat& chat) {
    number = chat.number;
    is_shouted = chat.is_shouted;
  });
  match->run(2s);
  REQUIRE(client.state() == GameClientState::playing);
  server.send_all(chat("hello", 55));
  match->run(1s);
  std::int64_t score = 0;
  float stamina = 0;
  client.each<const LaterRunner>([&](const LaterRunner& runner) {
    score = runner.score;
    stamina = runner.stamina;
  });
  CHECK(score == 321);
  CHECK(stamina == 80);
  CHECK(number == 55);
  CHECK(is_shouted);
  const auto differs =
      std::ranges::count(match->problems(), ProblemKind::content_differs, &Problem::kind);
  CHECK(differs >= 1);
}

}  // namespace
}  // namespace muster
