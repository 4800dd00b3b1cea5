#include "runtime/spawn/presentation.h"

#include <catch2/catch.hpp>

#include "runtime/world/snapshot_ring.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

using samples::guid;

struct Stage {
  MemoryFileSystem files = samples::build();
  FileSystemSource source{files, AssetPath::parse("client").value()};
  BundleStore store = BundleStore::open(source).value();
  World world{samples::game_components()};
  World view{samples::game_components()};
  Spawner spawner{store, world};
  Spawner views{store, view};
  Presentations presentations{views, world};

  EntityId crate() { return spawner.spawn(guid(samples::kCrate)).value().root; }
  std::uint32_t shown_count() {
    presentations.update();
    view.process_despawns();
    std::uint32_t roots = 0;
    view.each_entity([&](EntityId entity) { roots += view.parent(entity).is_null() ? 1U : 0U; });
    return roots;
  }
};

PresentationKey crate_key(std::uint16_t variation, std::uint32_t type = 0,
                          std::uint16_t platforms = kPlatformClient) {
  return {guid(samples::kCrate), platforms, type, variation};
}

TEST_CASE("A presentation is found by its whole key", "[runtime][spawn][sys-9]") {
  Stage stage;
  const EntityId owner = stage.crate();
  const EntityId whole = stage.presentations.show(owner, crate_key(0)).value();
  CHECK(stage.view.name(whole) == "CrateLook");
  CHECK(stage.presentations.shown(owner, 0) == whole);
  CHECK(stage.presentations.owner_of(whole) == owner);
  const auto refused = GENERATE(table<PresentationKey, const char*>({
      {crate_key(2), "no such variation"},
      {crate_key(1, 1), "no such variation of that type"},
      {crate_key(0, 2), "no such type"},
      {crate_key(0, 0, kPlatformServer), "not for servers"},
      {{guid(samples::kFactory), kPlatformClient, 0, 0}, "another owner"},
  }));
  CAPTURE(std::get<1>(refused));
  CHECK(stage.presentations.show(owner, std::get<0>(refused)).error().code == ErrorCode::not_found);
  CHECK(stage.presentations.shown(owner, 0) == whole);  // What was shown stays.
}

TEST_CASE("Another variation takes the place of the one before", "[runtime][spawn][sys-9]") {
  Stage stage;
  const EntityId owner = stage.crate();
  const EntityId whole = stage.presentations.show(owner, crate_key(0)).value();
  CHECK(stage.presentations.show(owner, crate_key(0)).value() == whole);
  const EntityId broken = stage.presentations.show(owner, crate_key(1)).value();
  CHECK(stage.view.name(broken) == "CrateBroken");
  CHECK(stage.view.is_despawning(whole));
  CHECK(stage.presentations.owner_of(whole).is_null());
  stage.view.process_despawns();
  CHECK_FALSE(stage.view.is_alive(whole));
  CHECK(stage.view.is_alive(broken));
}

TEST_CASE("Types of presentations stand side by side", "[runtime][spawn][sys-9]") {
  Stage stage;
  const EntityId owner = stage.crate();
  const EntityId third = stage.presentations.show(owner, crate_key(0, 0)).value();
  const EntityId first = stage.presentations.show(owner, crate_key(0, 1)).value();
  CHECK(stage.presentations.shown(owner, 0) == third);
  CHECK(stage.presentations.shown(owner, 1) == first);
  stage.presentations.hide(owner, 1);
  CHECK(stage.presentations.shown(owner, 1).is_null());
  CHECK(stage.presentations.shown(owner, 0) == third);
}

TEST_CASE("A presentation leaves with its owner", "[runtime][spawn][sys-9]") {
  Stage stage;
  const EntityId owner = stage.crate();
  const EntityId other = stage.crate();
  const EntityId look = stage.presentations.show(owner, crate_key(0)).value();
  const EntityId other_look = stage.presentations.show(other, crate_key(0)).value();
  stage.world.request_despawn(owner);
  CHECK(stage.presentations.show(owner, crate_key(1)).error().code == ErrorCode::invalid_argument);
  CHECK(stage.presentations.update() == 1);
  stage.view.process_despawns();
  CHECK_FALSE(stage.view.is_alive(look));
  CHECK(stage.view.is_alive(other_look));
  CHECK(stage.presentations.update() == 0);
}

TEST_CASE("Going back in time neither loses, doubles nor hands over a presentation",
          "[runtime][spawn][sys-9]") {
  Stage stage;
  SnapshotRing ring(stage.world, 8);
  const EntityId owner = stage.crate();
  const EntityId whole = stage.presentations.show(owner, crate_key(0)).value();
  ring.capture(Tick(10));
  SECTION("when the owner's end is taken back before anybody looked") {
    stage.world.request_despawn(owner);
    stage.world.process_despawns();
    ring.restore(Tick(10));
    CHECK(stage.presentations.show(owner, crate_key(0)).value() == whole);
    CHECK(stage.shown_count() == 1);
  }
  SECTION("when the owner's end is taken back afterwards") {
    stage.world.request_despawn(owner);
    stage.world.process_despawns();
    CHECK(stage.shown_count() == 0);
    ring.restore(Tick(10));
    CHECK(stage.view.name(stage.presentations.show(owner, crate_key(0)).value()) == "CrateLook");
    CHECK(stage.shown_count() == 1);
  }
  SECTION("when another variation is taken back") {
    REQUIRE(stage.presentations.show(owner, crate_key(1)).has_value());
    ring.restore(Tick(10));
    CHECK(stage.view.name(stage.presentations.show(owner, crate_key(0)).value()) == "CrateLook");
    CHECK(stage.shown_count() == 1);
  }
  SECTION("when another entity gets the id of one that was taken back") {
    const EntityId second = stage.crate();
    REQUIRE(stage.presentations.show(second, crate_key(0)).has_value());
    ring.restore(Tick(10));
    const EntityId shot = stage.world.create();
    REQUIRE(shot == second);
    CHECK(stage.presentations.show(shot, crate_key(1)).has_value());
    CHECK_FALSE(stage.world.is_despawning(shot));
    CHECK(stage.shown_count() == 2);
  }
}

TEST_CASE("An owner with a signature keeps its presentation under another id",
          "[runtime][spawn][sys-9]") {
  Stage stage;
  constexpr Signature kShot("shot");
  SnapshotRing ring(stage.world, 8);
  ring.capture(Tick(10));
  const EntityId before = stage.world.create({.signature = kShot});
  const EntityId look = stage.presentations.show(before, crate_key(0)).value();
  ring.restore(Tick(10));
  stage.world.create();  // Takes the place.
  const EntityId after = stage.world.create({.signature = kShot});
  REQUIRE(after != before);
  CHECK(stage.presentations.show(after, crate_key(0)).value() == look);
  CHECK(stage.presentations.owner_of(look) == after);
  CHECK(stage.shown_count() == 1);
}

}  // namespace
}  // namespace muster
