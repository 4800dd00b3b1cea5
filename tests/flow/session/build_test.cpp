// Builds as a game opens them: types, paths, variants, and tours that spawn each asset.
#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include "registry/base/clock.h"
#include "runtime/session/build_content.h"
#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

Result<Build> open_build(Target target, const BuildOpenOptions& options = {}) {
  return Build::open(build_folder(), target, make_game(), options);
}

TEST_CASE("A build lists its replicated types and has the path of each asset", "[session][flow]") {
  const Build build = open_build(Target::server).value();
  const std::vector<TypeId> types = build.types();
  REQUIRE(types.size() >= 2);
  for (const TypeId type : types) CHECK(build.type(type).value() == type);
  const Guid rock = build.content().asset("things/rock.yaml");
  REQUIRE_FALSE(rock.is_null());
  CHECK(build.path(rock) == "things/rock.yaml");
  CHECK(build.path(Guid()).empty());
}

TEST_CASE("The client's and the server's part of one build agree", "[session][flow]") {
  const Build server = open_build(Target::server).value();
  CHECK(server.agrees_with(open_build(Target::client).value()));
  Game game = make_game();
  game.components = components<Replicated, Transform, Runner>();
  const TemporaryFolder folder;
  MemoryFileSystem project = project_of(game);
  project.add("things/tree.yaml",
              "class: Prefab\nroot:\n  name: tree\n  components:\n"
              "  - ReplicatedEntity: {}\n");
  build_project(project, folder.path());
  const Build other = Build::open(folder.path(), Target::client, game).value();
  CHECK_FALSE(server.agrees_with(other));
}

TEST_CASE("A build without the chosen variant is refused when it is opened", "[session][flow]") {
  const auto build = open_build(Target::client, {.variants = {{"quality", "low"}}});
  REQUIRE_FALSE(build);
  CHECK(build.error().code == ErrorCode::invalid_argument);
  CHECK(build.error().message.find("quality") != std::string::npos);
}

TEST_CASE("A tour spawns each type of a build, and removes all entities", "[session][flow]") {
  TourReport report;
  tour(open_build(Target::server).value(), ManualClock(), report);
  CHECK(report.failures() == 0);
  CHECK(report.left_over == 0);
  const auto rocks = std::ranges::find(report.stops, "things/rock.yaml", &TourStop::path);
  REQUIRE(rocks != report.stops.end());
  CHECK(rocks->entities == 1);
  CHECK(rocks->components > 0);
  // The level's definition, the root of its main prefab, and two rocks.
  const auto yard = std::ranges::find(report.stops, "things/yard.yaml", &TourStop::path);
  REQUIRE(yard != report.stops.end());
  CHECK(yard->entities == 4);
}

TEST_CASE("A tour reports a missing bundle and continues", "[session][flow]") {
  const TemporaryFolder folder;
  std::filesystem::copy(
      build_folder(), folder.path(),
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  const Build build = Build::open(folder.path(), Target::server, make_game()).value();
  const Guid rock = build.content().asset("things/rock.yaml");
  std::filesystem::remove(folder.path() + "/server/bundles/" + rock.to_string() + ".mbundle");
  TourReport report;
  tour(build, ManualClock(), report);
  CHECK(report.failures() >= 1);
  const auto failed = std::ranges::find(report.stops, "things/rock.yaml", &TourStop::path);
  REQUIRE(failed != report.stops.end());
  CHECK(failed->error.find(rock.to_string()) != std::string::npos);
  const auto runner = std::ranges::find(report.stops, "things/runner.yaml", &TourStop::path);
  REQUIRE(runner != report.stops.end());
  CHECK(runner->error.empty());
}

}  // namespace
}  // namespace muster
