// Presentations of entities and effects, which a client shows without code of the game.
#include <chrono>

#include <catch2/catch.hpp>

#include "runtime/world/world.h"
#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

/// The variation of an entity's presentation.
struct PresentationOwner {
  std::uint16_t variation = 0;
};
consteval auto describe(Type<PresentationOwner>) {
  return Describe<PresentationOwner>("PresentationOwner")
      .field<&PresentationOwner::variation>("variation");
}

Game shown_game() {
  Game game = make_game();
  game.components = components<Replicated, Transform, Runner, Burning, PresentationOwner>();
  return game;
}

std::string guid(int number) { return std::string(30, 'd') + "0" + std::to_string(number); }

/// Returns a build in which runners have the presentation `hat` or `helmet`, and for their player
/// also `hand`. The effect `flash` is a prefab with a pool of four.
const std::string& shown_build() {
  static const TemporaryFolder folder;
  static const bool is_built = [] {
    MemoryFileSystem files = project_of(shown_game());
    const std::string runner = std::string(31, 'a') + "1";
    files.add("things/runner.yaml",
              "class: Prefab\nroot:\n  name: runner\n  components:\n  - ReplicatedEntity: {}\n"
              "  - Transform: {}\n  - Runner: {score: 5}\n  - PresentationOwner: {variation: 0}\n");
    std::string entries;
    int number = 0;
    for (const auto& [name, type, variation] :
         {std::tuple{"hat", 0, 0}, std::tuple{"helmet", 0, 1}, std::tuple{"hand", 1, 0}}) {
      const std::string path = "things/" + std::string(name) + ".yaml";
      files.add(path, "class: Prefab\nroot:\n  name: " + std::string(name) +
                          "\n  components:\n  - Transform: {}\n");
      files.add(path + ".meta", "guid: " + guid(++number) + "\n");
      entries += "- {ownerAssetGuid: {guid: " + runner +
                 "}, platformFlags: 2, type: " + std::to_string(type) +
                 ", variation: " + std::to_string(variation) +
                 ", presentation: {guid: " + guid(number) + "}}\n";
    }
    files.add("things/presentations.yaml", "class: PresentationRegistry\nentries:\n" + entries);
    files.add("things/presentations.yaml.meta", "guid: " + guid(7) + "\n");
    files.add("things/flash.yaml",
              "class: Prefab\nroot:\n  name: flash\n  components:\n  - Transform: {}\n");
    files.add("things/flash.yaml.meta", "guid: " + guid(8) + "\n");
    files.add("things/effects.yaml",
              "class: SpatialEffectRegistry\nentries:\n- {type_id: 1, prefab: {guid: " + guid(8) +
                  "}, poolSize: 4}\n");
    files.add("things/effects.yaml.meta", "guid: " + guid(9) + "\n");
    build_project(files, folder.path());
    return true;
  }();
  static_cast<void>(is_built);
  return folder.path();
}

struct Stage {
  Stage() {
    auto opened = SimulatedMatch::open(shown_game(), shown_build(), {});
    REQUIRE(opened);
    match = std::move(opened.value());
    match->server().on_join(
        [this](PlayerId player) { runner = match->server().spawn("runner", {.owner = player}); });
    client = &match->add_client({.delay = 20ms});
    match->on_client_frame([](GameClient& each, Tick) { each.set_command(Steer{{1, 0, 0}}); });
    match->run(1s);
    shown = client->find(match->server().reference(runner));
    REQUIRE_FALSE(shown.is_null());
  }
  std::string name_of(PresentationType type) const {
    const EntityId root = client->presentation(shown, type);
    return root.is_null() ? "" : std::string(client->view().name(root));
  }

  std::unique_ptr<SimulatedMatch> match;
  GameClient* client = nullptr;
  EntityId runner;
  EntityId shown;
};

TEST_CASE("An entity has a presentation, and its owner sees a second presentation",
          "[session][flow]") {
  Stage stage;
  CHECK(stage.name_of(PresentationType::shared) == "hat");
  CHECK(stage.name_of(PresentationType::own) == "hand");
  const EntityReference first = stage.match->server().reference(stage.runner);
  GameClient& other = stage.match->add_client();
  stage.match->run(1s);
  const EntityId seen = other.find(first);
  CHECK_FALSE(other.presentation(seen).is_null());
  CHECK(other.presentation(seen, PresentationType::own).is_null());
}

TEST_CASE("In every frame, a presentation is at the drawn position of its entity",
          "[session][flow]") {
  Stage stage;
  const World& view = stage.client->view();
  const auto transform = view.component<Transform>("Transform");
  float last = -1;
  for (int i = 0; i < 30; ++i) {
    stage.match->run(16ms);
    const float drawn = stage.client->get<Transform>(stage.shown)->position.x;
    CHECK(view.get(transform, stage.client->presentation(stage.shown))->position.x == drawn);
    CHECK(drawn > last);
    last = drawn;
  }
}

TEST_CASE("A presentation follows the variation of its entity, and is removed with the entity",
          "[session][flow]") {
  Stage stage;
  stage.match->server().edit<PresentationOwner>(stage.runner)->variation = 1;
  stage.match->run(500ms);
  CHECK(stage.name_of(PresentationType::shared) == "helmet");
  CHECK(stage.client->metrics().presentations == 3);
  stage.match->server().despawn(stage.runner);
  stage.match->run(500ms);
  CHECK(stage.client->view().entity_count() == 4);  // The entities of the effect's pool.
}

TEST_CASE("An effect plays from its pool until its duration has passed", "[session][flow]") {
  Stage stage;
  stage.match->server().play("flash", {.position = {5, 6, 7}});
  stage.match->run(300ms);
  REQUIRE(stage.client->effects().size() == 1);
  const PlayingEffect& playing = stage.client->effects().front();
  CHECK(playing.position.y == 6);
  CHECK(stage.client->view().name(playing.root) == "flash");
  CHECK(playing.seconds < 0.3F);
  stage.match->run(1500ms);
  CHECK(stage.client->effects().empty());
  CHECK(stage.client->metrics().effects_played == 1);
  CHECK(stage.match->problems().empty());
}

TEST_CASE("An effect that is in no build is reported, unless the game plays it itself",
          "[session][flow]") {
  Stage stage;
  stage.match->server().play("boom", {});
  stage.match->run(500ms);
  REQUIRE(stage.match->problems().size() == 1);
  CHECK(stage.match->problems().front().kind == ProblemKind::unknown_type);
  CHECK(stage.match->problems().front().text.find("boom") != std::string::npos);
  int played = 0;
  stage.client->on_effect([&](const PlayedEffect&) { ++played; });
  stage.match->server().play("bang", {});
  stage.match->run(500ms);
  CHECK(played == 1);
  CHECK(stage.match->problems().size() == 1);
}

}  // namespace
}  // namespace muster
