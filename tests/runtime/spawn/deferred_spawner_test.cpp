#include "runtime/spawn/deferred_spawner.h"

#include <map>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "runtime/world/snapshot_ring.h"
#include "tests/support/spawn_stage.h"

namespace muster {
namespace {

using samples::Body;
using samples::guid;
using samples::Life;

constexpr Time kStart{};

struct Fixture : samples::SpawnStage {
  using SpawnStage::SpawnStage;

  void break_file(std::uint64_t asset) {
    const auto path = AssetPath::parse("client/" + samples::bundle_path(asset)).value();
    REQUIRE(files.remove(path).has_value());
  }
};

TEST_CASE("An entity exists before its bundle is loaded, and is completed afterwards",
          "[runtime][spawn][sys-13]") {
  Fixture f;
  const EntityId root = f.deferred.spawn(guid(samples::kCrate));
  CHECK(f.world.is_alive(root));
  CHECK(f.deferred.is_waiting(root));
  CHECK(f.world.first_child(root).is_null());
  // A snapshot is applied before the bundle is loaded. The values of the snapshot are kept.
  f.world.add(f.life, root, {42, 3});
  f.load();
  CHECK_FALSE(f.deferred.is_waiting(root));
  CHECK(*f.world.get(f.life, root) == Life{42, 3});
  CHECK_FALSE(f.world.first_child(root).is_null());
  CHECK(f.world.name(root) == "Crate");
  CHECK(f.deferred.counters().completed == 1);
  // The bundle is already loaded for the second entity.
  const EntityId second = f.deferred.spawn(guid(samples::kCrate));
  CHECK_FALSE(f.deferred.is_waiting(second));
  CHECK_FALSE(f.world.first_child(second).is_null());
}

TEST_CASE("An entity that despawns before its bundle is loaded leaves no request and no entity",
          "[runtime][spawn]") {
  Fixture f;
  const EntityId root = f.deferred.spawn(guid(samples::kCrate));
  f.world.request_despawn(root);
  f.world.process_despawns();
  f.load();
  CHECK(f.world.entity_count() == 0);
  CHECK(f.deferred.waiting_count() == 0);
}

TEST_CASE("An asset that cannot be loaded becomes a placeholder, is counted and reported once",
          "[runtime][spawn]") {
  Fixture f(guid(samples::kFlash));
  f.break_file(samples::kCrate);
  const EntityId first = f.deferred.spawn(guid(samples::kCrate));
  const EntityId second = f.deferred.spawn(guid(samples::kCrate));
  const EntityId unknown = f.deferred.spawn(guid(9999));
  f.load();
  CHECK(f.deferred.is_placeholder(first));
  CHECK(f.deferred.is_placeholder(second));
  CHECK(f.deferred.is_placeholder(unknown));
  CHECK(f.world.name(first).empty());
  CHECK(f.world.name(f.world.first_child(first)) == "Flash");
  CHECK(f.deferred.counters().failed == 3);
  const std::vector<Error> problems = f.deferred.drain_problems();
  REQUIRE(problems.size() == 2);
  CHECK(problems[1].message.find("Prefabs/Crate.prefab") != std::string::npos);
  CHECK(f.deferred.drain_problems().empty());
  f.world.request_despawn(first);
  f.world.process_despawns();
  f.deferred.update();
  CHECK_FALSE(f.deferred.is_placeholder(first));
}

TEST_CASE("A type id that is not assigned gives a placeholder", "[runtime][spawn]") {
  Fixture f;
  const EntityId root = f.deferred.spawn_type(RegistryIndex{0}, TypeId(60000));
  CHECK(f.world.is_alive(root));
  CHECK(f.deferred.is_placeholder(root));
  CHECK(f.deferred.drain_problems().at(0).code == ErrorCode::not_found);
  // Each id is reported once, and at most `kMaxReportedTypes` ids are reported.
  for (int i = 0; i < 100; ++i) f.deferred.spawn_type(RegistryIndex{0}, TypeId(60000));
  CHECK(f.deferred.drain_problems().empty());
  std::size_t reported = 1;
  for (std::uint32_t id = 50'000; id < 51'000; ++id) {
    f.deferred.spawn_type(RegistryIndex{0}, TypeId(id));
    reported += f.deferred.drain_problems().size();
  }
  CHECK(reported == DeferredSpawner::kMaxReportedTypes);
  CHECK(f.deferred.counters().failed == 1 + 100 + 1'000);
  f.deferred.retry();
  f.deferred.spawn_type(RegistryIndex{0}, TypeId(60000));
  CHECK(f.deferred.drain_problems().size() == 1);
}

TEST_CASE("A failed entity is retried, and its placeholder despawns", "[runtime][spawn]") {
  Fixture f(guid(samples::kFlash));
  const auto path = AssetPath::parse("client/" + samples::bundle_path(samples::kCrate)).value();
  ByteVector buffer;
  const Bytes bytes = read_whole(f.files, path, 1 << 20, buffer).value();
  f.break_file(samples::kCrate);
  const EntityId root = f.deferred.spawn(guid(samples::kCrate));
  f.load();
  REQUIRE(f.deferred.is_placeholder(root));
  const EntityId placeholder = f.world.first_child(root);
  f.deferred.retry();
  f.load();
  CHECK(f.deferred.is_placeholder(root));  // The crate's bundle is still missing.
  CHECK(f.world.next_sibling(placeholder).is_null());
  REQUIRE(f.files.write(path, bytes).has_value());
  f.deferred.retry();
  CHECK(f.deferred.is_waiting(root));
  f.load();
  f.world.process_despawns();
  CHECK_FALSE(f.deferred.is_placeholder(root));
  CHECK(f.world.name(root) == "Crate");
  CHECK_FALSE(f.world.is_alive(placeholder));
  CHECK(f.deferred.drain_problems().size() == 2);
}

TEST_CASE("A bundle stays loaded as long as an entity uses it", "[runtime][spawn]") {
  Fixture f;
  const std::uint32_t bundle = f.store.catalog().bundle_of(guid(samples::kCrate)).value();
  const EntityId root = f.deferred.spawn(guid(samples::kCrate));
  f.load();
  const std::uint64_t all = f.loader.memory_bytes();
  BundleLoader cramped(f.store, f.executor, {.memory_budget_bytes = all});
  f.deferred.retry(cramped);
  f.deferred.update();
  CHECK_FALSE(cramped.request_asset(guid(samples::kHeroClient)).value().is_empty());
  cramped.update(kStart);
  CHECK(f.store.is_open(bundle));
  f.world.request_despawn(root);
  f.world.process_despawns();
  f.deferred.update();
  const BundleHandle hero = cramped.request_asset(guid(samples::kHeroClient)).value();
  for (int i = 0; i < 4; ++i) cramped.update(kStart);
  CHECK(hero.state() == LoadState::ready);
  CHECK_FALSE(f.store.is_open(bundle));
}

// The structure of a crate: its children by name, and the number of components.
struct Shape {
  std::string name;
  int children = 0;
  bool has_life = false;
  friend bool operator==(const Shape&, const Shape&) = default;
};

Shape shape_of(const Fixture& f, EntityId root) {
  Shape shape{std::string(f.world.name(root)), 0, f.world.has(f.life.id(), root)};
  for (EntityId child = f.world.first_child(root); !child.is_null();
       child = f.world.next_sibling(child)) {
    ++shape.children;
  }
  return shape;
}

TEST_CASE("For restores of the world at any moment, each entity is completed exactly once",
          "[runtime][spawn][property]") {
  Fixture whole;
  const EntityId crate = whole.deferred.spawn(guid(samples::kCrate));
  const EntityId factory = whole.deferred.spawn(guid(samples::kFactory));
  whole.load();
  const std::map<Guid, Shape> shapes = {{guid(samples::kCrate), shape_of(whole, crate)},
                                        {guid(samples::kFactory), shape_of(whole, factory)}};
  REQUIRE(shapes.at(guid(samples::kCrate)).children > 0);
  const auto seed = GENERATE(range(1U, 41U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  Fixture f;
  SnapshotRing ring(f.world, 8);
  std::vector<std::map<EntityId, Guid>> roots(8);  // The live roots of each tick.
  std::map<EntityId, Guid> present;
  std::uint32_t tick = 0;
  const auto capture = [&] {
    ring.capture(Tick(++tick));
    roots[tick % 8] = present;
  };
  capture();
  for (int i = 0; i < 60; ++i) {
    switch (random() % 5) {
      case 0:
      case 1: {
        const Guid asset = random() % 2 == 0 ? guid(samples::kCrate) : guid(samples::kFactory);
        present[f.deferred.spawn(asset)] = asset;
        break;
      }
      case 2:
        f.loader.update(kStart);
        f.deferred.update();
        break;
      case 3:
        if (!present.empty()) {
          f.world.request_despawn(present.begin()->first);
          present.erase(present.begin());
          f.world.process_despawns();
        }
        break;
      default: {
        const auto back = static_cast<std::uint32_t>(1 + random() % 7);
        if (back >= tick || !ring.restore(Tick(tick - back))) break;
        tick -= back;
        present = roots[tick % 8];
        break;
      }
    }
    if (random() % 2 == 0) capture();
  }
  for (int i = 0; i < 6; ++i) f.load();
  for (const auto& [root, asset] : present) {
    CAPTURE(asset.to_string());
    REQUIRE(f.world.is_alive(root));
    CHECK_FALSE(f.deferred.is_waiting(root));
    CHECK(shape_of(f, root) == shapes.at(asset));
  }
}

}  // namespace
}  // namespace muster
