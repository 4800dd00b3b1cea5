#include "runtime/spawn/presentation.h"

#include <catch2/catch.hpp>

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
  Spawner spawner{store, world};
  Presentations presentations{spawner};

  EntityId crate() { return spawner.spawn(guid(samples::kCrate)).value().root; }
};

PresentationKey crate_key(std::uint16_t variation, std::uint32_t type = 0,
                          std::uint16_t platforms = kPlatformClient) {
  return {guid(samples::kCrate), platforms, type, variation};
}

TEST_CASE("A presentation is found by its whole key", "[runtime][spawn][sys-9]") {
  Stage stage;
  const EntityId owner = stage.crate();
  const EntityId whole = stage.presentations.show(owner, crate_key(0)).value();
  CHECK(stage.world.name(whole) == "CrateLook");
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
  CHECK(stage.world.name(broken) == "CrateBroken");
  CHECK(stage.world.is_despawning(whole));
  CHECK(stage.presentations.owner_of(whole).is_null());
  stage.world.process_despawns();
  CHECK_FALSE(stage.world.is_alive(whole));
  CHECK(stage.world.is_alive(broken));
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
  stage.world.process_despawns();
  CHECK_FALSE(stage.world.is_alive(look));
  CHECK(stage.world.is_alive(other_look));
  CHECK(stage.presentations.update() == 0);
}

}  // namespace
}  // namespace muster
