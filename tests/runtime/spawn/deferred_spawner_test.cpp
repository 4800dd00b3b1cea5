#include "runtime/spawn/deferred_spawner.h"

#include <catch2/catch.hpp>

#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

using samples::Body;
using samples::guid;
using samples::Life;

constexpr Time kStart{};

struct Fixture {
  explicit Fixture(const Guid& placeholder = {})
      : deferred(spawner, loader, {.placeholder = placeholder}) {}

  void load() {
    for (int i = 0; i < 4; ++i) loader.update(kStart);
    deferred.update();
  }
  void break_file(std::uint64_t asset) {
    const auto path = AssetPath::parse("client/" + samples::bundle_path(asset)).value();
    REQUIRE(files.remove(path).has_value());
  }

  MemoryFileSystem files = samples::build();
  FileSystemSource source{files, AssetPath::parse("client").value()};
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor{source, store.catalog()};
  BundleLoader loader{store, executor, {}};
  World world{samples::game_components()};
  Spawner spawner{store, world};
  DeferredSpawner deferred;
  ComponentHandle<Life> life = world.component<Life>("Life");
  ComponentHandle<Body> body = world.component<Body>("Body");
};

TEST_CASE("An entity exists before its bundle does, and is completed when it comes",
          "[runtime][spawn][sys-13]") {
  Fixture f;
  const EntityId root = f.deferred.spawn(guid(samples::kCrate));
  CHECK(f.world.is_alive(root));
  CHECK(f.deferred.is_waiting(root));
  CHECK(f.world.first_child(root).is_null());
  // A snapshot is applied meanwhile: what it says stays.
  f.world.add(f.life, root, {42, 3});
  f.load();
  CHECK_FALSE(f.deferred.is_waiting(root));
  CHECK(*f.world.get(f.life, root) == Life{42, 3});
  CHECK_FALSE(f.world.first_child(root).is_null());
  CHECK(f.world.name(root) == "Crate");
  CHECK(f.deferred.counters().completed == 1);
  // The next one finds everything there.
  const EntityId second = f.deferred.spawn(guid(samples::kCrate));
  CHECK_FALSE(f.deferred.is_waiting(second));
  CHECK_FALSE(f.world.first_child(second).is_null());
}

TEST_CASE("An entity that despawns before its bundle comes leaves nothing", "[runtime][spawn]") {
  Fixture f;
  const EntityId root = f.deferred.spawn(guid(samples::kCrate));
  f.world.request_despawn(root);
  f.world.process_despawns();
  f.load();
  CHECK(f.world.entity_count() == 0);
  CHECK(f.deferred.counters().gone == 1);
  CHECK(f.deferred.waiting_count() == 0);
}

TEST_CASE("What cannot be loaded becomes a placeholder, is counted and told once",
          "[runtime][spawn]") {
  Fixture f(guid(samples::kFlash));
  f.break_file(samples::kCrate);
  REQUIRE(f.spawner.prepare(guid(samples::kFlash)).has_value());
  const EntityId first = f.deferred.spawn(guid(samples::kCrate));
  const EntityId second = f.deferred.spawn(guid(samples::kCrate));
  const EntityId unknown = f.deferred.spawn(guid(9999));
  f.load();
  CHECK(f.deferred.is_placeholder(first));
  CHECK(f.deferred.is_placeholder(second));
  CHECK(f.deferred.is_placeholder(unknown));
  CHECK(f.world.name(first) == "Flash");
  CHECK(f.deferred.counters().placeholders == 3);
  const std::vector<Error> problems = f.deferred.take_problems();
  REQUIRE(problems.size() == 2);
  CHECK(problems[1].message.find("Prefabs/Crate.prefab") != std::string::npos);
  CHECK(f.deferred.take_problems().empty());
  f.world.request_despawn(first);
  f.world.process_despawns();
  f.deferred.update();
  CHECK_FALSE(f.deferred.is_placeholder(first));
}

TEST_CASE("A type id that is not assigned gives a placeholder", "[runtime][spawn]") {
  Fixture f;
  const EntityId root = f.deferred.spawn_type(0, TypeId(60000));
  CHECK(f.world.is_alive(root));
  CHECK(f.deferred.is_placeholder(root));
  CHECK(f.deferred.take_problems().at(0).code == ErrorCode::not_found);
}

}  // namespace
}  // namespace muster
