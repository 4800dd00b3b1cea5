#include <catch2/catch.hpp>

#include "tests/support/allocation_counter.h"
#include "tests/support/bridge_stage.h"

namespace muster {
namespace {

using samples::Body;
using samples::BridgeStage;
using samples::kClientPlayer;
using samples::kCrateType;
using samples::kFactoryType;
using samples::kHeroType;
using samples::Life;

ComponentDescription& described(std::vector<ComponentDescription>& components,
                                std::string_view name) {
  return *std::ranges::find(components, name, &ComponentDescription::name);
}

}  // namespace

TEST_CASE("An entity of a server exists on a client, with all entities below it",
          "[runtime][replication][sys-16][sys-17][sys-18]") {
  BridgeStage stage;
  const EntityId crate = stage.spawn(5, kCrateType);
  stage.world.get(stage.life, crate)->current = 33;
  const EntityId lid = stage.world.first_child(crate);
  stage.world.get(stage.body, lid)->position = {7, 8, 9};
  stage.run(30);
  REQUIRE(stage.received(stage.life, 5) != nullptr);
  CHECK(stage.received(stage.life, 5)->current == 33);
  CHECK(*stage.received(stage.body, 5) == Body{{1, 2, 3}, 20});
  REQUIRE(stage.received(stage.body, 5, 1) != nullptr);
  CHECK(stage.received(stage.body, 5, 1)->position == Vec3{7, 8, 9});
  CHECK(stage.client_world.entity_count() == 2);
  // Changes of the root and of its children arrive.
  stage.world.get(stage.body, lid)->mass = 4;
  stage.world.get(stage.body, crate)->position.x = -1;
  stage.run(10);
  CHECK(stage.received(stage.body, 5, 1)->mass == 4);
  CHECK(stage.received(stage.body, 5)->position.x == -1);
  stage.despawn(5);
  stage.run(10);
  CHECK(stage.seen.find({5}).is_null());
  CHECK(stage.client_world.entity_count() == 0);
  CHECK(stage.sender.count() == 0);
  CHECK(stage.receiver.counters().refused == 0);
  CHECK(stage.client.counters().divergences == 0);
}

TEST_CASE("Snapshots are applied to an entity whose bundle is not loaded",
          "[runtime][replication][sys-13][sys-18]") {
  BridgeStage stage;
  const EntityId crate = stage.spawn(5, kCrateType);
  const EntityId lid = stage.world.first_child(crate);
  stage.world.get(stage.body, lid)->mass = 9;
  stage.run(20, false);
  REQUIRE(stage.deferred.is_waiting(stage.seen.find({5})));
  CHECK(stage.received(stage.body, 5)->position == Vec3{1, 2, 3});
  CHECK(stage.client_world.entity_count() == 1);
  CHECK(stage.receiver.incomplete_count() == 1);
  stage.world.get(stage.life, crate)->current = 2;
  stage.run(10, false);
  CHECK(stage.received(stage.life, 5)->current == 2);
  // The server sends no further changes, because the values of the children have already arrived.
  stage.run(10);
  CHECK_FALSE(stage.deferred.is_waiting(stage.seen.find({5})));
  CHECK(stage.received(stage.life, 5)->current == 2);
  REQUIRE(stage.received(stage.body, 5, 1) != nullptr);
  CHECK(stage.received(stage.body, 5, 1)->mass == 9);
  CHECK(stage.receiver.incomplete_count() == 0);
}

TEST_CASE("A placed entity is updated on both sides, and not spawned again",
          "[runtime][replication][sys-15]") {
  BridgeStage stage;
  const EntityId placed =
      stage.client_spawner.spawn_type(samples::kStageRegistry, kCrateType).value().root;
  REQUIRE(stage.seen.add({0}, placed) == CollectionVerdict::accepted);
  stage.seen.set_placed_count(1);
  const EntityId crate = stage.spawn(0, kCrateType);
  stage.world.get(stage.life, crate)->current = 33;
  stage.world.get(stage.body, stage.world.first_child(crate))->mass = 4;
  stage.run(30);
  CHECK(stage.seen.find({0}) == placed);
  CHECK(stage.client_world.entity_count() == 2);
  REQUIRE(stage.received(stage.life, 0) != nullptr);
  CHECK(stage.received(stage.life, 0)->current == 33);
  REQUIRE(stage.received(stage.body, 0, 1) != nullptr);
  CHECK(stage.received(stage.body, 0, 1)->mass == 4);
  CHECK(stage.receiver.counters().placed == 1);
  CHECK(stage.receiver.incomplete_count() == 0);
  CHECK(stage.client.counters().divergences == 0);
  stage.despawn(0);
  stage.run(10);
  CHECK_FALSE(stage.client_world.is_alive(placed));
  CHECK(stage.client_world.entity_count() == 0);
}

TEST_CASE("A client with another prefab applies the matching parts",
          "[runtime][replication][sys-2]") {
  BridgeStage stage;
  const EntityId hero = stage.spawn(0, kHeroType);
  stage.world.get(stage.body, stage.world.first_child(hero))->mass = 5;
  stage.run(30);
  // In the client's build, the hero's prefab has no `Life` component and no child entity `Hand`.
  REQUIRE(stage.received(stage.life, 0) != nullptr);
  CHECK(stage.received(stage.life, 0)->current == 120);
  CHECK(stage.received(stage.body, 0)->mass == 80);
  CHECK(stage.client_world.entity_count() == 1);
  CHECK(stage.receiver.drain_notes().empty());
}

TEST_CASE("An id that is used again at once names another entity",
          "[runtime][replication][sys-47]") {
  BridgeStage stage;
  stage.spawn(5, kCrateType);
  stage.run(20);
  const EntityId before = stage.seen.find({5});
  stage.despawn(5);
  stage.world.process_despawns();
  const EntityId factory = stage.spawn(5, kFactoryType);
  stage.world.get(stage.life, factory)->team = 8;
  stage.run(20);
  CHECK(stage.seen.find({5}) != before);
  CHECK_FALSE(stage.client_world.is_alive(before));
  CHECK(stage.received(stage.life, 5)->team == 8);
  CHECK(stage.received(stage.body, 5) == nullptr);
  CHECK(stage.client_world.entity_count() == 1);
  CHECK(stage.sender.count() == 1);
}

TEST_CASE("Owner-only fields arrive at the owner, and ownership changes",
          "[runtime][replication][sys-19][sys-40]") {
  std::vector<ComponentDescription> components = samples::game_components();
  described(components, "Life").fields[0].receivers = Receivers::owner;
  described(components, "Life").fields[1].receivers = Receivers::all_but_owner;
  BridgeStage stage(components);
  const EntityId mine = stage.spawn(1, kCrateType, kClientPlayer);
  const EntityId other = stage.spawn(2, kCrateType, PlayerId(4));
  *stage.world.get(stage.life, mine) = {11, 12};
  *stage.world.get(stage.life, other) = {21, 22};
  stage.run(30);
  CHECK(stage.client_world.player(stage.seen.find({1})) == kClientPlayer);
  CHECK(stage.client_world.player(stage.seen.find({2})) == PlayerId::none);
  // Fields that are not sent have the prefab's values, although the entity existed before its
  // prefab was loaded.
  CHECK(*stage.received(stage.life, 1) == Life{11, 2});
  CHECK(*stage.received(stage.life, 2) == Life{50, 22});
  stage.world.set_player(mine, PlayerId::none);
  stage.world.set_player(other, kClientPlayer);
  stage.run(30);
  CHECK(stage.client_world.player(stage.seen.find({1})) == PlayerId::none);
  CHECK(stage.client_world.player(stage.seen.find({2})) == kClientPlayer);
  CHECK(*stage.received(stage.life, 1) == Life{11, 12});
  CHECK(*stage.received(stage.life, 2) == Life{21, 22});
}

TEST_CASE("A reference is resolved when its entity arrives", "[runtime][replication][sys-17]") {
  std::vector<ComponentDescription> components = samples::game_components();
  described(components, "Life").fields[1].type = FieldType::entity;
  BridgeStage stage(components);
  const EntityId first = stage.spawn(1, kCrateType);
  stage.world.get(stage.life, first)->team = 9;
  stage.run(20);
  REQUIRE(stage.received(stage.life, 1) != nullptr);
  const EntityReference target{stage.received(stage.life, 1)->team};
  CHECK(target == EntityReference{9});
  CHECK(stage.seen.find(target).is_null());
  stage.spawn(9, kFactoryType);
  stage.run(20);
  CHECK_FALSE(stage.seen.find(target).is_null());
  CHECK(stage.client_world.has(stage.life.id(), stage.seen.find(target)));
}

TEST_CASE("When the map changes, all entities despawn and live entities are spawned again",
          "[runtime][replication][sys-34]") {
  BridgeStage stage;
  stage.spawn(1, kCrateType);
  stage.spawn(2, kHeroType);
  stage.run(20);
  const EntityId before = stage.seen.find({1});
  REQUIRE_FALSE(before.is_null());
  stage.despawn(2);
  stage.world.process_despawns();
  stage.begins_map = true;
  stage.run(40);
  CHECK(stage.seen.find({1}) != before);
  CHECK(stage.received(stage.body, 1)->position == Vec3{1, 2, 3});
  CHECK(stage.seen.find({2}).is_null());
  CHECK(stage.client_world.entity_count() == 2);
}

TEST_CASE(
    "A client whose world differs from the server's world detects and corrects the difference",
    "[runtime][replication][sys-48]") {
  BridgeStage stage;
  stage.spawn(1, kCrateType);
  stage.run(30);
  REQUIRE(stage.client.counters().divergences == 0);
  stage.client_world.get(stage.life, stage.seen.find({1}))->current = 1234;
  stage.run(120);
  CHECK(stage.client.counters().divergences > 0);
  CHECK(stage.client.counters().checksums > stage.client.counters().divergences);
}

TEST_CASE(
    "Despawned entities and removed components are detected, named on both sides, and restored",
    "[runtime][replication][sys-48]") {
  BridgeStage stage;
  const EntityId crate = stage.spawn(1, kCrateType);
  stage.spawn(2, kFactoryType);
  stage.world.get(stage.life, crate)->current = 33;
  stage.run(60);
  REQUIRE(stage.client.counters().divergences == 0);
  const auto check_logs = [&](const std::string& line) {
    for (const DivergenceList* log : {&stage.server_log, &stage.client_log}) {
      REQUIRE_FALSE(log->all.empty());
      CHECK(to_line(log->all[0]) == line);
    }
  };
  SECTION("a client lacks an entity and its children") {
    stage.client_world.request_despawn(stage.seen.find({1}));
    stage.client_world.process_despawns();
    REQUIRE(stage.seen.find({1}).is_null());
    stage.run(200);
    check_logs("entity 1 of type 2 is missing at a client");
    REQUIRE(stage.received(stage.body, 1, 1) != nullptr);
    CHECK(stage.client_world.entity_count() == 3);
  }
  SECTION("a client lacks a component") {
    stage.client_world.remove(stage.life.id(), stage.seen.find({1}));
    REQUIRE(stage.received(stage.life, 1) == nullptr);
    stage.run(200);
    check_logs("entity 1 of type 2 lacks its Life at a client");
  }
  REQUIRE(stage.received(stage.life, 1) != nullptr);
  CHECK(stage.received(stage.life, 1)->current == 33);
  CHECK(stage.client.counters().resyncs > 0);
  // From now on, server and client do not differ, and changes arrive.
  const std::uint64_t divergences = stage.client.counters().divergences;
  stage.world.get(stage.life, crate)->current = 34;
  stage.run(200);
  CHECK(stage.received(stage.life, 1)->current == 34);
  CHECK(stage.client.counters().divergences == divergences);
}

TEST_CASE("Unchanged entities are only compared, and paused entities are not compared",
          "[runtime][replication]") {
  BridgeStage stage;
  for (std::int32_t id = 0; id < 10; ++id) stage.spawn(id, kCrateType);
  stage.run(1);
  const WorldSenderCounters before = stage.sender.counters();
  CHECK(before.quantised == 10);
  const EntityId moved = stage.collection.find({3});
  stage.world.get(stage.life, moved)->current = 1;
  stage.sender.set_paused({4}, true);
  stage.world.get(stage.life, stage.collection.find({4}))->current = 1;
  stage.run(1);
  CHECK(stage.sender.counters().compared - before.compared == 9);
  CHECK(stage.sender.counters().quantised - before.quantised == 1);
  stage.run(20);
  CHECK(stage.received(stage.life, 3)->current == 1);
  CHECK(stage.received(stage.life, 4)->current == 50);
  stage.sender.set_options({4}, {.type = kCrateType, .relevance = Relevance::always});
  stage.run(20);
  CHECK(stage.received(stage.life, 4)->current == 50);  // Only the options of the entity are sent.
  stage.sender.set_paused({4}, false);
  stage.run(20);
  CHECK(stage.received(stage.life, 4)->current == 1);
}

TEST_CASE("In steady state, sending changes to a client allocates nothing",
          "[runtime][replication]") {
  BridgeStage stage;
  for (std::int32_t id = 0; id < 10; ++id) stage.spawn(id, kCrateType);
  const auto move = [&] {
    for (std::int32_t id = 0; id < 10; ++id) {
      stage.world.get(stage.body, stage.collection.find({id}))->position.x += 0.5F;
    }
  };
  for (int i = 0; i < 600; ++i) {
    move();
    stage.step();
  }
  std::uint64_t allocations = 0;
  for (int i = 0; i < 60; ++i) {
    move();
    stage.server.begin_tick(Tick(++stage.tick));
    const std::uint64_t before = allocation_count();
    stage.sender.write(stage.server.world());
    allocations += allocation_count() - before;
    stage.server.end_tick();
    stage.pair.now += std::chrono::milliseconds(16);
    stage.pair.network.advance(stage.pair.now);
    stage.pair.a->receive(stage.pair.now);
    stage.pair.b->receive(stage.pair.now);
    stage.server.update(ClientId{1}, stage.pair.a->connection, stage.pair.now);
    stage.client.update(stage.pair.b->connection);
    const std::uint64_t between = allocation_count();
    stage.receiver.apply(stage.client);
    stage.receiver.complete(stage.client);
    allocations += allocation_count() - between;
    stage.client.clear();
    stage.pair.a->send(stage.pair.now);
    stage.pair.b->send(stage.pair.now);
  }
  CHECK(allocations == 0);
}

TEST_CASE("An entity is completed again after a restore to a tick before its bundle was loaded",
          "[runtime][replication]") {
  BridgeStage stage;
  const EntityId crate = stage.spawn(5, kCrateType);
  stage.world.get(stage.body, stage.world.first_child(crate))->mass = 3;
  stage.run(20, false);
  const World before = stage.client_world;
  stage.run(20);
  REQUIRE(stage.received(stage.body, 5, 1) != nullptr);
  stage.client_world = before;
  stage.world.get(stage.body, crate)->position.x = 77;
  stage.run(20);
  REQUIRE(stage.received(stage.body, 5, 1) != nullptr);
  CHECK(stage.received(stage.body, 5)->position.x == 77);
  CHECK(stage.received(stage.body, 5, 1)->mass == 3);
  CHECK(stage.client_world.entity_count() == 2);
}

TEST_CASE("A new entity with the id of an undone member is not a member",
          "[runtime][replication]") {
  const std::size_t lids = GENERATE(1U, 2U);
  const samples::BridgeBuild side{.values = {.crate_lids = lids}};
  BridgeStage stage(samples::BridgeOptions{.server = side, .client = side});
  const EntityId crate = stage.spawn(5, kCrateType);
  const EntityId lid = stage.world.first_child(crate);
  stage.world.get(stage.body, lid)->mass = 3;
  if (lids > 1) stage.world.get(stage.body, stage.world.next_sibling(lid))->mass = 4;
  stage.run(20, false);
  const World before = stage.client_world;
  stage.run(20);
  stage.client_world = before;
  const EntityId unrelated = stage.client_world.create({});
  stage.client_world.add(stage.body, unrelated, samples::Body{{0, 0, 0}, 1});
  stage.world.get(stage.body, crate)->position.x = 77;
  stage.world.get(stage.body, lid)->mass = 8;
  stage.run(30);
  CHECK(stage.client_world.get(stage.body, unrelated)->mass == 1);
  CHECK(stage.received(stage.body, 5, 1)->mass == 8);
  if (lids > 1) CHECK(stage.received(stage.body, 5, 2)->mass == 4);
}

TEST_CASE("A game that despawns all members keeps its other entities below the root",
          "[runtime][replication]") {
  const std::size_t lids = GENERATE(1U, 2U);
  std::vector<ComponentDescription> components = samples::game_components();
  for (ComponentDescription& one : components) {
    if (one.name == "Life") one.fields[0].receivers = Receivers::owner;
  }
  const samples::BridgeBuild side{.components = components, .values = {.crate_lids = lids}};
  BridgeStage stage(samples::BridgeOptions{.server = side, .client = side});
  const EntityId crate = stage.spawn(5, kCrateType);
  stage.run(20);
  const EntityId root = stage.seen.find({5});
  stage.client_world.get(stage.life, root)->current = 77;
  World& world = stage.client_world;
  for (EntityId lid = world.first_child(root); !lid.is_null(); lid = world.next_sibling(lid)) {
    world.request_despawn(lid);
  }
  stage.run(3);
  stage.world.get(stage.body, crate)->position.x = 5;
  stage.run(20);
  CHECK(stage.received(stage.life, 5)->current == 77);
  CHECK(stage.received(stage.body, 5)->position.x == 5);
  CHECK(world.first_child(root).is_null());
}

TEST_CASE("A recording plays into a world like a server, and also backwards",
          "[runtime][replication]") {
  std::vector<ComponentDescription> components = samples::game_components();
  described(components, "Life").fields[0].receivers = Receivers::owner;
  BridgeStage stage(components);
  RecordingWriter writer({.keyframe_ticks = 10}, stage.types.schema);
  for (std::int32_t id = 0; id < 5; ++id) stage.spawn(id, kCrateType);
  const auto lid = [&] { return stage.world.first_child(stage.collection.find({1})); };
  for (int i = 0; i < 60; ++i) {
    stage.world.get(stage.life, stage.collection.find({1}))->current = static_cast<float>(i);
    stage.world.get(stage.body, lid())->position.y = static_cast<float>(i);
    if (i == 40) stage.despawn(2);
    stage.step();
    writer.add(stage.server.world());
  }
  writer.finish();
  std::string error;
  const auto reader = RecordingReader::open(writer.pending(), error);
  REQUIRE(reader != nullptr);
  World world(samples::with_links(components));
  Spawner spawner(stage.store, world);
  DeferredSpawner deferred(spawner, stage.loader, {});
  ReplicatedCollection seen(world);
  WorldReceiver receiver(spawner, deferred, seen, {samples::kStageRegistry, {}});
  const auto show = [&] {
    receiver.apply(*reader);
    reader->clear();
    stage.loader.update(Time());
    deferred.update();
    receiver.complete(*reader);
    world.process_despawns();
  };
  const auto life = [&] { return world.get(stage.life, seen.find({1}))->current; };
  const auto lid_height = [&] {
    return world.get(stage.body, world.first_child(seen.find({1})))->position.y;
  };
  while (reader->step() == RecordingStatus::tick) show();
  show();
  CHECK(life() == 59);
  CHECK(lid_height() == 59);
  CHECK(seen.find({2}).is_null());
  CHECK(world.entity_count() == 8);
  REQUIRE(reader->seek(Tick(21)) == RecordingStatus::tick);
  show();
  show();
  CHECK(life() == 20);
  CHECK(lid_height() == 20);
  CHECK_FALSE(seen.find({2}).is_null());
  CHECK(world.entity_count() == 10);
  CHECK(receiver.drain_notes().empty());
}

TEST_CASE("An entity that cannot be sent is reported to the game", "[runtime][replication]") {
  BridgeStage stage;
  stage.spawn(1, kCrateType);
  CHECK(stage.sender.add({1}, {.type = kCrateType}) == SendVerdict::sent_already);
  CHECK(stage.sender.add({2}, {.type = kCrateType}) == SendVerdict::unknown_id);
  CHECK(stage.sender.add({1}, {.type = TypeId(77)}) == SendVerdict::unknown_type);
}

}  // namespace muster
