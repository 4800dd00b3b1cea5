// A server that changes its level while clients play.
#include <chrono>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

/// Returns a build with two levels: `yard` with rocks at x = 3 and x = 6, and `field` with a rock
/// at x = 9.
const std::string& two_levels() {
  static const TemporaryFolder folder;
  static const bool is_built = [] {
    MemoryFileSystem files = project_of(make_game());
    const std::string rock = std::string(31, 'a') + "2";
    const std::string field_main = std::string(31, 'b') + "1";
    const std::string field = std::string(31, 'b') + "2";
    files.add("things/field_main.yaml",
              "class: Prefab\nroot:\n  name: field_main\n  children:\n  - name: Only\n    prefab: "
              "{fileID: 1, guid: " +
                  rock + "}\n    components:\n    - Transform: {position: {x: 9, y: 0, z: 0}}\n");
    files.add("things/field.yaml",
              "class: Level\nlayers:\n- name: main\n  prefab: {fileID: 1, "
              "guid: " +
                  field_main + "}\n");
    files.add("things/levels.yaml",
              "class: LevelRegistry\nentries:\n- {type_id: 1, level: {fileID: 1, guid: " +
                  std::string(31, 'a') + "5}}\n- {type_id: 2, level: {fileID: 1, guid: " + field +
                  "}}\n");
    files.add("things/field_main.yaml.meta", "guid: " + field_main + "\n");
    files.add("things/field.yaml.meta", "guid: " + field + "\n");
    build_project(files, folder.path());
    return true;
  }();
  static_cast<void>(is_built);
  return folder.path();
}

std::unique_ptr<SimulatedMatch> open_yard(std::uint64_t seed) {
  auto match =
      SimulatedMatch::open(make_game(), two_levels(), {.seed = seed, .server = {.level = "yard"}});
  REQUIRE(match);
  return std::move(match.value());
}

TEST_CASE("A message for a tick is reported if a level has not begun", "[session][flow]") {
  const auto match = open_yard(3);
  GameServer& server = match->server();
  GameClient& client = match->add_client();
  int received = 0;
  client.on_message<Chat>([&](const Chat&) { ++received; });
  server.on_level([&] { server.send_all(Chat{}, {.timing = Timing::at_tick}); });
  match->run(1s);
  CHECK(match->problems().empty());
  CHECK(server.load_level("field"));
  match->run(2s);
  CHECK(received == 0);
  REQUIRE(match->problems().size() == 1);
  CHECK(match->problems().front().kind == ProblemKind::dropped);
  CHECK(match->problems().front().component == "Chat");
}

std::vector<float> rocks_of(const GameClient& client) {
  std::vector<float> positions;
  client.each<const Transform>([&](EntityId id, const Transform& at) {
    if (client.get<Runner>(id) == nullptr) positions.push_back(at.position.x);
  });
  std::ranges::sort(positions);
  return positions;
}

/// Sets the score of each runner to a random number in each tick.
void scatter(SystemContext& ctx, EntityId self, Runner& runner) {
  runner.score = static_cast<std::int32_t>(ctx.random(self).below(1000));
}

TEST_CASE("A new level begins for every client, with the entities that the game spawns in it",
          "[session][flow]") {
  const auto match = open_yard(1);
  GameServer& server = match->server();
  const auto spawn_runner = [&](PlayerId player) { server.spawn("runner", {.owner = player}); };
  server.on_join(spawn_runner);
  GameClient& client = match->add_client();
  std::string level;
  client.on_level([&](std::string_view path) { level = path; });
  match->run(1s);
  CHECK(rocks_of(client) == std::vector{3.0F, 6.0F});
  CHECK(level == "things/yard.yaml");
  server.on_level([&] {
    for (const PlayerInfo& info : server.players()) spawn_runner(info.player);
  });
  REQUIRE(server.load_level("field"));
  match->run(1s);
  CHECK(rocks_of(client) == std::vector{9.0F});
  CHECK(level == "things/field.yaml");
  CHECK(count_of(client, "runner") == 1);
  CHECK(client.state() == GameClientState::playing);
  CHECK(match->differences().empty());
  CHECK(match->problems().empty());
}

TEST_CASE(
    "A level replicates the prefabs that it places, and reports those that are not registered",
    "[session][flow]") {
  // The prefab `runner` has `ReplicatedEntity: {}`. Its build stores the guid.
  MemoryFileSystem files = project_of(make_game());
  const std::string runner = std::string(31, 'a') + "1";
  const std::string tree = std::string(31, 'b') + "7";
  files.add("things/tree.yaml",
            "class: Prefab\nroot:\n  name: tree\n  components:\n  - ReplicatedEntity: {}\n"
            "  - Transform: {}\n");
  files.add("things/tree.yaml.meta", "guid: " + tree + "\n");
  files.add("things/yard_main.yaml",
            "class: Prefab\nroot:\n  name: yard_main\n  children:\n"
            "  - name: Guard\n    prefab: {fileID: 1, guid: " +
                runner + "}\n    components:\n    - Transform: {position: {x: 4, y: 0, z: 0}}\n" +
                "  - name: Oak\n    prefab: {fileID: 1, guid: " + tree + "}\n" +
                "  - name: Sign\n    components:\n    - ReplicatedEntity: {}\n");
  const TemporaryFolder folder;
  build_project(files, folder.path());
  auto opened = SimulatedMatch::open(make_game(), folder.path(), {.server = {.level = "yard"}});
  REQUIRE(opened);
  SimulatedMatch& match = *opened.value();
  const GameClient& client = match.add_client();
  match.run(1s);
  std::vector<float> guards;
  client.each<const Runner, const Transform>(
      [&](const Runner&, const Transform& at) { guards.push_back(at.position.x); });
  CHECK(guards == std::vector{4.0F});
  CHECK(match.differences().empty());
  std::set<std::string> texts;
  for (const Problem& problem : match.problems()) {
    CHECK(problem.kind == ProblemKind::unknown_type);
    texts.insert(problem.text);
  }
  CHECK(texts == std::set<std::string>{
                     "the entity 'Oak' of the level is not replicated: its prefab is not in "
                     "ReplicatedEntityRegistry; run `muster prepare` and build again",
                     "the entity 'Sign' of the level is not replicated: it is not the root of a "
                     "prefab; put it into a prefab, and place that prefab in the level"});
}

TEST_CASE("The systems pause until the level is loaded", "[session][flow]") {
  const auto match = open_yard(2);
  GameServer& server = match->server();
  int begun = 0;
  server.on_level([&] { begun += static_cast<int>(server.players().size()); });
  match->add_client();
  match->run(1s);
  REQUIRE(server.load_level("field"));
  // Entities that are spawned during the load are removed.
  server.spawn("rock");
  match->run(1s);
  CHECK(begun == 1);
  int rocks = 0;
  server.each<const Transform>([&](const Transform&) { ++rocks; });
  CHECK(rocks == 1);
}

TEST_CASE("A client that joins after a change of the level loads the new level",
          "[session][flow]") {
  const auto match = open_yard(3);
  match->run(200ms);
  REQUIRE(match->server().load_level("field"));
  GameClient& early = match->add_client();
  match->run(1s);
  GameClient& late = match->add_client();
  match->run(1s);
  for (const GameClient* const client : {&early, &late}) {
    CHECK(rocks_of(*client) == std::vector{9.0F});
  }
  CHECK(match->differences().empty());
}

TEST_CASE("Several level changes in a row reach clients over a bad link", "[session][flow]") {
  const auto seed = GENERATE(range(10U, 16U));
  CAPTURE(seed);
  const auto match = open_yard(seed);
  GameServer& server = match->server();
  server.on_level([&] { server.spawn("runner"); });
  for (int i = 0; i < 3; ++i) match->add_client({.delay = 60ms, .jitter = 20ms, .loss = 0.2});
  match->run(2s);
  for (const char* const level : {"field", "yard", "field", "yard", "field"}) {
    REQUIRE(server.load_level(level));
    match->run(seed % 2 == 0 ? 150ms : 400ms);
  }
  match->run(3s);
  CHECK(match->differences().empty());
  int rocks = 0;
  server.each<const Transform>(
      [&](EntityId id, const Transform&) { rocks += server.get<Runner>(id) == nullptr ? 1 : 0; });
  CHECK(rocks == 1);
}

TEST_CASE("When a join begins a level, each player is counted once", "[session][flow]") {
  const auto match = open_yard(21);
  GameServer& server = match->server();
  int joins = 0;
  int levels = 0;
  server.on_join([&](PlayerId) {
    ++joins;
    server.load_level("field");
  });
  server.on_level([&] { ++levels; });
  std::array clients{&match->add_client(), &match->add_client()};
  match->run(3s);
  CHECK(joins == 2);
  CHECK(levels <= 2);
  CHECK(server.players().size() == 2);
  for (const GameClient* const client : clients) {
    CHECK(client->state() == GameClientState::playing);
    CHECK(rocks_of(*client) == std::vector{9.0F});
  }
  CHECK(match->differences().empty());
}

TEST_CASE("A change of the level reports the messages for a tick that it drops",
          "[session][flow]") {
  const auto match = open_yard(23);
  GameServer& server = match->server();
  GameClient& client = match->add_client({.delay = 100ms});
  int received = 0;
  client.on_message<Chat>([&](const Chat&) { ++received; });
  match->run(2s);
  match->set_link(client, {.is_down = true});
  for (int i = 0; i < 3; ++i) {
    CHECK(server.send(client.player(), chat("old"), {.timing = Timing::at_tick}));
  }
  server.on_level([&] {
    // The player has not begun the new level.
    CHECK_FALSE(server.send(client.player(), chat("new"), {.timing = Timing::at_tick}));
  });
  REQUIRE(server.load_level("field"));
  match->run(1s);
  match->set_link(client, {});
  match->run(2s);
  CHECK(received == 0);
  std::vector<std::uint64_t> counts;
  for (const Problem& problem : match->problems()) {
    CHECK(problem.kind == ProblemKind::dropped);
    counts.push_back(problem.count);
  }
  CHECK(counts == std::vector<std::uint64_t>{1, 3});
}

TEST_CASE("Messages that the game sends when a level begins arrive", "[session][flow]") {
  const auto seed = GENERATE(range(22U, 28U));
  CAPTURE(seed);
  const auto match = open_yard(seed);
  GameServer& server = match->server();
  GameClient& client = match->add_client({.delay = 50ms, .jitter = 20ms, .loss = 0.1});
  std::vector<int> received;
  int letters = 0;
  client.on_message<Chat>([&](const Chat& chat) { received.push_back(chat.number); });
  client.on_message<Letter>(
      [&](const Letter& letter) { letters += letter.words[599] == 7 ? 1 : 0; });
  match->run(2s);
  int level = 0;
  server.on_level([&] {
    Letter letter;
    letter.words[599] = 7;
    server.send_all(letter);
    server.send_all(Chat{.number = ++level});
  });
  for (const char* const name : {"field", "yard", "field"}) {
    REQUIRE(server.load_level(name));
    match->run(3s);
  }
  CHECK(received == std::vector{1, 2, 3});
  CHECK(letters == 3);
  CHECK(client.state() == GameClientState::playing);
}

TEST_CASE(
    "Players join over bad links while levels change, and predict the server's random numbers",
    "[session][flow]") {
  const auto seed = GENERATE(range(60U, 76U));
  CAPTURE(seed);
  Game game = make_game();
  game.systems = systems<scatter>();
  game.server_systems = {};
  auto opened =
      SimulatedMatch::open(game, two_levels(), {.seed = seed, .server = {.level = "yard"}});
  REQUIRE(opened);
  SimulatedMatch& match = *opened.value();
  GameServer& server = match.server();
  const auto spawn_runner = [&](PlayerId player) { server.spawn("runner", {.owner = player}); };
  server.on_join(spawn_runner);
  server.on_level([&] {
    for (const PlayerInfo& info : server.players()) spawn_runner(info.player);
  });
  match.run(500ms);
  GameClient& client = match.add_client({.delay = 40ms, .jitter = 20ms, .loss = 0.3});
  for (const char* const level : {"field", "yard", "field", "yard", "field"}) {
    match.run(140ms);
    REQUIRE(server.load_level(level));
  }
  match.run(4s);
  REQUIRE(client.state() == GameClientState::playing);
  const std::uint64_t corrections = client.metrics().corrections;
  match.run(2s);
  CHECK(client.metrics().corrections == corrections);
}

TEST_CASE("Messages arrive even when the start of a level begins another level",
          "[session][flow]") {
  const auto match = open_yard(28);
  GameServer& server = match->server();
  GameClient& client = match->add_client({.delay = 30ms});
  std::vector<int> received;
  client.on_message<Chat>([&](const Chat& chat) { received.push_back(chat.number); });
  match->run(1s);
  int level = 0;
  server.on_level([&] {
    server.send_all(Chat{.number = ++level});
    if (level == 1) server.load_level("yard");
    server.send_all(Chat{.number = 10 + level});
  });
  REQUIRE(server.load_level("field"));
  match->run(2s);
  CHECK(received == std::vector{1, 11, 2, 12});
  CHECK(rocks_of(client).size() == 2);
}

TEST_CASE("A client that sends messages at once stays connected when its join begins a level",
          "[session][flow]") {
  const auto seed = GENERATE(range(80U, 100U));
  CAPTURE(seed);
  const auto match = open_yard(seed);
  GameServer& server = match->server();
  server.on_join([&](PlayerId) { server.load_level("field"); });
  int received = 0;
  server.on_message<Chat>([&](PlayerId, const Chat&) { ++received; });
  GameClient& client = match->add_client({.delay = 40ms, .jitter = 20ms, .loss = 0.4});
  match->on_client_frame([](GameClient& each, Tick tick) {
    if (tick.value() % 4 == 0) each.send(Chat{.number = 1});
  });
  match->run(8s);
  CHECK(client.state() == GameClientState::playing);
  CHECK(received > 10);
}

TEST_CASE("Prediction continues in another level", "[session][flow]") {
  Game game = make_game();
  game.systems = std::move(game.server_systems);
  game.server_systems = {};
  auto opened = SimulatedMatch::open(game, two_levels(), {.seed = 5, .server = {.level = "yard"}});
  REQUIRE(opened);
  SimulatedMatch& match = *opened.value();
  GameServer& server = match.server();
  const auto spawn_runner = [&](PlayerId player) { server.spawn("runner", {.owner = player}); };
  server.on_join(spawn_runner);
  server.on_level([&] {
    for (const PlayerInfo& info : server.players()) spawn_runner(info.player);
  });
  GameClient& client = match.add_client({.delay = 40ms, .loss = 0.05});
  match.on_client_frame([](GameClient& each, Tick) { each.set_command(Steer{{0, 0, 1}}); });
  match.run(2s);
  REQUIRE(server.load_level("field"));
  match.run(3s);
  int predicted = 0;
  client.each<const Runner, const Transform>([&](EntityId id, const Runner&, const Transform& at) {
    predicted += client.is_predicted(id) && at.position.z > 1 ? 1 : 0;
  });
  CHECK(predicted == 1);
  CHECK(client.metrics().lead < 500ms);
  match.on_client_frame([](GameClient& each, Tick) { each.set_command(Steer{}); });
  match.run(1s);
  CHECK(match.differences().empty());
}

TEST_CASE("An unknown level is reported with the nearest name, and the current level continues",
          "[session][flow]") {
  const auto match = open_yard(4);
  GameClient& client = match->add_client();
  match->run(1s);
  CHECK_FALSE(match->server().load_level("yrad"));
  match->run(500ms);
  CHECK(rocks_of(client).size() == 2);
  REQUIRE_FALSE(match->problems().empty());
  CHECK(match->problems().front().kind == ProblemKind::unknown_type);
  CHECK(match->problems().front().text.find("yard") != std::string::npos);
}

}  // namespace
}  // namespace muster
