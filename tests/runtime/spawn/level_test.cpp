#include "runtime/spawn/level.h"

#include <random>

#include <catch2/catch.hpp>

#include "runtime/spawn/prefab_instances.h"
#include "runtime/world/snapshot_ring.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/edited_build.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

using samples::guid;
using samples::Life;

constexpr Time kStart{};

// In this game, entities with the component `Life` are replicated.
struct Side {
  explicit Side(const std::string& name, bool is_manual = false,
                MemoryFileSystem built = samples::build())
      : files(std::move(built)),
        source(files, AssetPath::parse(name).value()),
        store(BundleStore::open(source).value()),
        executor(source, store.catalog(), is_manual) {}

  void frame() {
    loader.update(kStart);
    level.update();
    world.process_despawns();
  }
  void load() {
    level.load(guid(samples::kLevel));
    for (int i = 0; i < 12; ++i) frame();
  }

  MemoryFileSystem files;
  FileSystemSource source;
  BundleStore store;
  SteppedLoads executor;
  BundleLoader loader{store, executor, {}};
  World world{samples::game_components()};
  Spawner spawner{store, world};
  Level level{spawner, loader, {.replicated_component = "Life"}};
  ComponentHandle<Life> life = world.component<Life>("Life");
};

TEST_CASE("A level consists of its main prefab and the layers of this side",
          "[runtime][spawn][sys-14]") {
  Side client("client");
  client.load();
  CHECK(client.level.state() == LevelState::ready);
  CHECK(client.level.layer_count() == 3);
  Side server("server");
  server.load();
  CHECK(server.level.state() == LevelState::ready);
  CHECK(server.level.layer_count() == 2);  // The sky is only for clients.
  CHECK(client.world.name(client.world.first_child(client.level.root())) == "Yard");
  CHECK(client.world.entity_count() == server.world.entity_count() + 1);
}

TEST_CASE("A frame spawns at most one layer", "[runtime][spawn][sys-14]") {
  Side client("client");
  client.level.load(guid(samples::kLevel));
  std::size_t before = 0;
  for (int i = 0; i < 12; ++i) {
    client.frame();
    CHECK(client.level.spawned_layers() <= before + 1);
    before = client.level.spawned_layers();
  }
  CHECK(client.level.state() == LevelState::ready);
}

TEST_CASE("Placed entities get the first ids, which are equal on both sides",
          "[runtime][spawn][sys-15]") {
  Side client("client");
  Side server("server");
  // The client's world already contains other entities.
  for (int i = 0; i < 5; ++i) client.world.create();
  client.load();
  server.load();
  ReplicatedCollection of_client(client.world);
  ReplicatedCollection of_server(server.world);
  REQUIRE(client.level.register_placed(of_client) == CollectionVerdict::accepted);
  REQUIRE(server.level.register_placed(of_server) == CollectionVerdict::accepted);
  REQUIRE(client.level.placed().size() == 4);  // Two posts, the gate, the crate.
  for (std::int32_t id = 0; id < 4; ++id) {
    const EntityId on_client = of_client.find({id});
    const EntityId on_server = of_server.find({id});
    CHECK(client.level.placed()[static_cast<std::size_t>(id)].key ==
          server.level.placed()[static_cast<std::size_t>(id)].key);
    CHECK(client.world.get(client.life, on_client)->current ==
          server.world.get(server.life, on_server)->current);
  }
  CHECK(of_server.lowest_free().network_id == 4);
  CHECK(client.level.placed_hash() == server.level.placed_hash());
  const ContentHash loaded = client.level.placed_hash();
  client.level.unload();
  CHECK(client.level.placed_hash() != loaded);
}

TEST_CASE("Levels that place other entities at the same positions have different hashes",
          "[runtime][spawn][sys-15]") {
  const auto placed = [](std::vector<float> lives, const std::string& name = "Post") {
    MemoryFileSystem files;
    samples::build_target(files, {.values = {.yard_lives = lives, .yard_name = name}});
    Side side("client", false, std::move(files));
    side.load();
    CHECK(side.level.placed().size() == 4);
    const ContentHash loaded = side.level.placed_hash();
    side.world.get(side.life, side.level.placed().front().entity)->current = 1;
    CHECK(side.level.placed_hash() == loaded);  // Changed values do not change the hash.
    return loaded;
  };
  CHECK(placed({10, 20}) == placed({10, 20}));
  CHECK(placed({10, 20}) != placed({20, 10}));
  CHECK(placed({10, 20}) != placed({10, 10}));
  CHECK(placed({10, 20}) == placed({10, 20}, "Post@low"));  // The name of a variant.
}

TEST_CASE("A level may be unloaded while it loads, and another level may be requested",
          "[runtime][spawn][sys-14][property]") {
  const auto seed = GENERATE(range(1U, 31U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  Side client("client", true);
  for (int i = 0; i < 60; ++i) {
    switch (random() % 8) {
      case 0:
        client.level.load(guid(samples::kLevel));
        break;
      case 1:
        client.level.unload();
        break;
      case 2:
        client.frame();
        break;
      case 3:
        client.level.load_layer("fireworks");
        break;
      case 4:
        client.level.unload_layer("fireworks");
        break;
      default:
        if (client.executor.started_count() > 0) client.executor.step();
        client.frame();
        break;
    }
  }
  client.level.unload();
  client.world.process_despawns();
  CHECK(client.world.entity_count() == 0);
  CHECK(client.level.state() == LevelState::none);
  while (client.executor.started_count() > 0) client.executor.step();
  client.level.load(guid(samples::kLevel));
  for (int i = 0; i < 30; ++i) {
    while (client.executor.started_count() > 0) client.executor.step();
    client.frame();
  }
  CHECK(client.level.state() == LevelState::ready);
}

TEST_CASE("A level with a missing layer fails completely, and leaves no entity",
          "[runtime][spawn][sys-14]") {
  Side client("client");
  const auto path = AssetPath::parse("client/" + samples::bundle_path(samples::kSky)).value();
  REQUIRE(client.files.remove(path).has_value());
  client.load();
  REQUIRE(client.level.state() == LevelState::failed);
  CHECK(client.level.error().message.find("Levels/Sky.prefab") != std::string::npos);
  CHECK(client.world.entity_count() == 0);
  client.level.load(guid(9999));
  CHECK(client.level.state() == LevelState::failed);
  CHECK(client.level.error().code == ErrorCode::not_found);
}

TEST_CASE("A preloaded level is only spawned when it is loaded", "[runtime][spawn][sys-14]") {
  Side client("client");
  client.level.preload(guid(samples::kLevel));
  for (int i = 0; i < 12; ++i) client.frame();
  CHECK(client.level.state() == LevelState::loaded);
  CHECK(client.world.entity_count() == 0);
  const std::uint64_t loaded = client.loader.counters().loaded;
  client.level.load(guid(samples::kLevel));
  for (int i = 0; i < 12; ++i) client.frame();
  CHECK(client.level.state() == LevelState::ready);
  CHECK(client.loader.counters().loaded == loaded);
  // A running preload can become a load. A preload of a missing layer fails.
  Side late("client");
  late.level.preload(guid(samples::kLevel));
  late.frame();
  late.load();
  CHECK(late.level.state() == LevelState::ready);
  Side torn("client");
  const auto path = AssetPath::parse("client/" + samples::bundle_path(samples::kSky)).value();
  REQUIRE(torn.files.remove(path).has_value());
  torn.level.preload(guid(samples::kLevel));
  for (int i = 0; i < 12; ++i) torn.frame();
  CHECK(torn.level.state() == LevelState::failed);
}

TEST_CASE("A level that gets another loader uses its bundles, and keeps the loaded layers",
          "[runtime][spawn][sys-14][reload]") {
  Side client("client");
  const bool is_ready = GENERATE(true, false);
  CAPTURE(is_ready);
  client.level.load(guid(samples::kLevel));
  while (is_ready ? client.level.state() != LevelState::ready : client.level.root().is_null()) {
    client.frame();
  }
  const EntityId root = client.level.root();
  {
    BundleStore store = BundleStore::open(client.source).value();
    SteppedLoads executor(client.source, store.catalog());
    BundleLoader loader(store, executor, {});
    client.level.follow(loader);
    for (int i = 0; i < 12; ++i) {
      loader.update(kStart);
      client.level.update();
      client.world.process_despawns();
    }
    CHECK(client.level.state() == LevelState::ready);
    CHECK((client.level.root() == root) == is_ready);
    CHECK(store.is_open(store.catalog().bundle_of(guid(samples::kYard)).value()));
    client.level.unload();
  }
}

TEST_CASE("Placed entities of a rebuilt layer get the first ids again",
          "[runtime][spawn][sys-14][sys-15][reload]") {
  Side client("client");
  PrefabInstances instances;
  client.spawner.note_in(&instances);
  client.load();
  client.level.load_layer("fireworks");
  for (int i = 0; i < 4; ++i) client.frame();
  ReplicatedCollection collection(client.world);
  REQUIRE(client.level.register_placed(collection) == CollectionVerdict::accepted);
  const std::uint32_t before = client.world.entity_count();

  samples::EditedBuild edited({.yard_posts = 3});
  CHECK(instances.reload(client.spawner, edited.store).rebuilt > 0);
  client.level.follow(edited.loader);
  CHECK(client.level.state() == LevelState::loading);
  for (int i = 0; i < 12; ++i) {
    edited.loader.update(kStart);
    client.level.update();
    client.world.process_despawns();
  }
  REQUIRE(client.level.state() == LevelState::ready);
  CHECK(client.level.layer_state("fireworks") == LevelState::ready);
  REQUIRE(client.level.placed().size() == 5);
  CHECK(client.level.register_placed(collection) == CollectionVerdict::accepted);
  CHECK(collection.placed_count() == 5);
  for (std::int32_t id = 0; id < 5; ++id) CHECK_FALSE(collection.find({id}).is_null());
  CHECK(client.world.entity_count() == before + 1);
  client.level.unload();
}

TEST_CASE("A level that was updated in place has the same hash as a new level",
          "[runtime][spawn][sys-15][reload]") {
  Side server("server");
  PrefabInstances instances;
  server.spawner.note_in(&instances);
  server.load();
  const ContentHash before = server.level.placed_hash();
  server.world.get(server.life, server.level.placed().front().entity)->current = 1;

  MemoryFileSystem files;
  samples::build_target(files, {.target = Target::server, .values = {.yard_lives = {10, 25}}});
  Side fresh("server", false, files);
  fresh.load();
  CHECK(instances.reload(server.spawner, fresh.store).updated == 1);
  server.level.follow(fresh.loader);
  CHECK(server.level.state() == LevelState::ready);
  CHECK(server.level.placed_hash() == fresh.level.placed_hash());
  CHECK(server.level.placed_hash() != before);
  server.level.unload();
}

TEST_CASE("A level whose entity was undone does not change the entity that reuses the id",
          "[runtime][spawn][sys-14]") {
  Side client("client");
  SnapshotRing ring(client.world, 4);
  ring.capture(Tick(1));
  client.level.load(guid(samples::kLevel));
  while (client.level.root().is_null()) client.frame();
  const EntityId root = client.level.root();
  REQUIRE(ring.restore(Tick(1)));
  const EntityId other = client.world.create();
  REQUIRE(other == root);
  const bool is_unloaded_at_once = GENERATE(true, false);
  if (is_unloaded_at_once) {
    client.level.unload();
  } else {
    for (int i = 0; i < 12; ++i) client.frame();
    CHECK(client.level.state() == LevelState::failed);
    client.level.unload();
  }
  client.world.process_despawns();
  CHECK(client.world.is_alive(other));
  CHECK(client.world.first_child(other).is_null());
}

TEST_CASE("A layer on demand with a replicated entity after a reload fails, and despawns",
          "[runtime][spawn][sys-14][reload]") {
  Side client("client");
  PrefabInstances instances;
  client.spawner.note_in(&instances);
  client.load();
  client.level.load_layer("fireworks");
  for (int i = 0; i < 4; ++i) client.frame();
  REQUIRE(client.level.layer_state("fireworks") == LevelState::ready);
  const std::uint32_t before = client.world.entity_count();

  samples::EditedBuild edited({.flash_lives = true});
  CHECK(instances.reload(client.spawner, edited.store).rebuilt == 1);
  client.level.follow(edited.loader);
  CHECK(client.level.state() == LevelState::ready);
  REQUIRE(client.level.layer_state("fireworks") == LevelState::failed);
  CHECK(client.level.layer_error("fireworks").message.find("on demand") != std::string::npos);
  client.world.process_despawns();
  CHECK(client.world.entity_count() == before - 1);
  client.level.unload();
}

TEST_CASE("Either all placed entities get ids, or none", "[runtime][spawn][sys-15]") {
  Side client("client");
  client.load();
  ReplicatedCollection collection(client.world);
  const EntityId other = client.world.create();
  REQUIRE(collection.add({2}, other) == CollectionVerdict::accepted);
  CHECK(client.level.register_placed(collection) == CollectionVerdict::id_in_use);
  CHECK(collection.placed_count() == 0);
  CHECK(collection.find({0}).is_null());
  CHECK(collection.find({2}) == other);
  REQUIRE(collection.remove({2}) == CollectionVerdict::accepted);
  CHECK(client.level.register_placed(collection) == CollectionVerdict::accepted);
}

TEST_CASE("A level whose entity despawns during the load fails, and leaves no entity",
          "[runtime][spawn][sys-14]") {
  Side client("client");
  SnapshotRing ring(client.world, 4);
  ring.capture(Tick(1));
  client.level.load(guid(samples::kLevel));
  while (client.level.root().is_null()) client.frame();
  ring.restore(Tick(1));
  for (int i = 0; i < 12; ++i) client.frame();
  CHECK(client.level.state() == LevelState::failed);
  CHECK(client.world.entity_count() == 0);
}

TEST_CASE("Layers on demand are loaded and unloaded separately, each with its own state",
          "[runtime][spawn][sys-14]") {
  Side client("client");
  client.level.load_layer("fireworks");  // Without a level.
  CHECK(client.level.layer_state("fireworks") == LevelState::none);
  client.load();
  REQUIRE(client.level.state() == LevelState::ready);
  CHECK(client.level.layer_count() == 3);
  CHECK(client.level.layer_state("sky") == LevelState::ready);
  CHECK(client.level.layer_state("fireworks") == LevelState::none);
  const std::uint32_t before = client.world.entity_count();
  client.level.load_layer("fireworks");
  CHECK(client.level.layer_state("fireworks") == LevelState::loading);
  for (int i = 0; i < 4; ++i) client.frame();
  REQUIRE(client.level.layer_state("fireworks") == LevelState::ready);
  CHECK(client.world.entity_count() == before + 1);
  client.level.load_layer("fireworks");  // The layer is ready.
  client.frame();
  CHECK(client.world.entity_count() == before + 1);
  client.level.unload_layer("fireworks");
  client.world.process_despawns();
  CHECK(client.level.layer_state("fireworks") == LevelState::none);
  CHECK(client.world.entity_count() == before);
  client.level.load_layer("fireworks");
  client.level.unload_layer("fireworks");  // The layer is still loading.
  for (int i = 0; i < 4; ++i) client.frame();
  CHECK(client.world.entity_count() == before);
  // The normal layers are unloaded only with the level, and a missing layer cannot be loaded.
  client.level.unload_layer("sky");
  client.level.load_layer("sky");
  client.level.load_layer("rain");
  client.frame();
  CHECK(client.level.layer_state("sky") == LevelState::ready);
  CHECK(client.level.layer_state("rain") == LevelState::none);
  CHECK(client.world.entity_count() == before);
  client.level.load_layer("fireworks");
  for (int i = 0; i < 4; ++i) client.frame();
  client.level.unload();
  client.world.process_despawns();
  CHECK(client.world.entity_count() == 0);
}

TEST_CASE(
    "A layer on demand may be requested before its level is loaded, even on a side without the "
    "layer",
    "[runtime][spawn][sys-14]") {
  Side client("client");
  client.level.load(guid(samples::kLevel));
  client.level.load_layer("fireworks");
  CHECK(client.level.layer_state("fireworks") == LevelState::loading);
  for (int i = 0; i < 12; ++i) client.frame();
  CHECK(client.level.state() == LevelState::ready);
  CHECK(client.level.layer_state("fireworks") == LevelState::ready);
  // Only clients have this layer.
  Side server("server");
  server.level.load(guid(samples::kLevel));
  server.level.load_layer("fireworks");
  for (int i = 0; i < 12; ++i) server.frame();
  CHECK(server.level.state() == LevelState::ready);
  CHECK(server.level.layer_state("fireworks") == LevelState::none);
}

TEST_CASE("A layer on demand that fails does not affect its level", "[runtime][spawn][sys-14]") {
  Side client("client");
  const auto path = AssetPath::parse("client/" + samples::bundle_path(samples::kFlash)).value();
  REQUIRE(client.files.remove(path).has_value());
  client.load();
  client.level.load_layer("fireworks");
  client.level.load_layer("crowd");
  const std::uint32_t before = client.world.entity_count();
  for (int i = 0; i < 6; ++i) client.frame();
  CHECK(client.level.state() == LevelState::ready);
  REQUIRE(client.level.layer_state("fireworks") == LevelState::failed);
  CHECK(client.level.layer_error("fireworks").code == ErrorCode::not_found);
  // A replicated entity would have another network id on each machine.
  REQUIRE(client.level.layer_state("crowd") == LevelState::failed);
  CHECK(client.level.layer_error("crowd").code == ErrorCode::invalid_argument);
  CHECK(client.world.entity_count() == before);
  const MemoryFileSystem whole = samples::build();
  ByteVector buffer;
  const Bytes bytes = read_whole(whole, path, 1U << 20U, buffer).value();
  REQUIRE(client.files.write(path, bytes).has_value());
  client.level.load_layer("fireworks");
  for (int i = 0; i < 4; ++i) client.frame();
  CHECK(client.level.layer_state("fireworks") == LevelState::ready);
}

TEST_CASE("Layers on demand use the new loader of their level",
          "[runtime][spawn][sys-14][reload]") {
  Side client("client", true);
  const bool is_there = GENERATE(true, false);
  CAPTURE(is_there);
  const auto step = [&] {
    while (client.executor.started_count() > 0) client.executor.step();
    client.frame();
  };
  client.level.load(guid(samples::kLevel));
  for (int i = 0; i < 12; ++i) step();
  client.level.load_layer("fireworks");
  if (is_there) {
    for (int i = 0; i < 4; ++i) step();
  }
  {
    BundleStore store = BundleStore::open(client.source).value();
    SteppedLoads executor(client.source, store.catalog());
    BundleLoader loader(store, executor, {});
    client.level.follow(loader);
    for (int i = 0; i < 4; ++i) {
      loader.update(kStart);
      client.level.update();
      client.world.process_despawns();
    }
    CHECK(client.level.layer_state("fireworks") == LevelState::ready);
    CHECK(store.is_open(store.catalog().bundle_of(guid(samples::kFlash)).value()));
    client.level.unload();
  }
}

}  // namespace
}  // namespace muster
