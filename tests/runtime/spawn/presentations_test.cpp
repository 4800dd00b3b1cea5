#include "runtime/spawn/presentations.h"

#include <catch2/catch.hpp>

#include "runtime/world/snapshot_ring.h"
#include "tests/support/spawn_stage.h"

namespace muster {
namespace {

using samples::guid;

/// A game's world, and a view whose presentations are completed when their bundles are loaded.
struct Stage : samples::SpawnStage {
  explicit Stage(const Guid& placeholder = {}) : SpawnStage(placeholder) {}

  World game{samples::game_components()};
  Spawner logic{store, game};
  World& view = SpawnStage::world;
  Presentations presentations{deferred, game};

  EntityId crate() { return logic.spawn(guid(samples::kCrate)).value().root; }
  /// Shows a presentation, and waits until it is loaded.
  EntityId show(EntityId owner, const PresentationKey& key) {
    const EntityId root = presentations.show(owner, key).value();
    settle();
    return root;
  }
  void settle() {
    load();
    presentations.update();
    view.process_despawns();
  }
  std::uint32_t shown_count() {
    presentations.update();
    view.process_despawns();
    std::uint32_t roots = 0;
    view.each_entity([&](EntityId entity) { roots += view.parent(entity).is_null() ? 1U : 0U; });
    return roots;
  }
  void break_file(std::uint64_t asset) {
    const auto path = AssetPath::parse("client/" + samples::bundle_path(asset)).value();
    REQUIRE(files.remove(path).has_value());
  }
};

PresentationKey crate_key(std::uint16_t variation, PresentationType type = PresentationType::shared,
                          std::uint16_t platforms = kPlatformClient) {
  return {guid(samples::kCrate), platforms, type, variation};
}

TEST_CASE("A presentation is found by all parts of its key", "[runtime][spawn][sys-9]") {
  Stage stage;
  const EntityId owner = stage.crate();
  const EntityId whole = stage.show(owner, crate_key(0));
  CHECK(stage.view.name(whole) == "CrateLook");
  CHECK(stage.presentations.shown(owner, PresentationType::shared) == whole);
  CHECK(stage.presentations.owner_of(whole) == owner);
  const auto refused = GENERATE(table<PresentationKey, const char*>({
      {crate_key(2), "no such variation"},
      {crate_key(1, PresentationType::own), "no such variation of that type"},
      {crate_key(0, PresentationType{2}), "no such type"},
      {crate_key(0, PresentationType::shared, kPlatformServer), "not for servers"},
      {{guid(samples::kFactory), kPlatformClient, PresentationType::shared, 0}, "another owner"},
  }));
  CAPTURE(std::get<1>(refused));
  CHECK(stage.presentations.show(owner, std::get<0>(refused)).error().code == ErrorCode::not_found);
  // The shown presentation does not change.
  CHECK(stage.presentations.shown(owner, PresentationType::shared) == whole);
}

TEST_CASE("Another variation replaces the previous one", "[runtime][spawn][sys-9]") {
  Stage stage;
  const EntityId owner = stage.crate();
  const EntityId whole = stage.show(owner, crate_key(0));
  CHECK(stage.show(owner, crate_key(0)) == whole);
  const EntityId broken = stage.show(owner, crate_key(1));
  CHECK(stage.view.name(broken) == "CrateBroken");
  CHECK(stage.presentations.owner_of(whole).is_null());
  CHECK_FALSE(stage.view.is_alive(whole));
  CHECK(stage.view.is_alive(broken));
}

TEST_CASE("Presentations of different types exist together", "[runtime][spawn][sys-9]") {
  Stage stage;
  const EntityId owner = stage.crate();
  const EntityId third = stage.show(owner, crate_key(0));
  const EntityId first = stage.show(owner, crate_key(0, PresentationType::own));
  CHECK(stage.presentations.shown(owner, PresentationType::shared) == third);
  CHECK(stage.presentations.shown(owner, PresentationType::own) == first);
  stage.presentations.hide(owner, PresentationType::own);
  CHECK(stage.presentations.shown(owner, PresentationType::own).is_null());
  CHECK(stage.presentations.shown(owner, PresentationType::shared) == third);
}

TEST_CASE("A presentation despawns with its owner", "[runtime][spawn][sys-9]") {
  Stage stage;
  const EntityId owner = stage.crate();
  const EntityId other = stage.crate();
  const EntityId look = stage.show(owner, crate_key(0));
  const EntityId other_look = stage.show(other, crate_key(0));
  stage.game.request_despawn(owner);
  CHECK(stage.presentations.show(owner, crate_key(1)).error().code == ErrorCode::invalid_argument);
  CHECK(stage.presentations.update() == 1);
  stage.view.process_despawns();
  CHECK_FALSE(stage.view.is_alive(look));
  CHECK(stage.view.is_alive(other_look));
  CHECK(stage.presentations.update() == 0);
}

TEST_CASE("A restore neither loses, duplicates nor reassigns a presentation",
          "[runtime][spawn][sys-9]") {
  Stage stage;
  SnapshotRing ring(stage.game, 8);
  const EntityId owner = stage.crate();
  const EntityId whole = stage.show(owner, crate_key(0));
  ring.capture(Tick(10));
  SECTION("the owner's despawn is undone before an update") {
    stage.game.request_despawn(owner);
    stage.game.process_despawns();
    ring.restore(Tick(10));
    CHECK(stage.show(owner, crate_key(0)) == whole);
    CHECK(stage.shown_count() == 1);
  }
  SECTION("the owner's despawn is undone after an update") {
    stage.game.request_despawn(owner);
    stage.game.process_despawns();
    CHECK(stage.shown_count() == 0);
    ring.restore(Tick(10));
    CHECK(stage.view.name(stage.show(owner, crate_key(0))) == "CrateLook");
    CHECK(stage.shown_count() == 1);
  }
  SECTION("the request for another variation is undone") {
    REQUIRE(stage.presentations.show(owner, crate_key(1)).has_value());
    ring.restore(Tick(10));
    CHECK(stage.view.name(stage.show(owner, crate_key(0))) == "CrateLook");
    CHECK(stage.shown_count() == 1);
  }
  SECTION("another entity gets the id of an entity that was undone") {
    const EntityId second = stage.crate();
    REQUIRE(stage.presentations.show(second, crate_key(0)).has_value());
    ring.restore(Tick(10));
    const EntityId shot = stage.game.create();
    REQUIRE(shot == second);
    CHECK(stage.presentations.show(shot, crate_key(1)).has_value());
    CHECK_FALSE(stage.game.is_despawning(shot));
    stage.settle();
    CHECK(stage.shown_count() == 2);
  }
}

TEST_CASE("An owner with a signature keeps its presentation under another id",
          "[runtime][spawn][sys-9]") {
  Stage stage;
  constexpr Signature kShot("shot");
  SnapshotRing ring(stage.game, 8);
  ring.capture(Tick(10));
  const EntityId before = stage.game.create({.signature = kShot});
  const EntityId look = stage.show(before, crate_key(0));
  ring.restore(Tick(10));
  stage.game.create();  // This entity uses the free slot.
  const EntityId after = stage.game.create({.signature = kShot});
  REQUIRE(after != before);
  CHECK(stage.show(after, crate_key(0)) == look);
  CHECK(stage.presentations.owner_of(look) == after);
  CHECK(stage.shown_count() == 1);
}

TEST_CASE("Showing a presentation reads no file, and completes when its bundle is loaded",
          "[runtime][spawn][sys-9]") {
  Stage stage;
  const EntityId owner = stage.game.create();
  const EntityId look = stage.presentations.show(owner, crate_key(0)).value();
  CHECK(stage.store.counters().bundles_opened == 0);
  CHECK(stage.view.is_alive(look));
  CHECK(stage.deferred.is_waiting(look));
  CHECK(stage.presentations.shown(owner, PresentationType::shared) == look);
  CHECK(stage.presentations.show(owner, crate_key(0)).value() == look);
  stage.settle();
  CHECK(stage.view.name(look) == "CrateLook");
  CHECK(stage.shown_count() == 1);
}

TEST_CASE("The previous variation is visible until the new variation is loaded",
          "[runtime][spawn][sys-9]") {
  Stage stage;
  const EntityId owner = stage.game.create();
  const EntityId whole = stage.show(owner, crate_key(0));
  const EntityId broken = stage.presentations.show(owner, crate_key(1)).value();
  CHECK(stage.shown_count() == 2);
  CHECK(stage.presentations.shown(owner, PresentationType::shared) == whole);
  CHECK(stage.presentations.owner_of(whole) == owner);
  CHECK(stage.presentations.owner_of(broken) == owner);
  SECTION("the new variation is loaded") {
    stage.settle();
    CHECK(stage.presentations.shown(owner, PresentationType::shared) == broken);
    CHECK_FALSE(stage.view.is_alive(whole));
  }
  SECTION("the previous variation is requested again") {
    CHECK(stage.presentations.show(owner, crate_key(0)).value() == whole);
    CHECK(stage.view.is_despawning(broken));
    stage.settle();
    CHECK(stage.presentations.shown(owner, PresentationType::shared) == whole);
    CHECK_FALSE(stage.view.is_alive(broken));
    CHECK(stage.shown_count() == 1);
  }
  SECTION("the owner despawns before the load") {
    stage.game.request_despawn(owner);
    CHECK(stage.presentations.update() == 1);
    CHECK(stage.shown_count() == 0);
  }
  SECTION("the presentation is hidden before the load") {
    stage.presentations.hide(owner, PresentationType::shared);
    CHECK(stage.shown_count() == 0);
  }
}

TEST_CASE("A visible presentation stays if its successor cannot be loaded",
          "[runtime][spawn][sys-9]") {
  Stage stage;
  stage.break_file(samples::kCrateBroken);
  const EntityId owner = stage.game.create();
  const EntityId whole = stage.show(owner, crate_key(0));
  REQUIRE(stage.presentations.show(owner, crate_key(1)).has_value());
  for (int frame = 0; frame < 3; ++frame) stage.settle();
  CHECK(stage.presentations.shown(owner, PresentationType::shared) == whole);
  CHECK(stage.deferred.drain_problems().size() == 1);
  CHECK(stage.presentations.show(owner, crate_key(0)).value() == whole);
  CHECK(stage.shown_count() == 1);
}

TEST_CASE(
    "A presentation that cannot be loaded gets a placeholder, and is reported once and counted",
    "[runtime][spawn][sys-9]") {
  Stage stage(guid(samples::kSky));
  stage.break_file(samples::kCrateLook);
  const EntityId owner = stage.game.create();
  const EntityId look = stage.presentations.show(owner, crate_key(0)).value();
  for (int frame = 0; frame < 3; ++frame) {
    CHECK(stage.presentations.show(owner, crate_key(0)).value() == look);
    stage.settle();
  }
  CHECK(stage.deferred.is_placeholder(look));
  CHECK_FALSE(stage.view.first_child(look).is_null());
  CHECK(stage.deferred.counters().failed == 1);
  CHECK(stage.deferred.drain_problems().size() == 1);
  SECTION("another presentation replaces it") {
    stage.show(owner, crate_key(1));
    CHECK(stage.view.name(stage.presentations.shown(owner, PresentationType::shared)) ==
          "CrateBroken");
    CHECK(stage.shown_count() == 1);
  }
  SECTION("it despawns with its owner") {
    stage.game.request_despawn(owner);
    stage.game.process_despawns();
    CHECK(stage.shown_count() == 0);
  }
}

}  // namespace
}  // namespace muster
