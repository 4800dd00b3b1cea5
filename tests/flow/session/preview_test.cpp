// A preview: a game in one process that loads changed content during play.
#include <chrono>
#include <filesystem>

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

/// A preview of a project that a test edits and builds.
class EditedPreview {
 public:
  EditedPreview() {
    build();
    opened_ = GamePreview::open(make_game(), folder_.path(), edges_.host("desk"));
    REQUIRE(opened_);
  }
  GamePreview& preview() { return *opened_.value(); }
  SimulatedEdges& edges() { return edges_; }
  std::string path(std::string_view side) const { return folder_.path() + "/" + std::string(side); }
  void set_score(int score) {
    project_.add("things/runner.yaml",
                 "class: Prefab\nroot:\n  name: runner\n  components:\n  - ReplicatedEntity: {}\n"
                 "  - Transform: {}\n  - Runner: {score: " +
                     std::to_string(score) + "}\n");
    build();
  }
  void build() { build_project(project_, folder_.path()); }
  /// Replaces one side of the build by the same side of another game's build.
  void damage(const std::string& side) {
    Game game = make_game();
    game.components = components<Replicated, Transform, Runner>();
    MemoryFileSystem other = project_of(game);
    other.add("things/tree.yaml",
              "class: Prefab\nroot:\n  name: tree\n  components:\n  - ReplicatedEntity: {}\n");
    const TemporaryFolder elsewhere;
    build_project(other, elsewhere.path());
    std::filesystem::remove_all(path(side));
    std::filesystem::copy(elsewhere.path() + "/" + side, path(side),
                          std::filesystem::copy_options::recursive);
  }

 private:
  MemoryFileSystem project_ = project_of(make_game());
  TemporaryFolder folder_;
  SimulatedEdges edges_{1};
  Result<std::unique_ptr<GamePreview>> opened_ = fail(ErrorCode::not_found, "not opened");
};

TEST_CASE("A preview follows a build in which only the server's part has changed",
          "[session][flow]") {
  EditedPreview edited;
  const EntityId runner = edited.preview().server().spawn("runner");
  // The client's part of the new build is put back, so only the server's part differs.
  std::filesystem::rename(edited.path("client"), edited.path("kept"));
  edited.set_score(8);
  std::filesystem::remove_all(edited.path("client"));
  std::filesystem::rename(edited.path("kept"), edited.path("client"));
  const auto followed = edited.preview().follow();
  REQUIRE(followed);
  REQUIRE(followed.value());
  CHECK(followed.value()->updated == 1);
  CHECK(edited.preview().server().get<Runner>(runner)->score == 8);
}

TEST_CASE("A preview refuses a build whose parts do not agree, and follows the next build",
          "[session][flow]") {
  EditedPreview edited;
  const EntityId runner = edited.preview().server().spawn("runner");
  const std::string side = GENERATE("client", "server");
  edited.set_score(3);
  edited.damage(side);
  const auto build_of = [&](Target target) {
    return Build::open(edited.path(""), target, make_game()).value();
  };
  CHECK_FALSE(build_of(Target::client).agrees_with(build_of(Target::server)));
  // The other part may follow within a second.
  const auto early = edited.preview().follow();
  REQUIRE(early);
  CHECK_FALSE(early.value());
  edited.edges().advance(1s);
  const auto refused = edited.preview().follow();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::invalid_argument);
  edited.set_score(8);
  const auto followed = edited.preview().follow();
  REQUIRE(followed);
  REQUIRE(followed.value());
  CHECK(edited.preview().server().get<Runner>(runner)->score == 8);
  const auto again = edited.preview().follow();
  REQUIRE(again);
  CHECK_FALSE(again.value());
}

TEST_CASE("A preview waits while one part of the build is missing", "[session][flow]") {
  EditedPreview edited;
  const std::string side = GENERATE("client", "server");
  std::filesystem::rename(edited.path(side), edited.path("moved"));
  const auto followed = edited.preview().follow();
  REQUIRE(followed);
  CHECK_FALSE(followed.value());
}

}  // namespace
}  // namespace muster
