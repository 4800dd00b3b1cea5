#include "runtime/spawn/replicated_collection.h"

#include <catch2/catch.hpp>

#include "registry/components/describe.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

using samples::Body;
using samples::Life;

TEST_CASE("Entities are found by network id", "[runtime][spawn][sys-17]") {
  World world(samples::game_components());
  ReplicatedCollection collection(world);
  const EntityId a = world.create();
  const EntityId b = world.create();
  CHECK(collection.add({7}, a) == CollectionVerdict::accepted);
  CHECK(collection.add({2}, b) == CollectionVerdict::accepted);
  CHECK(collection.find({7}) == a);
  CHECK(collection.find({2}) == b);
  std::vector<std::int32_t> ids;
  collection.each([&](EntityReference id, EntityId) { ids.push_back(id.network_id); });
  CHECK(ids == std::vector<std::int32_t>{2, 7});
  CHECK(collection.lowest_free().network_id == 0);
}

TEST_CASE("The id of a placed entity is not given to another entity",
          "[runtime][spawn][sys-15][sys-17]") {
  World world(samples::game_components());
  ReplicatedCollection collection(world);
  for (std::int32_t id = 0; id < 3; ++id) {
    REQUIRE(collection.add({id}, world.create()) == CollectionVerdict::accepted);
  }
  collection.set_placed_count(2);
  world.request_despawn(collection.find({0}));
  world.request_despawn(collection.find({2}));
  world.process_despawns();
  CHECK(collection.lowest_free().network_id == 2);
  collection.set_placed_count(0);  // The level was unloaded.
  CHECK(collection.lowest_free().network_id == 0);
}

TEST_CASE("Thousands of ids in a tick are checked once each", "[runtime][spawn]") {
  constexpr std::int32_t kCount = 10'000;
  World world(samples::game_components());
  ReplicatedCollection collection(world);
  for (std::int32_t i = 0; i < kCount; ++i) {
    const EntityReference id = collection.lowest_free();
    REQUIRE(id.network_id == i);
    REQUIRE(collection.add(id, world.create()) == CollectionVerdict::accepted);
  }
  CHECK(collection.checked_count() < 3 * kCount);
  // The ids of despawned entities and removed ids are free.
  for (std::int32_t i = 0; i < kCount; i += 2) world.request_despawn(collection.find({i}));
  world.process_despawns();
  const std::uint64_t before = collection.checked_count();
  for (std::int32_t i = 0; i < kCount; i += 2) {
    const EntityReference id = collection.lowest_free();
    REQUIRE(id.network_id == i);
    REQUIRE(collection.add(id, world.create()) == CollectionVerdict::accepted);
  }
  CHECK(collection.checked_count() - before < 3 * kCount);
  REQUIRE(collection.remove({17}) == CollectionVerdict::accepted);
  CHECK(collection.lowest_free().network_id == 17);
}

TEST_CASE("After a world is replaced, no id is in use", "[runtime][spawn]") {
  World world(samples::game_components());
  const World empty = world;
  ReplicatedCollection collection(world);
  REQUIRE(collection.add(collection.lowest_free(), world.create()) == CollectionVerdict::accepted);
  CHECK(collection.lowest_free().network_id == 1);
  world = empty;
  CHECK(collection.lowest_free().network_id == 0);
}

TEST_CASE("While an entity is alive, no other entity gets the same id",
          "[runtime][spawn][sys-17]") {
  World world(samples::game_components());
  ReplicatedCollection collection(world);
  const EntityId a = world.create();
  const EntityId b = world.create();
  REQUIRE(collection.add({0}, a) == CollectionVerdict::accepted);
  CHECK(collection.add({0}, b) == CollectionVerdict::id_in_use);
  CHECK(collection.add({0}, a) == CollectionVerdict::id_in_use);
  CHECK(collection.find({0}) == a);
  SECTION("the id is free after it was removed") {
    CHECK(collection.remove({0}) == CollectionVerdict::accepted);
    CHECK(collection.find({0}).is_null());
    CHECK(collection.remove({0}) == CollectionVerdict::unknown_id);
    CHECK(collection.add({0}, b) == CollectionVerdict::accepted);
  }
  SECTION("the id is free after its entity was despawned") {
    world.request_despawn(a);
    CHECK(collection.add({0}, b) == CollectionVerdict::id_in_use);
    world.process_despawns();
    CHECK(collection.find({0}).is_null());
    CHECK(collection.add({0}, a) == CollectionVerdict::entity_is_gone);
    CHECK(collection.add({0}, b) == CollectionVerdict::accepted);
  }
}

TEST_CASE("Forged ids are refused", "[runtime][spawn][sys-17]") {
  World world(samples::game_components());
  ReplicatedCollection collection(world);
  const EntityId entity = world.create();
  const std::int32_t id = GENERATE(-1, -2147483647 - 1, kMaxNetworkIds, 2147483647);
  CAPTURE(id);
  CHECK(collection.add({id}, entity) == CollectionVerdict::id_out_of_range);
  CHECK(collection.find({id}).is_null());
  CHECK(collection.remove({id}) == CollectionVerdict::unknown_id);
}

TEST_CASE("The components of a group have the same order on both sides",
          "[runtime][spawn][sys-17]") {
  const auto make = [](World& world, bool is_reversed) {
    const auto body = world.component<Body>("Body");
    const auto life = world.component<Life>("Life");
    const EntityId root = world.create();
    const EntityId first = world.create({.parent = root});
    const EntityId deep = world.create({.parent = first});
    const EntityId second = world.create({.parent = root});
    if (is_reversed) {
      for (const EntityId entity : {second, deep, first, root}) {
        world.add(life, entity, {});
        if (entity != first) world.add(body, entity, {});
      }
    } else {
      for (const EntityId entity : {root, first, deep, second}) {
        if (entity != first) world.add(body, entity, {});
        world.add(life, entity, {});
      }
    }
    return root;
  };
  World server(samples::game_components());
  World client(samples::game_components());
  const EntityId unrelated = server.create();
  const EntityId there = make(server, false);
  const EntityId other_unrelated = client.create();
  const EntityId here = make(client, true);
  std::vector<GroupComponent> on_server;
  std::vector<GroupComponent> on_client;
  list_group(server, there, on_server);
  list_group(client, here, on_client);
  CHECK(on_server == on_client);
  CHECK(on_server.size() == 7);
  CHECK(on_server[0].entity == there);
  CHECK(on_server[0].component == server.find_component("Body"));
  CHECK(on_server[3].entity == server.first_child(server.first_child(there)));
  list_group(server, unrelated, on_server);
  CHECK(on_server.empty());
  list_group(client, EntityId(), on_client);
  CHECK(on_client.empty());
  CHECK(client.is_alive(other_unrelated));
}

struct Ammo {
  std::int32_t left = 0;
};
consteval auto describe(Type<Ammo>) {
  return Describe<Ammo>("Ammo").field<&Ammo::left>("left", {.receivers = Receivers::owner});
}
struct Aim {
  float pitch = 0;
};
consteval auto describe(Type<Aim>) {
  return Describe<Aim>("Aim").field<&Aim::pitch>("pitch", {.receivers = Receivers::all_but_owner});
}
struct Team {
  std::int32_t id = 0;
};
consteval auto describe(Type<Team>) { return Describe<Team>("Team").field<&Team::id>("id"); }

TEST_CASE("A group lists components for all, then predicted, then interpolated components",
          "[runtime][spawn][sys-17]") {
  World world(std::vector{description_of<Aim>(), description_of<Ammo>(), description_of<Team>()});
  const auto aim = world.component<Aim>("Aim");
  const auto ammo = world.component<Ammo>("Ammo");
  const auto team = world.component<Team>("Team");
  const EntityId root = world.create();
  const EntityId child = world.create({.parent = root});
  for (const EntityId entity : {root, child}) {
    world.add(aim, entity, {});
    world.add(ammo, entity, {});
    world.add(team, entity, {});
  }
  std::vector<GroupComponent> listed;
  list_group(world, root, listed);
  CHECK(listed == std::vector<GroupComponent>{{root, team.id()},
                                              {child, team.id()},
                                              {root, ammo.id()},
                                              {child, ammo.id()},
                                              {root, aim.id()},
                                              {child, aim.id()}});
}

}  // namespace
}  // namespace muster
