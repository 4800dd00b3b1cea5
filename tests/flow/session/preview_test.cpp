// A preview: a game in one process that loads changed content during play.
#include <chrono>

#include <catch2/catch.hpp>

#include "runtime/session/game_preview.h"
#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

TEST_CASE("A preview runs a client and a server, and loads each new build of its folder",
          "[session][flow][sys-21]") {
  MemoryFileSystem project = project_of(make_game());
  const TemporaryFolder folder;
  build_project(project, folder.path());
  SimulatedEdges edges(1);
  auto opened =
      GamePreview::open(make_game(), folder.path(), edges.host("desk"), {.level = "yard"});
  REQUIRE(opened);
  GamePreview& preview = *opened.value();
  GameServer& server = preview.server();
  GameClient& client = preview.client();
  std::vector<Problem> problems;
  preview.on_problem([&](const Problem& problem) { problems.push_back(problem); });
  server.on_join([&](PlayerId player) { server.spawn("runner", {.owner = player}); });
  // Threads load the content, so the number of frames varies.
  const auto run_until = [&](const auto& is_done) {
    for (int i = 0; i < 100'000 && !is_done(); ++i) {
      edges.advance(16ms);
      preview.run_frame();
    }
    return is_done();
  };
  REQUIRE(run_until([&] { return preview.is_ready() && count_of(client, "runner") == 1; }));
  client.set_command(Steer{{0, 0, 1}});
  const EntityId runner = server.owned(client.player(), "runner");
  REQUIRE(run_until([&] { return server.get<Transform>(runner)->position.z > 1; }));

  const std::string build_before = preview.build().text();
  auto followed = preview.follow();
  REQUIRE(followed);
  CHECK_FALSE(followed.value());
  project.add("things/runner.yaml",
              "class: Prefab\nroot:\n  name: runner\n  components:\n  - ReplicatedEntity: {}\n"
              "  - Transform: {}\n  - Runner: {score: 8}\n");
  build_project(project, folder.path());
  followed = preview.follow();
  REQUIRE(followed);
  REQUIRE(followed.value());
  CHECK(followed.value()->updated == 1);
  CHECK(server.get<Runner>(runner)->score == 8);
  const EntityId seen = client.find(server.reference(runner));
  CHECK(preview.text(seen).find("Runner:\n") != std::string::npos);
  CHECK(preview.text(seen, 2).find("    score: 8") != std::string::npos);
  CHECK(preview.build().text() != build_before);
  CHECK(problems.empty());
}

}  // namespace
}  // namespace muster
