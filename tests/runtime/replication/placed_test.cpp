// Placed entities of a level on a server and on its clients, before anything is sent.
#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/spawn/level.h"
#include "tests/support/bridge_stage.h"

namespace muster {
namespace {

using samples::BridgeOptions;
using samples::BridgeStage;
using samples::kCrateType;
using samples::kFactoryType;
using samples::Life;

/// In this game, entities with the component `Life` are replicated.
constexpr LevelOptions kLevelOptions{.replicated_component = "Life"};

/// A server and a client that have loaded the sample level. The level has four placed entities: two
/// posts and a gate, whose only component is `Life`, and a crate.
struct Yard {
  explicit Yard(const BridgeOptions& options = {}) : stage(options) {
    load(on_server, server_loader);
    REQUIRE(on_server.register_placed(stage.collection) == CollectionVerdict::accepted);
    for (std::int32_t id = 0; id < placed_count(); ++id) {
      const TypeId type = stage.world.has(*stage.world.find_component("Body"), placed(id))
                              ? kCrateType
                              : kFactoryType;
      REQUIRE(stage.sender.add({id}, {.type = type, .relevance = Relevance::always}) ==
              SendVerdict::accepted);
    }
  }

  static void load(Level& level, BundleLoader& loader) {
    level.load(samples::guid(samples::kLevel));
    for (int i = 0; i < 12; ++i) {
      loader.update(Time());
      level.update();
    }
    REQUIRE(level.state() == LevelState::ready);
  }
  void load_client() {
    load(on_client, stage.loader);
    REQUIRE(on_client.register_placed(stage.seen) == CollectionVerdict::accepted);
  }
  std::int32_t placed_count() const { return static_cast<std::int32_t>(on_server.placed().size()); }
  EntityId placed(std::int32_t id) const {
    return on_server.placed()[static_cast<std::size_t>(id)].entity;
  }

  BridgeStage stage;
  SteppedLoads server_loads{stage.server_source, stage.server_store.catalog()};
  BundleLoader server_loader{stage.server_store, server_loads, {}};
  Level on_server{stage.spawner, server_loader, kLevelOptions};
  Level on_client{stage.client_spawner, stage.loader, kLevelOptions};
};

std::vector<std::int32_t> ids_of(const ReplicatedCollection& collection) {
  std::vector<std::int32_t> ids;
  collection.each([&](EntityReference id, EntityId) { ids.push_back(id.network_id); });
  return ids;
}

}  // namespace

TEST_CASE("An entity that is placed on both sides has one id, and is updated like other entities",
          "[runtime][replication][sys-15]") {
  Yard yard;
  BridgeStage& stage = yard.stage;
  yard.load_client();
  REQUIRE(yard.placed_count() == 4);
  const std::uint32_t before = stage.client_world.entity_count();
  for (std::int32_t id = 0; id < 4; ++id) {
    stage.world.get(stage.life, yard.placed(id))->current = static_cast<float>(60 + id);
  }
  // The first free id follows the ids of the placed entities.
  REQUIRE(stage.collection.lowest_free().network_id == 4);
  stage.spawn(4, kCrateType);
  stage.run(30);
  CHECK(stage.client_world.entity_count() == before + 2);
  for (std::int32_t id = 0; id < 4; ++id) {
    CAPTURE(id);
    CHECK(stage.seen.find({id}) == yard.on_client.placed()[static_cast<std::size_t>(id)].entity);
    REQUIRE(stage.received(stage.life, id) != nullptr);
    CHECK(stage.received(stage.life, id)->current == static_cast<float>(60 + id));
  }
  CHECK(stage.receiver.counters().placed == 4);
  CHECK(stage.receiver.counters().despawned == 0);
  CHECK(stage.receiver.counters().refused == 0);
  CHECK(stage.client.counters().checksums > 0);
  CHECK(stage.client.counters().divergences == 0);
}

TEST_CASE("A placed entity that was removed before a client joins despawns at the client",
          "[runtime][replication][sys-15]") {
  const double loss = GENERATE(0.0, 0.3);
  CAPTURE(loss);
  const auto gone = GENERATE(values<std::vector<std::int32_t>>({{0}, {1, 3}, {0, 1, 2, 3}}));
  CAPTURE(gone);
  Yard yard({.server = {}, .client = {}, .link = {.loss = loss}});
  BridgeStage& stage = yard.stage;
  for (const std::int32_t id : gone) stage.despawn(id);
  stage.world.process_despawns();
  stage.spawn(stage.collection.lowest_free().network_id, kCrateType);
  yard.load_client();
  CHECK(ids_of(stage.seen).size() == 4);
  stage.run(120);
  CHECK(ids_of(stage.seen) == ids_of(stage.collection));
  for (const std::int32_t id : gone) {
    const EntityId placed = yard.on_client.placed()[static_cast<std::size_t>(id)].entity;
    CHECK_FALSE(stage.client_world.is_alive(placed));
  }
  CHECK(stage.receiver.counters().despawned == gone.size());
  // The list contains only the results of the last call.
  CHECK(stage.receiver.missing_placed().empty());
  CHECK(stage.client.counters().divergences == 0);
}

TEST_CASE("No placed entity despawns before all entities have arrived",
          "[runtime][replication][sys-15]") {
  Yard yard;
  BridgeStage& stage = yard.stage;
  stage.despawn(2);
  stage.world.process_despawns();
  yard.load_client();
  while (!stage.client.is_complete()) {
    CHECK(ids_of(stage.seen).size() == 4);
    CHECK(stage.receiver.missing_placed().empty());
    stage.step();
    REQUIRE(stage.tick < 60);
  }
  REQUIRE(stage.receiver.missing_placed().size() == 1);
  CHECK(stage.receiver.missing_placed()[0].network_id == 2);
  CHECK(ids_of(stage.seen) == std::vector<std::int32_t>{0, 1, 3});
}

TEST_CASE("A placed entity is not removed when other datagrams overtake its datagram",
          "[runtime][replication][sys-15][property]") {
  constexpr std::size_t kPosts = 700;
  const auto latency = GENERATE(34, 42, 46, 58);
  const bool has_despawns = GENERATE(false, true);
  CAPTURE(latency, has_despawns);
  BridgeOptions options{.link = {.latency = std::chrono::milliseconds(latency),
                                 .jitter = std::chrono::milliseconds(80),
                                 .jitter_kind = Jitter::exponential}};
  options.server.values.yard_posts = kPosts;
  options.client.values.yard_posts = kPosts;
  Yard yard(options);
  BridgeStage& stage = yard.stage;
  yard.load_client();
  const std::int32_t count = yard.placed_count();
  for (std::int32_t i = 0; i < 320; ++i) {  // All entities arrive in this time.
    for (std::int32_t id = i % 5; id < count; id += 5) {
      if (stage.collection.find({id}).is_null()) continue;
      stage.world.get(stage.life, stage.collection.find({id}))->current =
          static_cast<float>((i + id) % 90);
    }
    // Some entities despawn while the client receives them.
    if (has_despawns && i < 50) stage.despawn(i * 13);
    stage.step();
    for (const EntityReference id : stage.receiver.missing_placed()) {
      CAPTURE(id.network_id);
      CHECK(stage.collection.find(id).is_null());
    }
  }
  CHECK(ids_of(stage.seen) == ids_of(stage.collection));
}

TEST_CASE("A recording contains the placed entities that were removed before its start",
          "[runtime][replication][recording][sys-15]") {
  Yard yard;
  BridgeStage& stage = yard.stage;
  RecordingWriter writer({.keyframe_ticks = 10}, stage.types.schema);
  stage.despawn(1);
  stage.world.process_despawns();
  for (int i = 0; i < 10; ++i) {
    stage.step();
    writer.add(stage.server.world());
  }
  writer.finish();
  std::string error;
  const auto reader = RecordingReader::open(writer.pending(), error);
  REQUIRE(reader != nullptr);
  World world(samples::with_links(samples::game_components()));
  Spawner spawner(stage.store, world);
  DeferredSpawner deferred(spawner, stage.loader, {});
  ReplicatedCollection seen(world);
  Level level(spawner, stage.loader, kLevelOptions);
  Yard::load(level, stage.loader);
  REQUIRE(level.register_placed(seen) == CollectionVerdict::accepted);
  WorldReceiver receiver(spawner, deferred, seen, {samples::kStageRegistry, {}});
  // Before the first tick, nothing is known.
  receiver.apply(*reader);
  CHECK(ids_of(seen).size() == 4);
  REQUIRE(reader->step() == RecordingStatus::tick);
  receiver.apply(*reader);
  CHECK(ids_of(seen) == std::vector<std::int32_t>{0, 2, 3});
}

TEST_CASE("A client's level that begins again gets the server's state",
          "[runtime][replication][sys-14][sys-15][reload]") {
  Yard yard;
  BridgeStage& stage = yard.stage;
  yard.load_client();
  for (std::int32_t id = 0; id < 4; ++id) {
    stage.world.get(stage.life, yard.placed(id))->current = static_cast<float>(60 + id);
  }
  stage.despawn(3);
  stage.run(30);
  const std::uint32_t before = stage.client_world.entity_count();
  yard.on_client.unload();
  stage.client_world.process_despawns();
  yard.load_client();
  // The server sends no changes.
  stage.run(30);
  CHECK(ids_of(stage.seen) == std::vector<std::int32_t>{0, 1, 2});
  for (std::int32_t id = 0; id < 3; ++id) {
    CAPTURE(id);
    CHECK(stage.seen.find({id}) == yard.on_client.placed()[static_cast<std::size_t>(id)].entity);
    REQUIRE(stage.received(stage.life, id) != nullptr);
    CHECK(stage.received(stage.life, id)->current == static_cast<float>(60 + id));
  }
  CHECK(stage.client_world.entity_count() == before);
  CHECK(stage.client.counters().divergences == 0);
}

TEST_CASE("Changes while a client's level begins again are applied afterwards",
          "[runtime][replication][sys-14][sys-15][reload]") {
  const bool has_other_map = GENERATE(false, true);
  CAPTURE(has_other_map);
  Yard yard;
  BridgeStage& stage = yard.stage;
  yard.load_client();
  stage.spawn(7, kCrateType);
  stage.run(30);
  stage.waits_for_level = true;
  yard.on_client.unload();
  stage.client_world.process_despawns();
  stage.spawn(9, kCrateType);
  stage.run(10);
  stage.begins_map = has_other_map;
  stage.despawn(9);
  stage.despawn(7);
  stage.run(10);
  stage.spawn(8, kCrateType);
  stage.run(10);
  CHECK(stage.client.changes().size() <= 2 * 7);
  yard.load_client();
  stage.waits_for_level = false;
  stage.run(60);
  CHECK(ids_of(stage.seen) == std::vector<std::int32_t>{0, 1, 2, 3, 8});
  CHECK(ids_of(stage.seen) == ids_of(stage.collection));
  CHECK(stage.client.counters().divergences == 0);
}

TEST_CASE("When a server unloads a level, its placed entities despawn on the clients",
          "[runtime][replication][sys-14][sys-15]") {
  Yard yard;
  BridgeStage& stage = yard.stage;
  yard.load_client();
  const auto placed = yard.on_client.placed();
  const std::vector<PlacedEntity> there(placed.begin(), placed.end());
  stage.spawn(4, kCrateType);
  stage.run(30);
  yard.on_server.unload();
  stage.run(30);
  CHECK(ids_of(stage.collection) == std::vector<std::int32_t>{4});
  CHECK(ids_of(stage.seen) == std::vector<std::int32_t>{4});
  for (const PlacedEntity& one : there) CHECK_FALSE(stage.client_world.is_alive(one.entity));
  // The client also unloads its level.
  yard.on_client.unload();
  stage.run(2);
  CHECK(stage.client_world.entity_count() == 2);
  CHECK(stage.world.entity_count() == 2);
  CHECK(stage.client.counters().divergences == 0);
}

}  // namespace muster
