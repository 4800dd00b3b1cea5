// Replication while a client's prefabs are edited and reloaded.
#include <catch2/catch.hpp>

#include "runtime/spawn/prefab_instances.h"
#include "tests/support/bridge_stage.h"
#include "tests/support/edited_build.h"

namespace muster {
namespace {

using samples::BridgeStage;
using samples::EditedBuild;
using samples::kCrateType;
using samples::SampleValues;

// A server with a crate whose lid has the mass 9, and a client that has received the crate. No
// value changes.
struct WhenIdle : BridgeStage {
  explicit WhenIdle(std::size_t client_lids)
      : BridgeStage(samples::BridgeOptions{.client = {.values = {.crate_lids = client_lids}}}) {
    client_spawner.note_in(&instances);
    crate = spawn(5, kCrateType);
    lid = world.first_child(crate);
    world.get(body, lid)->mass = 9;
    run(40);
    REQUIRE(received(life, 5) != nullptr);
  }
  ReloadReport reload(EditedBuild& edited) {
    root = seen.find({5});
    return instances.reload(client_spawner, edited.store);
  }
  // Checks that the entity is the same, and that no comparison has found a difference.
  void check_root() const {
    CHECK(seen.find({5}) == root);
    CHECK(client.counters().divergences == 0);
    CHECK(receiver.counters().refused == 0);
    CHECK(receiver.counters().unknown_id == 0);
    CHECK(receiver.incomplete_count() == 0);
  }

  PrefabInstances instances;
  EntityId crate;
  EntityId lid;
  EntityId root;
};

}  // namespace

TEST_CASE("Members that a reload has rebuilt get the server's values",
          "[runtime][replication][reload][sys-18]") {
  const std::size_t lids_before = GENERATE(0U, 1U, 3U);
  CAPTURE(lids_before);
  EditedBuild edited({.crate_lids = 2});
  WhenIdle stage(lids_before);
  const EntityId old_lid = stage.client_world.first_child(stage.seen.find({5}));
  CHECK(stage.reload(edited).rebuilt == 1);
  stage.step();
  CHECK_FALSE(stage.client_world.is_alive(old_lid));
  REQUIRE(stage.received(stage.body, 5, 2) != nullptr);
  CHECK(stage.received(stage.body, 5, 1)->mass == 9);
  CHECK(stage.received(stage.body, 5, 2)->mass == 2);  // The server does not have this member.
  CHECK(stage.client_world.entity_count() == 3);
  // Later changes also arrive.
  stage.world.get(stage.body, stage.lid)->mass = 4;
  stage.world.get(stage.life, stage.crate)->current = 33;
  stage.run(20);
  CHECK(stage.received(stage.body, 5, 1)->mass == 4);
  CHECK(stage.received(stage.life, 5)->current == 33);
  stage.check_root();
  stage.despawn(5);
  stage.run(20);
  CHECK(stage.client_world.entity_count() == 0);
}

TEST_CASE("Members that a reload removes are not reported as missing",
          "[runtime][replication][reload][sys-18]") {
  EditedBuild edited({.crate_lids = 0});
  WhenIdle stage(1);
  CHECK(stage.reload(edited).rebuilt == 1);
  for (int i = 0; i < 40; ++i) {
    stage.world.get(stage.body, stage.lid)->mass += 1;
    stage.world.get(stage.life, stage.crate)->current += 1;
    stage.step();
  }
  stage.run(20);
  CHECK(stage.client_world.entity_count() == 1);
  CHECK(stage.received(stage.life, 5)->current == 90);
  stage.check_root();
}

TEST_CASE("After a reload of its prefabs, a server sends the new members",
          "[runtime][replication][reload]") {
  BridgeStage stage;
  MemoryFileSystem files;
  samples::build_target(files, {.target = Target::server, .values = {.crate_lids = 2}});
  const FileSystemSource source(files, AssetPath::parse("server").value());
  BundleStore store = BundleStore::open(source).value();
  PrefabInstances instances;
  stage.spawner.note_in(&instances);
  const EntityId crate = stage.spawn(5, kCrateType);
  const EntityId old_lid = stage.world.first_child(crate);
  stage.world.get(stage.body, old_lid)->mass = 9;
  stage.run(20);
  REQUIRE(stage.received(stage.body, 5, 1)->mass == 9);
  CHECK(instances.reload(stage.spawner, store).rebuilt == 1);
  stage.sender.follow_reload(instances);
  stage.step();
  CHECK_FALSE(stage.world.is_alive(old_lid));
  stage.world.get(stage.body, stage.world.first_child(crate))->mass = 4;
  stage.run(20);
  CHECK(stage.received(stage.body, 5, 1)->mass == 4);
}

TEST_CASE("The index of a member that the game has despawned is not reused after a reload",
          "[runtime][replication][reload]") {
  EditedBuild edited({.crate_life = 70, .crate_lids = 2});
  BridgeStage stage(samples::BridgeOptions{.server = {.values = {.crate_lids = 2}},
                                           .client = {.values = {.crate_lids = 2}}});
  PrefabInstances instances;
  stage.client_spawner.note_in(&instances);
  const EntityId crate = stage.spawn(5, kCrateType);
  const EntityId first = stage.world.first_child(crate);
  const EntityId second = stage.world.next_sibling(first);
  stage.world.get(stage.body, first)->mass = 8;
  stage.world.get(stage.body, second)->mass = 9;
  stage.run(20);
  const EntityId root = stage.seen.find({5});
  const EntityId seen_first = stage.client_world.first_child(root);
  const EntityId seen_second = stage.client_world.next_sibling(seen_first);
  stage.client_world.request_despawn(seen_first);
  stage.step();
  instances.reload(stage.client_spawner, edited.store);
  stage.step();
  CHECK(stage.client_world.get(stage.body, seen_second)->mass == 9);
  stage.world.get(stage.body, first)->mass = 5;
  stage.world.get(stage.body, second)->mass = 7;
  stage.run(20);
  CHECK(stage.client_world.get(stage.body, seen_second)->mass == 7);
}

TEST_CASE("A despawning member keeps its index when its entity is sent", "[runtime][replication]") {
  BridgeStage stage(samples::BridgeOptions{.server = {.values = {.crate_lids = 2}},
                                           .client = {.values = {.crate_lids = 2}}});
  const EntityId crate = stage.spawner.spawn_type(samples::kStageRegistry, kCrateType).value().root;
  const EntityId first = stage.world.first_child(crate);
  stage.world.get(stage.body, stage.world.next_sibling(first))->mass = 9;
  stage.world.request_despawn(first);
  REQUIRE(stage.collection.add({5}, crate) == CollectionVerdict::accepted);
  REQUIRE(stage.sender.add({5}, {.type = kCrateType, .relevance = Relevance::always}) ==
          SendVerdict::accepted);
  stage.run(20);
  REQUIRE(stage.received(stage.body, 5, 2) != nullptr);
  CHECK(stage.received(stage.body, 5, 2)->mass == 9);
  CHECK(stage.received(stage.body, 5, 1)->mass != 9);
}

TEST_CASE("A reload keeps a received value that equals the prefab's old value",
          "[runtime][replication][reload][sys-18]") {
  EditedBuild edited({.crate_life = 70});
  WhenIdle stage(1);
  REQUIRE(stage.received(stage.life, 5)->current == 50);
  CHECK(stage.reload(edited).updated == 1);
  stage.run(40);
  CHECK(stage.received(stage.life, 5)->current == 50);
  stage.check_root();
}

TEST_CASE("An entity that waits for its bundle during a reload is completed with the new prefab",
          "[runtime][replication][reload][sys-18]") {
  EditedBuild edited({.crate_lids = 2});
  BridgeStage stage;
  PrefabInstances instances;
  stage.client_spawner.note_in(&instances);
  const EntityId crate = stage.spawn(5, kCrateType);
  stage.world.get(stage.body, stage.world.first_child(crate))->mass = 9;
  stage.run(20, false);
  REQUIRE(stage.receiver.incomplete_count() == 1);
  CHECK(instances.reload(stage.client_spawner, edited.store).failed == 0);
  stage.run(20);
  REQUIRE(stage.received(stage.body, 5, 2) != nullptr);
  CHECK(stage.received(stage.body, 5, 1)->mass == 9);
  CHECK(stage.receiver.incomplete_count() == 0);
}

namespace {

// A server and a client whose crates have two lids, and a build whose crates have three lids.
struct ThirdLid {
  ThirdLid() { stage.client_spawner.note_in(&instances); }

  samples::BridgeBuild side{.values = {.crate_lids = 2}};
  EditedBuild edited{{.crate_lids = 3}};
  BridgeStage stage{samples::BridgeOptions{.server = side, .client = side}};
  PrefabInstances instances;
};

}  // namespace

TEST_CASE("Members that a reload replaces just before completion have no index",
          "[runtime][replication][reload]") {
  ThirdLid build;
  auto& [side, edited, stage, instances] = build;
  const EntityId crate = stage.spawn(5, kCrateType);
  const EntityId first = stage.world.first_child(crate);
  const EntityId second = stage.world.next_sibling(first);
  stage.run(20, false);
  // In the same frame, the bundle is loaded and a new build is used.
  for (int i = 0; i < 5 && stage.deferred.is_waiting(stage.seen.find({5})); ++i) {
    stage.loader.update(Time());
    stage.deferred.update();
  }
  REQUIRE(instances.reload(stage.client_spawner, edited.store).rebuilt == 1);
  stage.receiver.complete(stage.client);
  stage.client_world.process_despawns();
  stage.world.get(stage.body, first)->mass = 18;
  stage.world.get(stage.body, second)->mass = 19;
  stage.run(30);
  CHECK(stage.received(stage.body, 5, 1)->mass == 18);
  CHECK(stage.received(stage.body, 5, 2)->mass == 19);
}

namespace {

// Returns the masses of the entities below a root. Leaves out `own`, which the game may have added.
std::vector<float> masses_below(World& world, ComponentHandle<samples::Body> body, EntityId root,
                                EntityId own) {
  std::vector<float> masses;
  for (EntityId at = world.first_child(root); !at.is_null(); at = world.next_sibling(at)) {
    if (at != own) masses.push_back(world.get(body, at)->mass);
  }
  return masses;
}

}  // namespace

TEST_CASE("Rebuilt members keep their indices if the game attaches or removes entities",
          "[runtime][replication][reload]") {
  enum class Game : std::uint8_t { idles, destroys, adds, moves };
  const Game game = GENERATE(Game::idles, Game::destroys, Game::adds, Game::moves);
  CAPTURE(static_cast<int>(game));
  ThirdLid build;
  auto& [side, edited, stage, instances] = build;
  const EntityId crate = stage.spawn(5, kCrateType);
  stage.run(20);
  World& world = stage.client_world;
  const EntityId root = stage.seen.find({5});
  const EntityId lid = world.first_child(root);
  EntityId own;
  if (game == Game::destroys) world.request_despawn(lid);
  if (game == Game::adds || game == Game::moves) own = world.create({.parent = root});
  if (game == Game::adds) world.add(stage.body, own, samples::Body{{0, 0, 0}, 1});
  if (game == Game::moves) world.set_parent(lid, own);
  REQUIRE(instances.reload(stage.client_spawner, edited.store).rebuilt == 1);
  stage.run(3);
  const EntityId first = stage.world.first_child(crate);
  stage.world.get(stage.body, first)->mass = 18;
  stage.world.get(stage.body, stage.world.next_sibling(first))->mass = 19;
  stage.run(30);
  const std::vector<float> masses = masses_below(world, stage.body, root, own);
  REQUIRE(masses.size() == 3);
  CHECK(masses[0] == 18);
  CHECK(masses[1] == 19);
  if (game == Game::adds) CHECK(world.get(stage.body, own)->mass == 1);
  CHECK_FALSE(world.is_alive(lid));
}

namespace {

// Returns the root of a client's crate, after a restore to a tick before its bundle was loaded.
EntityId restored_crate(BridgeStage& stage) {
  stage.spawn(5, kCrateType);
  stage.run(20, false);
  const World before = stage.client_world;
  stage.run(20);
  stage.client_world = before;
  return stage.seen.find({5});
}

}  // namespace

TEST_CASE(
    "An entity that is restored to a tick before its bundle was loaded is not reloaded, but "
    "completed once",
    "[runtime][replication][reload]") {
  ThirdLid build;
  auto& [side, edited, stage, instances] = build;
  const EntityId root = restored_crate(stage);
  REQUIRE(stage.deferred.is_waiting(root));
  CHECK(instances.reload(stage.client_spawner, edited.store).rebuilt == 0);
  stage.deferred.retry(edited.loader);
  for (int i = 0; i < 20; ++i) {
    while (edited.executor.started_count() > 0) edited.executor.step();
    edited.loader.update(Time());
    stage.step();
  }
  CHECK(masses_below(stage.client_world, stage.body, root, {}).size() == 3);
}

TEST_CASE(
    "An entity that is restored to a tick before its bundle was loaded is not rebuilt without its "
    "bundle",
    "[runtime][replication][reload]") {
  ThirdLid build;
  auto& [side, edited, stage, instances] = build;
  const EntityId root = restored_crate(stage);
  const auto link = stage.client_world.component<PrefabLink>("PrefabLink");
  REQUIRE(stage.client_world.get(link, root) != nullptr);
  stage.client_world.get(link, root)->stage = GENERATE(PrefabStage::failed, PrefabStage::replaced);
  CHECK(instances.reload(stage.client_spawner, edited.store).rebuilt == 0);
  CHECK(stage.client_world.first_child(root).is_null());
}

namespace {

// A server whose crate has one lid, and which reloads a build with two lids and a build with more
// life.
struct ServerReloads {
  explicit ServerReloads(BridgeStage& stage) : stage_(stage) {
    samples::build_target(two_files, {.target = Target::server, .values = {.crate_lids = 2}});
    samples::build_target(
        strong_files, {.target = Target::server, .values = {.crate_life = 70, .crate_lids = 2}});
    stage.spawner.note_in(&instances);
  }
  void check_lid(EntityId crate) {
    stage_.run(3);
    stage_.world.get(stage_.body, stage_.world.first_child(crate))->mass = 18;
    stage_.run(30);
    REQUIRE(stage_.received(stage_.body, 5, 1) != nullptr);
    CHECK(stage_.received(stage_.body, 5, 1)->mass == 18);
  }

  MemoryFileSystem two_files;
  MemoryFileSystem strong_files;
  FileSystemSource two_source{two_files, AssetPath::parse("server").value()};
  FileSystemSource strong_source{strong_files, AssetPath::parse("server").value()};
  PrefabInstances instances;

 private:
  BridgeStage& stage_;
};

}  // namespace

TEST_CASE("From the tick of a reload on, the rebuilt members are sent",
          "[runtime][replication][reload]") {
  BridgeStage stage(samples::BridgeOptions{.client = {.values = {.crate_lids = 2}}});
  ServerReloads reloads(stage);
  BundleStore two = BundleStore::open(reloads.two_source).value();
  const EntityId crate = stage.spawner.spawn_type(samples::kStageRegistry, kCrateType).value().root;
  REQUIRE(reloads.instances.reload(stage.spawner, two).rebuilt == 1);
  stage.sender.follow_reload(reloads.instances);
  REQUIRE(stage.collection.add({5}, crate) == CollectionVerdict::accepted);
  REQUIRE(stage.sender.add({5}, {.type = kCrateType, .relevance = Relevance::always}) ==
          SendVerdict::accepted);
  reloads.check_lid(crate);
}

TEST_CASE("A sender follows two reloads at once", "[runtime][replication][reload]") {
  BridgeStage stage(samples::BridgeOptions{.client = {.values = {.crate_lids = 2}}});
  ServerReloads reloads(stage);
  BundleStore two = BundleStore::open(reloads.two_source).value();
  BundleStore strong = BundleStore::open(reloads.strong_source).value();
  const EntityId crate = stage.spawn(5, kCrateType);
  stage.run(20);
  REQUIRE(reloads.instances.reload(stage.spawner, two).rebuilt == 1);
  REQUIRE(reloads.instances.reload(stage.spawner, strong).updated == 1);
  stage.sender.follow_reload(reloads.instances);
  reloads.check_lid(crate);
}

}  // namespace muster
