#include "runtime/spawn/prefab_instances.h"

#include <memory>

#include <catch2/catch.hpp>

#include "bundler/cook/prefab_writer.h"
#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_writer.h"
#include "registry/base/memory_file_system.h"
#include "runtime/spawn/deferred_spawner.h"
#include "runtime/world/snapshot_ring.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

using samples::Body;
using samples::guid;
using samples::Life;

constexpr std::uint64_t kTree = 500;

struct Fruit {
  std::string name = "Fruit";
  std::int64_t source_id = 2;
  float life = 0;
};

// A build of one prefab: a tree with a life, and fruits below it.
struct Build {
  explicit Build(float life, std::size_t fruits = 1, bool has_body = false)
      : Build(life, std::vector<Fruit>(fruits, {.life = life / 10}), has_body) {}
  Build(float life, const std::vector<Fruit>& fruits, bool has_body = false) {
    const std::vector<ComponentDescription> components = samples::game_components();
    const auto cooked = [&](const char* type, const auto& value) {
      const auto found = std::ranges::find(components, type, &ComponentDescription::name);
      const Bytes bytes = std::as_bytes(std::span(&value, 1));
      return PrefabComponent{
          .type = type,
          .document = {},
          .cooked = CookedComponent{found->hash(), {bytes.begin(), bytes.end()}}};
    };
    std::vector<PrefabComponent> of_tree = {cooked("Life", Life{life, 7})};
    if (has_body) of_tree.insert(of_tree.begin(), cooked("Body", Body{{0, 0, 0}, 5}));
    std::vector<PrefabEntity> entities = {
        {.name = "Tree", .source_id = 1, .parent = {}, .is_active = true, .components = of_tree}};
    for (const Fruit& fruit : fruits) {
      entities.push_back({.name = fruit.name,
                          .source_id = fruit.source_id,
                          .parent = 0,
                          .is_active = true,
                          .components = {cooked("Life", Life{fruit.life, 0})}});
    }
    const ByteVector prefab = encode_prefab({entities}).value();
    const std::vector<PackEntry> entries = {
        {guid(kTree), kFlattenedPrefab, EntryKind::prefab, prefab}};
    const ByteVector bundle = pack_bundle(entries).value();
    const BundleName name = BundleName::of_prefab(guid(kTree));
    CatalogData data;
    data.components = components;
    data.bundles = {{name, BundleReader::open(bundle).value().bundle_hash(), bundle.size(), {}}};
    data.assets = {{guid(kTree), "Tree.prefab", name}};
    write("catalog.mcat", encode_catalog(data).value());
    write(name.path(), bundle);
  }
  void write(const std::string& path, Bytes bytes) {
    REQUIRE(files.write(AssetPath::parse(path).value(), bytes).has_value());
  }

  MemoryFileSystem files;
  FileSystemSource source{files};
  std::optional<BundleStore> store;
  BundleStore& open() {
    store.emplace(BundleStore::open(source).value());
    return *store;
  }
};

struct Forest {
  World world{samples::game_components_with_links()};
  ComponentHandle<Life> life = world.component<Life>("Life");
  PrefabInstances instances;

  EntityId plant(Spawner& spawner) {
    spawner.note_in(&instances);
    return spawner.spawn(guid(kTree)).value().root;
  }
};

TEST_CASE("New values of a prefab reach live entities, but not values that the game has changed",
          "[runtime][spawn][reload]") {
  Build old(100);
  Build fresh(150);
  Forest f;
  Spawner spawner(old.open(), f.world);
  const EntityId healthy = f.plant(spawner);
  const EntityId hurt = f.plant(spawner);
  f.world.get(f.life, hurt)->current = 33;
  const EntityId fruit = f.world.first_child(healthy);
  CHECK(is_another_build(fresh.source, old.store->catalog()).value());
  CHECK_FALSE(is_another_build(old.source, old.store->catalog()).value());
  const ReloadReport report = f.instances.reload(spawner, fresh.open());
  CHECK(report.updated == 2);
  CHECK(report.changed == std::vector{guid(kTree)});
  CHECK(*f.world.get(f.life, healthy) == Life{150, 7});
  CHECK(*f.world.get(f.life, hurt) == Life{33, 7});
  CHECK(f.world.get(f.life, fruit)->current == 15);
  // The spawner uses the new store, so the old store can be destroyed.
  old.store.reset();
  CHECK(f.world.get(f.life, f.plant(spawner))->current == 150);
  CHECK(f.instances.reload(spawner, *fresh.store).unchanged == 3);
}

TEST_CASE("After a change of a prefab's entities, all entities below the root are spawned again",
          "[runtime][spawn][reload]") {
  Build old(100, 1);
  Build fresh(100, 3, true);
  Forest f;
  Spawner spawner(old.open(), f.world);
  const EntityId root = f.plant(spawner);
  f.world.get(f.life, root)->current = 12;
  const EntityId fruit = f.world.first_child(root);
  CHECK(f.instances.reload(spawner, fresh.open()).rebuilt == 1);
  f.world.process_despawns();
  CHECK(f.world.is_alive(root));
  CHECK_FALSE(f.world.is_alive(fruit));
  CHECK(f.world.entity_count() == 4);
  CHECK(f.world.get(f.life, root)->current == 12);
  CHECK(f.world.has(f.world.find_component("Body").value(), root));
  // In the reload of the old build, the additional entities despawn.
  CHECK(f.instances.reload(spawner, *old.store).rebuilt == 1);
  f.world.process_despawns();
  CHECK(f.world.entity_count() == 2);
  CHECK_FALSE(f.world.has(f.world.find_component("Body").value(), root));
}

TEST_CASE("All spawning classes use a new build, and release the old build",
          "[runtime][spawn][reload]") {
  Build old(100);
  Build fresh(150);
  Forest f;
  Spawner spawner(old.open(), f.world);
  spawner.note_in(&f.instances);
  auto before = std::make_unique<SteppedLoads>(old.source, old.store->catalog());
  auto loader = std::make_unique<BundleLoader>(*old.store, *before, LoaderOptions{});
  DeferredSpawner deferred(spawner, *loader, {});
  const EntityId root = deferred.spawn(guid(kTree));
  const auto update = [&] {
    for (int i = 0; i < 4; ++i) {
      loader->update(Time());
      deferred.update();
    }
  };
  update();
  REQUIRE(f.world.get(f.life, root)->current == 100);
  const EntityId waiting = deferred.spawn(guid(9999));
  SnapshotRing ring(f.world, 4);
  ring.capture(Tick(1));

  SteppedLoads executor(fresh.source, fresh.open().catalog());
  auto newer = std::make_unique<BundleLoader>(*fresh.store, executor, LoaderOptions{});
  CHECK(f.instances.reload(spawner, *fresh.store).updated == 1);
  deferred.retry(*newer);
  ring.clear();
  std::swap(loader, newer);
  newer.reset();
  before.reset();
  old.store.reset();
  update();
  CHECK_FALSE(ring.restore(Tick(1)));
  CHECK(f.world.get(f.life, root)->current == 150);
  CHECK(deferred.is_placeholder(waiting));
  CHECK(f.world.get(f.life, deferred.spawn(guid(kTree)))->current == 150);
}

TEST_CASE("Instances that the new build cannot spawn are kept, and despawned instances are removed",
          "[runtime][spawn][reload]") {
  Build old(100);
  Build fresh(150);
  Forest f;
  Spawner spawner(old.open(), f.world);
  const EntityId kept = f.plant(spawner);
  const EntityId gone = f.plant(spawner);
  f.world.request_despawn(gone);
  f.world.process_despawns();
  fresh.open();
  REQUIRE(fresh.files.remove(AssetPath::parse(samples::bundle_path(kTree)).value()).has_value());
  const ReloadReport report = f.instances.reload(spawner, *fresh.store);
  CHECK(report.failed == 1);
  REQUIRE(report.errors.size() == 1);
  CHECK(report.errors[0].message.find("Tree.prefab") != std::string::npos);
  CHECK(f.world.get(f.life, kept)->current == 100);
  CHECK(f.instances.count() == 1);
}

TEST_CASE("Instances that one build cannot spawn are updated by the next build that can spawn them",
          "[runtime][spawn][reload]") {
  Build old(100);
  Build bad(120);
  Build fixed(150);
  Forest f;
  Spawner spawner(old.open(), f.world);
  const EntityId tree = f.plant(spawner);
  bad.open();
  REQUIRE(bad.files.remove(AssetPath::parse(samples::bundle_path(kTree)).value()).has_value());
  for (int i = 0; i < 2; ++i) CHECK(f.instances.reload(spawner, *bad.store).failed == 1);
  CHECK_FALSE(spawner.spawn(guid(kTree)).has_value());
  old.store.reset();
  CHECK(f.instances.reload(spawner, fixed.open()).updated == 1);
  CHECK(*f.world.get(f.life, tree) == Life{150, 7});
  CHECK(f.world.get(f.life, f.plant(spawner))->current == 150);
  Build newest(160);
  CHECK(f.instances.reload(spawner, newest.open()).updated == 2);
  CHECK(f.world.get(f.life, tree)->current == 160);
}

TEST_CASE("A reload does not move a game's changes from one entity of a prefab to another",
          "[runtime][spawn][reload]") {
  struct Edit {
    std::vector<Fruit> before;
    std::vector<Fruit> after;
    std::vector<float> lives;
    bool is_rebuilt;
  };
  const auto edit = GENERATE(values<Edit>({
      // Entities identified by file ids: exchanged, replaced, renamed.
      {{{"A", 11, 10}, {"B", 12, 20}}, {{"B", 12, 20}, {"A", 11, 10}}, {20, 10}, true},
      {{{"A", 11, 10}, {"B", 12, 20}}, {{"C", 13, 30}, {"B", 12, 20}}, {30, 20}, true},
      {{{"A", 11, 10}, {"B", 12, 20}}, {{"C", 11, 10}, {"B", 12, 20}}, {3, 20}, false},
      // Entities of plain files, identified by their names.
      {{{"A", 2, 10}, {"B", 3, 20}}, {{"B", 2, 20}, {"A", 3, 10}}, {20, 10}, true},
      {{{"A", 2, 10}, {"B", 3, 20}}, {{"C", 2, 30}, {"B", 3, 20}}, {30, 20}, true},
      {{{"A", 2, 10}, {"B", 3, 20}}, {{"A", 2, 15}, {"B", 3, 25}}, {3, 25}, false},
  }));
  Build old(100, edit.before);
  Build fresh(100, edit.after);
  Forest f;
  Spawner spawner(old.open(), f.world);
  const EntityId tree = f.plant(spawner);
  f.world.get(f.life, f.world.first_child(tree))->current = 3;
  CHECK(f.instances.reload(spawner, fresh.open()).rebuilt == (edit.is_rebuilt ? 1 : 0));
  f.world.process_despawns();
  std::vector<float> lives;
  for (EntityId e = f.world.first_child(tree); !e.is_null(); e = f.world.next_sibling(e)) {
    CHECK(f.world.name(e) == edit.after[lives.size()].name);
    lives.push_back(f.world.get(f.life, e)->current);
  }
  CHECK(lives == edit.lives);
}

TEST_CASE("Entities that reuse the ids of an undone spawn are not changed",
          "[runtime][spawn][reload]") {
  Build old(100, 1);
  Build fresh(150, 3);
  Forest f;
  Spawner spawner(old.open(), f.world);
  SnapshotRing ring(f.world, 8);
  const EntityId kept = f.plant(spawner);
  ring.capture(Tick(1));
  const EntityId tree = f.plant(spawner);
  const EntityId fruit = f.world.first_child(tree);
  ring.capture(Tick(2));
  REQUIRE(ring.restore(Tick(1)));
  std::vector<EntityId> others;
  for (int i = 0; i < 2; ++i) {
    others.push_back(f.world.create({.name = f.world.intern("other")}));
    f.world.add(f.life, others.back(), Life{100, 7});
  }
  REQUIRE(others == std::vector{tree, fruit});
  CHECK(f.instances.reload(spawner, fresh.open()).rebuilt == 1);
  f.world.process_despawns();
  CHECK(f.world.entity_count() == 2 + 4);
  for (const EntityId other : others) CHECK(*f.world.get(f.life, other) == Life{100, 7});
  CHECK(f.world.is_alive(kept));
}

TEST_CASE("A spawn that a restore brings back is still updated", "[runtime][spawn][reload]") {
  Build old(100);
  Build fresh(150);
  Forest f;
  Spawner spawner(old.open(), f.world);
  SnapshotRing ring(f.world, 8);
  const EntityId tree = f.plant(spawner);
  ring.capture(Tick(1));
  f.world.request_despawn(tree);
  f.world.process_despawns();
  static_cast<void>(f.world.create());
  ring.capture(Tick(2));
  REQUIRE(ring.restore(Tick(1)));
  CHECK(f.instances.reload(spawner, fresh.open()).updated == 1);
  CHECK(f.world.get(f.life, tree)->current == 150);
}

TEST_CASE("Spawns and despawns do not fill the memory", "[runtime][spawn][reload]") {
  Build old(100);
  Build fresh(150);
  Forest f;
  Spawner spawner(old.open(), f.world);
  std::vector<EntityId> kept;
  for (int i = 0; i < 5000; ++i) {
    const EntityId tree = f.plant(spawner);
    if (i % 50 == 0) {
      kept.push_back(tree);
    } else {
      f.world.request_despawn(tree);
      f.world.process_despawns();
    }
    if (f.instances.count() > 64 + 2 * kept.size()) FAIL(i << ": " << f.instances.count());
  }
  CHECK(f.instances.reload(spawner, fresh.open()).updated == kept.size());
  CHECK(f.instances.count() == kept.size());
}

}  // namespace
}  // namespace muster
