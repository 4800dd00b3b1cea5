// The members of an entity that a reload has rebuilt, and changes of the members by the game.
#include <catch2/catch.hpp>

#include "runtime/spawn/prefab_instances.h"
#include "tests/support/bridge_stage.h"
#include "tests/support/edited_build.h"

namespace muster {
namespace {

using samples::BridgeStage;
using samples::EditedBuild;
using samples::kCrateType;

// Returns the children of an entity, in order.
std::vector<EntityId> below(const World& world, EntityId root) {
  std::vector<EntityId> found;
  for (EntityId at = world.first_child(root); !at.is_null(); at = world.next_sibling(at)) {
    found.push_back(at);
  }
  return found;
}

// A crate that has two lids on server and client. The client then reloads the crate with three
// lids.
struct Reloaded {
  Reloaded() {
    stage.client_spawner.note_in(&instances);
    crate = stage.spawn(5, kCrateType);
    stage.run(20);
    root = stage.seen.find({5});
    REQUIRE(instances.reload(stage.client_spawner, edited.store).rebuilt == 1);
    stage.client_world.process_despawns();
    lids = below(stage.client_world, root);
    REQUIRE(lids.size() == 3);
  }
  // Sets the weights of the server's lids.
  void weigh(float first, float second) {
    const std::vector<EntityId> sent = below(stage.world, crate);
    stage.world.get(stage.body, sent[0])->mass = first;
    stage.world.get(stage.body, sent[1])->mass = second;
  }
  float mass(EntityId entity) { return stage.client_world.get(stage.body, entity)->mass; }

  samples::BridgeBuild side{.values = {.crate_lids = 2}};
  EditedBuild edited{{.crate_lids = 3}};
  BridgeStage stage{samples::BridgeOptions{.server = side, .client = side}};
  PrefabInstances instances;
  EntityId crate;
  EntityId root;
  std::vector<EntityId> lids;  ///< The lids of the client's crate.
};

// A server that reloads its crates with three lids. Before, they have two lids, as on the client.
struct ReloadedServer {
  ReloadedServer() {
    stage.spawner.note_in(&instances);
    crate = stage.spawner.spawn_type(samples::kStageRegistry, kCrateType).value().root;
    REQUIRE(instances.reload(stage.spawner, store).rebuilt == 1);
    stage.sender.follow_reload(instances);
    stage.step();
    lids = below(stage.world, crate);
    REQUIRE(lids.size() == 3);
  }
  // Sends the crate and the weights of its lids.
  void send(EntityId first, EntityId second) {
    stage.world.get(stage.body, first)->mass = 18;
    stage.world.get(stage.body, second)->mass = 19;
    REQUIRE(stage.collection.add({5}, crate) == CollectionVerdict::accepted);
    REQUIRE(stage.sender.add({5}, {.type = kCrateType, .relevance = Relevance::always}) ==
            SendVerdict::accepted);
    stage.run(20);
    REQUIRE(stage.received(stage.body, 5, 2) != nullptr);
  }

  static MemoryFileSystem built() {
    MemoryFileSystem files;
    samples::build_target(files, {.target = Target::server, .values = {.crate_lids = 3}});
    return files;
  }

  samples::BridgeBuild side{.values = {.crate_lids = 2}};
  BridgeStage stage{samples::BridgeOptions{.server = side, .client = side}};
  MemoryFileSystem files = built();
  FileSystemSource source{files, AssetPath::parse("server").value()};
  BundleStore store = BundleStore::open(source).value();
  PrefabInstances instances;
  EntityId crate;
  std::vector<EntityId> lids;
};

}  // namespace

TEST_CASE("A rebuilt member keeps its index if the game moves it at once",
          "[runtime][replication][reload]") {
  Reloaded reloaded;
  auto& stage = reloaded.stage;
  const auto& lids = reloaded.lids;
  REQUIRE(stage.client_world.set_parent(lids[0], lids[1]));
  reloaded.weigh(18, 19);
  stage.run(20);
  CHECK(reloaded.mass(lids[0]) == 18);
  CHECK(reloaded.mass(lids[1]) == 19);
}

TEST_CASE("A rebuilt member that the game despawns leaves its index empty",
          "[runtime][replication][reload]") {
  Reloaded reloaded;
  auto& stage = reloaded.stage;
  const auto& lids = reloaded.lids;
  const bool destroys_all = GENERATE(false, true);
  stage.client_world.request_despawn(lids[0]);
  if (destroys_all) {
    stage.client_world.request_despawn(lids[1]);
    stage.client_world.request_despawn(lids[2]);
  }
  stage.client_world.process_despawns();
  // Another entity of the game may get the same slot and the same parent.
  const EntityId own = stage.client_world.create({.parent = reloaded.root});
  stage.client_world.add(stage.body, own, samples::Body{{0, 0, 0}, 1});
  reloaded.weigh(18, 19);
  stage.run(20);
  CHECK(reloaded.mass(own) == 1);
  if (!destroys_all) CHECK(reloaded.mass(lids[1]) == 19);
}

TEST_CASE("Some time after a reload the rebuilt members are sent, even if they were moved",
          "[runtime][replication][reload]") {
  ReloadedServer server;
  auto& stage = server.stage;
  const auto& lids = server.lids;
  REQUIRE(stage.world.set_parent(lids[0], lids[1]));
  server.send(lids[0], lids[1]);
  CHECK(stage.received(stage.body, 5, 1)->mass == 18);
  CHECK(stage.received(stage.body, 5, 2)->mass == 19);
}

TEST_CASE("An entity that a game attaches to a reloaded instance is not sent instead of a member",
          "[runtime][replication][reload]") {
  ReloadedServer server;
  auto& stage = server.stage;
  const auto& lids = server.lids;
  const EntityId own = stage.world.create({.parent = lids[0]});
  stage.world.add(stage.body, own, samples::Body{{0, 0, 0}, 1});
  server.send(lids[0], lids[1]);
  CHECK(stage.received(stage.body, 5, 1)->mass == 18);
  CHECK(stage.received(stage.body, 5, 2)->mass == 19);
}

TEST_CASE("Members that a server spawns again after a restore are sent from then on",
          "[runtime][replication]") {
  BridgeStage stage;
  const World before = stage.world;
  const EntityId first = stage.spawn(5, kCrateType);
  stage.run(10);
  stage.world = before;
  const EntityId crate = stage.spawner.spawn_type(samples::kStageRegistry, kCrateType).value().root;
  REQUIRE(crate == first);
  REQUIRE(stage.collection.find({5}) == crate);
  stage.world.get(stage.life, crate)->current = 33;
  stage.world.get(stage.body, stage.world.first_child(crate))->mass = 4;
  stage.run(20);
  CHECK(stage.received(stage.life, 5)->current == 33);
  CHECK(stage.received(stage.body, 5, 1)->mass == 4);
}

}  // namespace muster
