#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

ReplicationServerOptions near_options(float radius) {
  ReplicationServerOptions options;
  options.classes = {{.radius = radius}};
  return options;
}

std::vector<NetworkId> ids_of(const ReplicationStage::Client& client) {
  std::vector<NetworkId> ids;
  for (const auto& [id, entity] : client.world.entities) ids.push_back(id);
  return ids;
}

}  // namespace

TEST_CASE(
    "A client receives near and always relevant entities, its own entities and its team's entities",
    "[net][replication]") {
  ReplicationStage stage(1, near_options(50));
  ReplicationStage::Client& client = stage.join({}, {}, {.player = PlayerId{7}, .team = 2});
  stage.server.set_view_position(client.id, {.x = 1000});
  stage.step([&] {
    stage.spawn(NetworkId{1}, {.type = SchemaType{1}, .position = {.x = 1020}});
    stage.spawn(NetworkId{2}, {.type = SchemaType{1}, .position = {.x = 1080}});
    stage.spawn(NetworkId{3}, {.type = SchemaType{1}, .relevance = Relevance::always});
    stage.spawn(NetworkId{4},
                {.type = SchemaType{1}, .owner = PlayerId{7}, .relevance = Relevance::owner});
    stage.spawn(NetworkId{5},
                {.type = SchemaType{1}, .owner = PlayerId{8}, .relevance = Relevance::owner});
    stage.spawn(NetworkId{6}, {.type = SchemaType{1}, .relevance = Relevance::team, .team = 2});
    stage.spawn(NetworkId{7}, {.type = SchemaType{1}, .relevance = Relevance::team, .team = 3});
    stage.spawn(NetworkId{8},
                {.type = SchemaType{1}, .owner = PlayerId{7}, .position = {.x = -5000}});
  });
  stage.run(30);
  CHECK(ids_of(client) ==
        std::vector{NetworkId{1}, NetworkId{3}, NetworkId{4}, NetworkId{6}, NetworkId{8}});
}

TEST_CASE("An entity is removed at a larger distance than the distance at which it is added",
          "[net][replication]") {
  ReplicationStage stage(2, near_options(50));
  ReplicationStage::Client& client = stage.join();
  stage.server.set_view_position(client.id, {});
  stage.step([&] { stage.spawn(NetworkId{1}, {.type = SchemaType{1}, .position = {.x = 70}}); });
  const auto is_seen_at = [&](float x) {
    stage.step([&] { stage.server.world().set_position(NetworkId{1}, {.x = x}); });
    stage.run(30);
    return client.world.entities.contains(NetworkId{1});
  };
  CHECK_FALSE(is_seen_at(60));
  CHECK(is_seen_at(49));
  CHECK(is_seen_at(60));
  CHECK_FALSE(is_seen_at(64));
  CHECK_FALSE(is_seen_at(60));
  CHECK(client.world.spawned == 1);
  CHECK(client.world.despawned == 1);
}

TEST_CASE("The grid finds the same entities as a full search", "[net][replication]") {
  Random random(3);
  for (int round = 0; round < 30; ++round) {
    const ReplicationSchema schema = replication_samples_schema();
    const TypeViews views(schema);
    const std::vector<UpdateClass> classes = {{.radius = 40}, {.radius = 130}};
    InterestGrid grid({.cell_size = static_cast<float>(5 + random.below(60))}, classes);
    ReplicatedWorld world(schema, views);
    const auto position = [&] {
      return WorldPosition{.x = static_cast<float>(random.below(600)) - 300,
                           .y = static_cast<float>(random.below(20)),
                           .z = static_cast<float>(random.below(600)) - 300};
    };
    const std::vector<std::int64_t> values(schema.value_count(SchemaType{1}));
    for (std::uint32_t tick = 1; tick < 12; ++tick) {
      world.begin(Tick(tick));
      for (std::uint32_t i = 0; i < 60; ++i) {
        const NetworkId id{i};
        if (world.find(id) == nullptr) {
          world.spawn(id,
                      {.type = SchemaType{1},
                       .update_class = static_cast<std::uint8_t>(random.below(2)),
                       .position = position()},
                      values);
        } else if (random.below(6) == 0) {
          world.despawn(id);
        } else if (random.below(2) == 0) {
          world.set_position(id, position());
        }
      }
      grid.update(world);
      const Viewer viewer{.has_view_position = true, .view_position = position()};
      std::vector<NetworkId> found;
      grid.find(world, viewer, {}, found);
      std::vector<NetworkId> expected;
      for (const ReplicatedEntity& entity : world.entities()) {
        const float x = entity.options.position.x - viewer.view_position.x;
        const float y = entity.options.position.y - viewer.view_position.y;
        const float z = entity.options.position.z - viewer.view_position.z;
        const float radius = classes[entity.options.update_class].radius;
        if (x * x + y * y + z * z <= radius * radius) expected.push_back(entity.id);
      }
      REQUIRE(found == expected);
    }
  }
}

TEST_CASE("Positions that are NaN or very large are harmless", "[net][replication]") {
  ReplicationStage stage(4, near_options(50));
  ReplicationStage::Client& client = stage.join();
  const float bad = GENERATE(std::numeric_limits<float>::quiet_NaN(),
                             std::numeric_limits<float>::infinity(), 1e30F, -1e30F);
  stage.server.set_view_position(client.id, {.x = bad});
  stage.step([&] {
    stage.spawn(NetworkId{1}, {.type = SchemaType{1}, .position = {.x = bad, .z = bad}});
    stage.spawn(NetworkId{2}, {.type = SchemaType{1}, .relevance = Relevance::always});
  });
  stage.run(30);
  CHECK(client.world.entities.contains(NetworkId{2}));
}

TEST_CASE("A game's own rule hides and shows entities", "[net][replication]") {
  class OddOnes final : public InterestRule {
   public:
    bool is_relevant(const Viewer& /*viewer*/, const ReplicatedEntity& entity) const override {
      return wire_id(entity.id) % 2 == 1;
    }
  };
  const OddOnes rule;
  ReplicationServerOptions options;
  options.interest.rule = &rule;
  ReplicationStage stage(5, options);
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 1; id <= 4; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{1},
                                  .relevance = id < 3 ? Relevance::always : Relevance::custom});
    }
  });
  stage.run(30);
  CHECK(ids_of(client) == std::vector{NetworkId{1}, NetworkId{3}});
}

TEST_CASE("Far entities are updated less often", "[net][replication]") {
  ReplicationServerOptions options;
  options.classes = {{.radius = 100, .near_distance = 20, .far_ticks = 30}};
  ReplicationStage stage(6, options);
  ReplicationStage::Client& client = stage.join();
  stage.server.set_view_position(client.id, {});
  stage.step([&] {
    stage.spawn(NetworkId{1}, {.type = SchemaType{1}, .position = {.x = 5}});
    stage.spawn(NetworkId{2}, {.type = SchemaType{1}, .position = {.x = 80}});
  });
  stage.run(60);
  std::map<NetworkId, int> updates;
  std::map<NetworkId, std::vector<std::int64_t>> before;
  for (int i = 0; i < 600; ++i) {
    stage.step([&] {
      stage.stir(NetworkId{1});
      stage.stir(NetworkId{2});
    });
    for (const auto& [id, entity] : client.world.entities) {
      if (entity.values != before[id]) ++updates[id];
      before[id] = entity.values;
    }
  }
  CHECK(updates[NetworkId{1}] > 150);
  CHECK(updates[NetworkId{2}] < 50);
  CHECK(updates[NetworkId{2}] > 15);
}

}  // namespace muster
