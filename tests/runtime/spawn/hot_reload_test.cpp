#include "runtime/spawn/hot_reload.h"

#include <catch2/catch.hpp>

#include "bundler/cook/prefab_writer.h"
#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_writer.h"
#include "registry/vocabulary/memory_file_system.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

using samples::Body;
using samples::guid;
using samples::Life;

constexpr std::uint64_t kTree = 500;

// A build of one prefab: a tree with a life, and fruits below it.
struct Build {
  explicit Build(float life, std::size_t fruits = 1, bool has_body = false) {
    const std::vector<ComponentDescription> components = samples::game_components();
    const auto cooked = [&](const char* type, const auto& value) {
      const auto found = std::ranges::find(components, type, &ComponentDescription::name);
      const Bytes bytes = std::as_bytes(std::span(&value, 1));
      return PrefabComponent{
          .type = type,
          .source_id = 0,
          .document = {},
          .cooked = CookedComponent{found->hash(), {bytes.begin(), bytes.end()}}};
    };
    std::vector<PrefabComponent> of_tree = {cooked("Life", Life{life, 7})};
    if (has_body) of_tree.insert(of_tree.begin(), cooked("Body", Body{{0, 0, 0}, 5}));
    std::vector<PrefabEntity> entities = {
        {.name = "Tree", .source_id = 1, .parent = {}, .is_active = true, .components = of_tree}};
    for (std::size_t i = 0; i < fruits; ++i) {
      entities.push_back({.name = "Fruit",
                          .source_id = 2,
                          .parent = 0,
                          .is_active = true,
                          .components = {cooked("Life", Life{life / 10, 0})}});
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
    store = BundleStore::open(source).value();
    return *store;
  }
};

struct Forest {
  World world{samples::game_components()};
  ComponentHandle<Life> life = world.component<Life>("Life");
  PrefabInstances instances;

  EntityId plant(Spawner& spawner) {
    const EntityId root = spawner.spawn(guid(kTree)).value().root;
    instances.note(guid(kTree), spawner.last_made());
    return root;
  }
};

TEST_CASE("A prefab's new values reach what is alive, but not what the game has changed",
          "[runtime][spawn][reload]") {
  Build old(100);
  Build fresh(150);
  Forest f;
  Spawner before(old.open(), f.world);
  Spawner after(fresh.open(), f.world);
  const EntityId healthy = f.plant(before);
  const EntityId hurt = f.plant(before);
  f.world.get(f.life, hurt)->current = 33;
  const EntityId fruit = f.world.first_child(healthy);
  CHECK(is_another_build(fresh.source, old.store->catalog()).value());
  CHECK_FALSE(is_another_build(old.source, old.store->catalog()).value());
  const ReloadReport report = f.instances.reload(before, after);
  CHECK(report.updated == 2);
  CHECK(*f.world.get(f.life, healthy) == Life{150, 7});
  CHECK(*f.world.get(f.life, hurt) == Life{33, 7});
  CHECK(f.world.get(f.life, fruit)->current == 15);
  CHECK(f.instances.reload(after, after).unchanged == 2);
}

TEST_CASE("A prefab of another shape is spawned anew below the root that stays",
          "[runtime][spawn][reload]") {
  Build old(100, 1);
  Build fresh(100, 3, true);
  Forest f;
  Spawner before(old.open(), f.world);
  Spawner after(fresh.open(), f.world);
  const EntityId root = f.plant(before);
  f.world.get(f.life, root)->current = 12;
  const EntityId fruit = f.world.first_child(root);
  CHECK(f.instances.reload(before, after).rebuilt == 1);
  f.world.process_despawns();
  CHECK(f.world.is_alive(root));
  CHECK_FALSE(f.world.is_alive(fruit));
  CHECK(f.world.entity_count() == 4);
  CHECK(f.world.get(f.life, root)->current == 12);
  CHECK(f.world.has(f.world.find_component("Body").value(), root));
  // And back: what only the new one had, goes.
  CHECK(f.instances.reload(after, before).rebuilt == 1);
  f.world.process_despawns();
  CHECK(f.world.entity_count() == 2);
  CHECK_FALSE(f.world.has(f.world.find_component("Body").value(), root));
}

TEST_CASE("What the new build cannot spawn stays as it is; what is gone is forgotten",
          "[runtime][spawn][reload]") {
  Build old(100);
  Build fresh(150);
  Forest f;
  Spawner before(old.open(), f.world);
  const EntityId kept = f.plant(before);
  const EntityId gone = f.plant(before);
  f.world.request_despawn(gone);
  f.world.process_despawns();
  Spawner after(fresh.open(), f.world);
  REQUIRE(fresh.files.remove(AssetPath::parse(samples::bundle_path(kTree)).value()).has_value());
  const ReloadReport report = f.instances.reload(before, after);
  CHECK(report.failed == 1);
  REQUIRE(report.errors.size() == 1);
  CHECK(report.errors[0].message.find("Tree.prefab") != std::string::npos);
  CHECK(f.world.get(f.life, kept)->current == 100);
  CHECK(f.instances.count() == 1);
}

}  // namespace
}  // namespace muster
