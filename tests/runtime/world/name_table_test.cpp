// Names of despawned entities.
#include <string>

#include <catch2/catch.hpp>

#include "runtime/world/snapshot_ring.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"

namespace muster {

TEST_CASE("A world removes the names of despawned entities, and no other names",
          "[runtime][world]") {
  World world(samples::game_components());
  const NameId kept = world.intern_kept("Bullet");
  const EntityId hero = world.create({.name = world.intern("Hero")});
  for (int i = 0; i < 100'000; ++i) {
    const std::string name = "Bullet " + std::to_string(i);
    const EntityId bullet = world.create({.name = world.intern(name)});
    REQUIRE(world.name(bullet) == name);
    world.request_despawn(bullet);
    if (i % 10 == 0) world.process_despawns();
    REQUIRE(world.name_count() < 10'000);
  }
  CHECK(world.name(hero) == "Hero");
  CHECK(world.text(kept) == "Bullet");
  CHECK(world.intern("Hero") == world.intern("Hero"));
  CHECK(world.name(world.create({.name = kept})) == "Bullet");
}

TEST_CASE("The number of a removed name is not used again", "[runtime][world]") {
  NameTable names;
  const NameId old = names.intern("old");
  names.forget_unused({});
  CHECK(names.text(old).empty());
  const NameId fresh = names.intern("fresh");
  CHECK(fresh != old);
  CHECK(names.intern("old") != old);
  CHECK(names.text(old).empty());
}

TEST_CASE("After a restore from a copy, a world again has the names that were removed later",
          "[runtime][world]") {
  NameTable names;
  const NameId old = names.intern("old");
  const NameTable copy = names;
  const NameId kept = names.intern_kept("kept");
  names.forget_unused({});
  const NameId again = names.intern("old");
  names.become(copy);
  CHECK(names.text(old) == "old");
  CHECK(names.text(kept) == "kept");
  CHECK(names.text(again) == "old");
  CHECK(names.intern("old") == again);
  names.forget_unused({});
  CHECK(names.size() == 2);
  CHECK(names.intern("old") > again);
  // A table with other names belongs to another world.
  NameTable other;
  (void)other.intern("another");
  names.become(other);
  CHECK(names.text(old) == "another");
}

TEST_CASE("A ring of snapshots keeps the names of entities that it restores", "[runtime][world]") {
  World world(samples::game_components());
  SnapshotRing ring(world, 4);
  const EntityId hero = world.create({.name = world.intern("Hero")});
  ring.capture(Tick(1));
  world.request_despawn(hero);
  world.process_despawns();
  for (int i = 0; i < 20'000; ++i) (void)world.intern("name " + std::to_string(i));
  world.process_despawns();
  CHECK(world.name_count() < 10'000);
  REQUIRE(ring.restore(Tick(1)));
  CHECK(world.name(hero) == "Hero");
}

}  // namespace muster
