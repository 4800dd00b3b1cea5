// Changes that a game makes through `world()`.
#include <chrono>

#include <catch2/catch.hpp>

#include "runtime/world/world.h"
#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

/// Returns the folder of a build whose prefab `runner` has a child `Hat`.
const std::string& hat_folder() {
  static const TemporaryFolder folder;
  static const bool is_built = [] {
    MemoryFileSystem files = project_of(make_game());
    files.add("things/runner.yaml",
              "class: Prefab\nroot:\n  name: runner\n  components:\n  - ReplicatedEntity: {}\n"
              "  - Transform: {}\n  - Runner: {}\n  children:\n  - name: Hat\n    components:\n"
              "    - Transform: {}\n");
    build_project(files, folder.path());
    return true;
  }();
  static_cast<void>(is_built);
  return folder.path();
}

/// A match with a runner and a rock.
struct Stage {
  Stage() {
    auto opened = SimulatedMatch::open(make_game(), hat_folder(), {.seed = 31});
    REQUIRE(opened);
    match = std::move(opened.value());
    runner = match->server().spawn("runner");
    rock = match->server().spawn("rock");
    match->add_client();
    match->run(1s);
    REQUIRE(match->problems().empty());
  }
  World& world() { return match->server().world(); }
  EntityId hat() { return world().first_child(runner); }
  ComponentHandle<Burning> burning() { return world().component<Burning>("Burning"); }
  ComponentHandle<Transform> transform() { return world().component<Transform>("Transform"); }
  /// Runs the match, and returns the texts of the new problems.
  std::vector<std::string> reported() {
    const std::size_t before = match->problems().size();
    match->run(2s);
    std::vector<std::string> texts;
    for (const Problem& problem : match->problems().subspan(before)) {
      CHECK(problem.kind == ProblemKind::unsupported_change);
      texts.push_back(problem.component + ": " + problem.text.substr(0, problem.text.find(" thr")));
    }
    return texts;
  }

  std::unique_ptr<SimulatedMatch> match;
  EntityId runner;
  EntityId rock;
};

using Texts = std::vector<std::string>;

TEST_CASE("Components that a game adds or removes through `world()` are reported",
          "[session][flow]") {
  Stage stage;
  World& world = stage.world();
  CHECK(world.add(stage.burning(), stage.runner, {}));
  CHECK(world.remove(stage.transform().id(), stage.hat()));
  CHECK(stage.reported() ==
        Texts{"Burning: a component was added to an entity of things/runner.yaml",
              "Transform: a component was removed from an entity of things/runner.yaml"});
  const Problem& problem = stage.match->problems().front();
  CHECK(problem.entity == stage.runner);
  CHECK(problem.count == 1);
}

TEST_CASE("Many changes of the same component and type give one report with their number",
          "[session][flow]") {
  Stage stage;
  for (int i = 0; i < 20; ++i) {
    const EntityId rock = stage.match->server().spawn("rock");
    CHECK(stage.world().add(stage.burning(), rock, {}));
  }
  CHECK(stage.reported() == Texts{"Burning: a component was added to an entity of "
                                  "things/rock.yaml"});
  CHECK(stage.match->problems().front().count == 20);
}

TEST_CASE("Parents that a game changes through `world()` are reported", "[session][flow]") {
  Stage stage;
  World& world = stage.world();
  SECTION("A replicated entity gets a parent") {
    CHECK(world.set_parent(stage.rock, stage.runner));
    CHECK(stage.reported() == Texts{": the parent of an entity of things/rock.yaml changed"});
  }
  SECTION("A child moves to another entity") {
    CHECK(world.set_parent(stage.hat(), stage.rock));
    CHECK(stage.reported() == Texts{": a child was moved away from an entity of things/runner.yaml",
                                    ": a child was added to an entity of things/rock.yaml"});
  }
  SECTION("A replicated entity gets a new child") {
    const EntityId child = world.create({.parent = stage.rock});
    CHECK(world.add(stage.burning(), child, {}));
    CHECK(stage.reported() == Texts{": a child was added to an entity of things/rock.yaml"});
  }
}

TEST_CASE("A child that a game despawns through `world()` is reported", "[session][flow]") {
  Stage stage;
  CHECK(stage.world().request_despawn(stage.hat()));
  CHECK(stage.reported() == Texts{": a child of an entity of things/runner.yaml despawned"});
  CHECK(stage.match->problems().front().entity == stage.runner);
}

TEST_CASE("A child that a game moves and despawns in the same tick is reported",
          "[session][flow]") {
  Stage stage;
  World& world = stage.world();
  const EntityId hat = stage.hat();
  SECTION("The child itself is despawned") {
    CHECK(world.set_parent(hat, {}));
    CHECK(world.request_despawn(hat));
  }
  SECTION("Its new parent is despawned") {
    const EntityId own = world.create();
    CHECK(world.set_parent(hat, own));
    CHECK(world.request_despawn(own));
  }
  CHECK(stage.reported() == Texts{": a child of an entity of things/runner.yaml despawned"});
}

TEST_CASE("A change in the tick of the spawn is reported", "[session][flow]") {
  Stage stage;
  World& world = stage.world();
  const EntityId runner = stage.match->server().spawn("runner");
  const EntityId hat = world.first_child(runner);
  SECTION("A child is despawned") {
    CHECK(world.request_despawn(hat));
    CHECK(stage.reported() == Texts{": a child of an entity of things/runner.yaml despawned"});
  }
  SECTION("A child moves to another new entity") {
    CHECK(world.set_parent(hat, stage.match->server().spawn("rock")));
    CHECK(stage.reported() == Texts{": a child was moved away from an entity of things/runner.yaml",
                                    ": a child was added to an entity of things/rock.yaml"});
  }
  SECTION("A child is despawned, and later the root gets a component") {
    CHECK(world.request_despawn(hat));
    CHECK(stage.reported().size() == 1);
    CHECK(world.add(stage.burning(), runner, {}));
    CHECK(stage.reported() ==
          Texts{"Burning: a component was added to an entity of things/runner.yaml"});
  }
}

TEST_CASE("The end of an unsupported change is not reported", "[session][flow]") {
  Stage stage;
  World& world = stage.world();
  SECTION("A component is added, and removed later") {
    CHECK(world.add(stage.burning(), stage.runner, {}));
    CHECK(stage.reported().size() == 1);
    CHECK(world.remove(stage.burning().id(), stage.runner));
  }
  SECTION("A component is removed, and added again later") {
    CHECK(world.remove(stage.transform().id(), stage.hat()));
    CHECK(stage.reported().size() == 1);
    CHECK(world.add(stage.transform(), stage.hat(), {}));
  }
  SECTION("A child that the game created changes and is despawned") {
    const EntityId child = world.create({.parent = stage.rock});
    CHECK(stage.reported().size() == 1);
    CHECK(world.add(stage.burning(), child, {}));
    CHECK(stage.reported().empty());
    CHECK(world.request_despawn(child));
  }
  SECTION("A replicated entity with a replicated parent despawns") {
    CHECK(world.set_parent(stage.rock, stage.runner));
    CHECK(stage.reported().size() == 1);
    stage.match->server().despawn(stage.rock);
  }
  CHECK(stage.reported().empty());
}

/// A system that adds a rock's position before the prefab's components are added.
void spawn_at_seven(SystemContext& ctx) {
  if (ctx.tick() != Tick(5)) return;
  const EntityId rock = ctx.spawn("rock");
  CHECK(ctx.world().add(ctx.world().component<Transform>("Transform"), rock, {{7, 0, 0}}));
}

TEST_CASE("A value for a component of the prefab may be added to a new entity", "[session][flow]") {
  Game game = make_game();
  game.server_systems = systems<spawn_at_seven>();
  auto opened = SimulatedMatch::open(game, build_folder(), {});
  REQUIRE(opened);
  SimulatedMatch& match = *opened.value();
  GameClient& client = match.add_client();
  match.run(1s);
  float x = 0;
  client.each<const Transform>([&](const Transform& at) { x = at.position.x; });
  CHECK(x == 7);
  CHECK(match.problems().empty());
}

/// A system that gives every rock a component that its prefab does not have.
void ignite(SystemContext& ctx) {
  const auto burning = ctx.world().component<Burning>("Burning");
  ctx.each_known<const Transform>([&](EntityId id, const Transform&) {
    if (ctx.get<Runner>(id) == nullptr) ctx.world().add(burning, id, {});
  });
}

TEST_CASE("A system's changes through `world()` are reported", "[session][flow]") {
  Game game = make_game();
  game.server_systems = systems<ignite>();
  auto opened = SimulatedMatch::open(game, build_folder(), {});
  REQUIRE(opened);
  SimulatedMatch& match = *opened.value();
  const EntityId rock = match.server().spawn("rock");
  match.run(1s);
  REQUIRE(match.problems().size() == 1);
  CHECK(match.problems().front().entity == rock);
  CHECK(match.problems().front().component == "Burning");
}

TEST_CASE("Changes through `world()` that clients do not need are not reported",
          "[session][flow]") {
  Stage stage;
  World& world = stage.world();
  // Changes that are undone before the next tick.
  CHECK(world.add(stage.burning(), stage.runner, {}));
  CHECK(world.remove(stage.burning().id(), stage.runner));
  const EntityId hat = stage.hat();
  CHECK(world.set_parent(hat, {}));
  CHECK(world.set_parent(hat, stage.runner));
  // Entities that are not replicated.
  const EntityId own = world.create();
  const EntityId child = world.create({.parent = own});
  CHECK(world.add(stage.burning(), child, {}));
  CHECK(world.request_despawn(child));
  // A despawn of the whole entity.
  CHECK(world.request_despawn(stage.rock));
  CHECK(stage.reported().empty());
  // Changes by the server itself.
  stage.match->server().despawn(stage.match->server().spawn("runner", {}, Transform{}));
  CHECK(stage.reported().empty());
  CHECK(stage.match->differences().empty());
}

}  // namespace
}  // namespace muster
