// A session that loads a newer build of its content during play.
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

/// A match whose content can change.
struct Stage {
  Stage() {
    build_project(project, first.path());
    auto opened = SimulatedMatch::open(make_game(), first.path(),
                                       {.server = {.level = "yard", .may_reload = true}});
    REQUIRE(opened);
    match = std::move(opened.value());
    client = &match->add_client({}, make_game(), first.path(), {.may_reload = true});
  }
  /// Builds the current project, and makes both ends load the build.
  ReloadSummary reload() {
    build_project(project, second.path());
    const auto build = [&](Target target) {
      return Build::open(second.path(), target, make_game()).value();
    };
    auto at_server = match->server().reload(build(Target::server));
    REQUIRE(at_server);
    REQUIRE(client->reload(build(Target::client)));
    return std::move(at_server.value());
  }

  MemoryFileSystem project = project_of(make_game());
  TemporaryFolder first;
  TemporaryFolder second;
  std::unique_ptr<SimulatedMatch> match;
  GameClient* client = nullptr;
};

TEST_CASE("Entities get the new values of their prefab, except values that the game has changed",
          "[session][flow]") {
  Stage stage;
  GameServer& server = stage.match->server();
  const EntityId plain = server.spawn("runner");
  const EntityId changed = server.spawn("runner", {}, Runner{.score = 99});
  stage.match->run(1s);
  REQUIRE(server.get<Runner>(plain)->score == 5);
  stage.project.add("things/runner.yaml",
                    "class: Prefab\nroot:\n  name: runner\n  components:\n  - ReplicatedEntity: "
                    "{}\n  - Transform: {}\n  - Runner: {score: 8}\n");
  const ReloadSummary summary = stage.reload();
  CHECK(summary.updated == 2);
  CHECK(summary.failed == 0);
  CHECK_FALSE(summary.has_new_types);
  CHECK(summary.changed.size() == 1);
  CHECK(server.get<Runner>(plain)->score == 8);
  CHECK(server.get<Runner>(changed)->score == 99);
  stage.match->run(1s);
  const EntityId seen = stage.client->find(server.reference(plain));
  REQUIRE_FALSE(seen.is_null());
  CHECK(stage.client->get<Runner>(seen)->score == 8);
  CHECK(stage.match->differences().empty());
  CHECK(server.spawn("runner") != EntityId());
}

TEST_CASE("A new type in the build reaches the clients without a reconnection", "[session][flow]") {
  Stage stage;
  GameServer& server = stage.match->server();
  server.spawn("runner");
  stage.match->run(1s);
  const std::string tree = std::string(31, 'c') + "1";
  stage.project.add("things/tree.yaml",
                    "class: Prefab\nroot:\n  name: tree\n  components:\n  - ReplicatedEntity: {}\n"
                    "  - Transform: {}\n  - Burning: {seconds: 2}\n");
  stage.project.add("things/tree.yaml.meta", "guid: " + tree + "\n");
  stage.project.add("things/replicated.yaml",
                    "class: ReplicatedEntityRegistry\nentries:\n- {type_id: 1, prefab: {guid: " +
                        std::string(31, 'a') +
                        "1}}\n- {type_id: 2, prefab: {guid: " + std::string(31, 'a') +
                        "2}}\n- {type_id: 3, prefab: {guid: " + tree + "}}\n");
  CHECK(stage.reload().has_new_types);
  REQUIRE_FALSE(server.spawn("tree").is_null());
  stage.match->run(2s);
  CHECK(count_of(*stage.client, "tree") == 1);
  CHECK(count_of(*stage.client, "runner") == 1);
  CHECK(stage.client->state() == GameClientState::playing);
  CHECK(stage.match->differences().empty());
  // A client that joins later has the new build.
  const GameClient& late = stage.match->add_client({}, make_game(), stage.second.path(), {});
  stage.match->run(1s);
  CHECK(count_of(late, "tree") == 1);
}

TEST_CASE("A player who joins a reloaded build keeps playing after the next reload",
          "[session][flow]") {
  Stage stage;
  GameServer& server = stage.match->server();
  server.on_join([&](PlayerId player) { server.spawn("runner", {.owner = player}); });
  stage.match->run(500ms);
  REQUIRE(stage.reload().failed == 0);
  GameClient& late = stage.match->add_client({}, make_game(), stage.second.path(), {});
  stage.match->run(1s);
  REQUIRE(stage.reload().failed == 0);
  stage.match->on_client_frame([](GameClient& each, Tick) { each.set_command(Steer{{0, 0, 1}}); });
  stage.match->run(2s);
  REQUIRE(late.state() == GameClientState::playing);
  CHECK(server.get<Transform>(server.owned(late.player(), "runner"))->position.z > 1);
}

TEST_CASE("A session that was not opened for reloading does not reload", "[session][flow]") {
  const auto match = open_match();
  GameClient& client = match->add_client();
  const auto refused =
      match->server().reload(Build::open(build_folder(), Target::server, make_game()).value());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::unsupported);
  CHECK_FALSE(client.reload(Build::open(build_folder(), Target::client, make_game()).value()));
}

}  // namespace
}  // namespace muster
