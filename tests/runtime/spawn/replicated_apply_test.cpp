#include "runtime/spawn/replicated_apply.h"

#include <cstddef>
#include <utility>

#include <catch2/catch.hpp>

#include "runtime/spawn/level.h"
#include "tests/support/spawn_stage.h"

namespace muster {
namespace {

using samples::guid;
using samples::Life;

constexpr TypeId kHero(1);
constexpr TypeId kCrateEntry(2);

struct Client : samples::SpawnStage {
  ReplicatedCollection collection{world};
  ReplicatedApply replicated{deferred, collection, world, registry()};

  RegistryIndex registry() const {
    for (std::uint32_t i = 0; i < store.catalog().registry_count(); ++i) {
      if (store.catalog().registry(RegistryIndex{i}).class_name == "ReplicatedEntity")
        return RegistryIndex{i};
    }
    FAIL("no registry of replicated entities");
    return {};
  }
  void apply(std::uint32_t tick, const std::vector<EntityReference>& despawned,
             const std::vector<ReplicatedApply::Spawn>& spawned,
             const std::vector<std::pair<std::int32_t, Life>>& updated) {
    std::vector<ReplicatedApply::Update> updates;
    for (const auto& [id, value] : updated) {
      updates.push_back({{id}, life.id(), std::as_bytes(std::span(&value, 1))});
    }
    replicated.apply(
        {.tick = Tick(tick), .despawned = despawned, .spawned = spawned, .updated = updates});
  }
  const Life* life_of(std::int32_t id) { return world.get(life, collection.find({id})); }
};

TEST_CASE("Despawns are applied before spawns, and spawns before updates",
          "[runtime][spawn][sys-18]") {
  Client client;
  client.apply(1, {}, {{{4}, kHero, PlayerId(2)}}, {{4, {80, 1}}});
  const EntityId hero = client.collection.find({4});
  REQUIRE_FALSE(hero.is_null());
  CHECK(client.world.player(hero) == PlayerId(2));
  CHECK(client.life_of(4)->current == 80);
  // In the same tick, the id is used again and the new entity is updated.
  client.apply(2, {{4}}, {{{4}, kCrateEntry, {}}}, {{4, {30, 5}}});
  const EntityId crate = client.collection.find({4});
  CHECK(crate != hero);
  CHECK(client.world.is_despawning(hero));
  CHECK(client.life_of(4)->current == 30);
  client.world.process_despawns();
  CHECK_FALSE(client.world.is_alive(hero));
  CHECK(client.replicated.counters().refused == 0);
}

TEST_CASE("The tick of an entity only increases", "[runtime][spawn][sys-18]") {
  Client client;
  client.apply(5, {}, {{{1}, kHero, {}}, {{2}, kHero, {}}}, {{1, {50, 0}}});
  client.apply(5, {}, {}, {{1, {1, 0}}, {2, {77, 0}}});
  CHECK(client.life_of(1)->current == 50);  // The entity already has this tick.
  CHECK(client.life_of(2)->current == 77);  // The entity had an older tick.
  client.apply(4, {}, {}, {{1, {2, 0}}});
  CHECK(client.life_of(1)->current == 50);
  client.apply(6, {}, {}, {{1, {60, 0}}, {1, {61, 0}}});
  CHECK(client.life_of(1)->current == 61);
  CHECK(client.replicated.counters().stale == 2);
  CHECK(client.replicated.updated_at({1}) == Tick(6));
  // A repeated spawn keeps the tick.
  client.apply(7, {}, {{{1}, kHero, {}}}, {});
  client.apply(5, {}, {}, {{1, {3, 0}}});
  CHECK(client.life_of(1)->current == 61);
  // A new entity with the same id starts at tick 0.
  client.apply(7, {{1}}, {{{1}, kCrateEntry, {}}}, {});
  CHECK(client.replicated.updated_at({1}) == Tick());
  client.apply(7, {}, {}, {{1, {9, 0}}});
  CHECK(client.life_of(1)->current == 9);
}

TEST_CASE("A placed entity from another server is updated from its first tick on",
          "[runtime][spawn][sys-18]") {
  Client client;
  const EntityId placed = client.world.create();
  client.world.add(client.life, placed, Life{10, 0});
  REQUIRE(client.collection.add({0}, placed) == CollectionVerdict::accepted);
  client.collection.set_placed_count(1);
  client.apply(900, {}, {{{0}, kHero, {}}}, {{0, {70, 0}}});
  CHECK(client.life_of(0)->current == 70);
  client.apply(3, {}, {{{0}, kHero, {}}}, {{0, {80, 0}}});
  CHECK(client.life_of(0)->current == 80);
  CHECK(client.replicated.counters().stale == 0);
}

TEST_CASE("Invalid changes from the network are counted and skipped", "[runtime][spawn][sys-18]") {
  Client client;
  client.apply(1, {{3}, {-1}, {kMaxNetworkIds}},
               {{{-1}, kHero, {}},
                {{kMaxNetworkIds}, kHero, {}},
                {{1}, TypeId(60000), {}},
                {{1}, kHero, {}}},
               {{9, {1, 1}}, {-7, {1, 1}}});
  const ReplicatedApply::Counters& counters = client.replicated.counters();
  CHECK(counters.unknown_id == 5);
  CHECK(counters.refused == 3);  // Two ids are out of range, and one is in use.
  CHECK(client.deferred.is_placeholder(client.collection.find({1})));
  const std::array<std::byte, 3> little{};
  const std::vector<ReplicatedApply::Update> updates = {{{1}, client.life.id(), little},
                                                        {{1}, ComponentId(4000), little}};
  client.replicated.apply({.tick = Tick(2), .despawned = {}, .spawned = {}, .updated = updates});
  CHECK(counters.refused == 5);
}

TEST_CASE("No peer can cause an entity's prefab to be spawned again", "[runtime][spawn][sys-18]") {
  Client client;
  client.apply(1, {}, {{{1}, kHero, {}}}, {});
  client.load();
  const EntityId hero = client.collection.find({1});
  REQUIRE_FALSE(client.deferred.is_waiting(hero));
  const std::uint32_t before = client.world.entity_count();
  const ComponentId link = client.world.find_component("PrefabLink").value();
  const Bytes present = std::as_const(client.world).bytes(link, hero);
  ByteVector forged(present.begin(), present.end());
  forged[offsetof(PrefabLink, stage)] = static_cast<std::byte>(PrefabStage::waiting);
  const std::vector<ReplicatedApply::Update> updates = {{{1}, link, forged}};
  client.replicated.apply({.tick = Tick(2), .despawned = {}, .spawned = {}, .updated = updates});
  client.deferred.update();
  CHECK(client.world.entity_count() == before);
  CHECK(client.replicated.counters().refused == 1);
}

TEST_CASE("The spawn of a placed entity only sets its owner", "[runtime][spawn][sys-15][sys-18]") {
  Client client;
  Level level(client.spawner, client.loader, {.replicated_component = "Life"});
  level.load(guid(samples::kLevel));
  for (int i = 0; i < 12; ++i) {
    client.loader.update(Time());
    level.update();
  }
  REQUIRE(level.register_placed(client.collection) == CollectionVerdict::accepted);
  const std::uint32_t before = client.world.entity_count();
  client.apply(1, {}, {{{0}, kCrateEntry, PlayerId(7)}}, {{0, {12, 0}}});
  CHECK(client.world.entity_count() == before);
  CHECK(client.collection.find({0}) == level.placed()[0].entity);
  CHECK(client.world.player(client.collection.find({0})) == PlayerId(7));
  CHECK(client.life_of(0)->current == 12);
  CHECK(client.replicated.counters().placed == 1);
}

}  // namespace
}  // namespace muster
