// A client whose game does nothing for seconds, because its window is dragged or a level loads.
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

constexpr PlayerId kPlayer{4};
constexpr std::uint32_t kLeaving = 1;     ///< The first id of the entities that leave and return.
constexpr std::uint32_t kRespawned = 11;  ///< The first id of the entities that are respawned.
constexpr std::uint32_t kStirred = 21;    ///< The first id of the entities that only change.
constexpr std::uint32_t kEnd = 31;

/// A client with a player, and entities near its view position.
struct Pause {
  Pause() : stage(6, {.snapshot_ticks = 1, .classes = {{.radius = 100}}}) {
    const LinkOptions back{.latency = std::chrono::milliseconds(20)};
    LinkOptions there = back;
    there.loss = 0.02;
    client = &stage.join(there, back, {.player = kPlayer});
    stage.server.set_view_position(client->id, {});
    stage.step([&] {
      for (std::uint32_t id = kLeaving; id < kEnd; ++id) spawn(id, id);
    });
    stage.run(90);
  }

  static PlayerId owner_of(std::uint32_t number) {
    return PlayerId{static_cast<std::int32_t>(number % 5)};
  }
  void spawn(std::uint32_t id, std::uint32_t owner) {
    stage.spawn(NetworkId{id}, {.type = SchemaType{static_cast<std::uint16_t>(id % 2)},
                                .owner = owner_of(owner),
                                .relevance = Relevance::near,
                                .position = {.x = static_cast<float>(id)}});
  }
  void move_leaving(float x) {
    for (std::uint32_t id = kLeaving; id < kRespawned; ++id) {
      stage.server.world().set_position(NetworkId{id}, {.x = x + static_cast<float>(id)});
    }
  }
  /// Changes the owner of each entity, and then respawns it `count` times, each time with another
  /// owner.
  void respawn(std::uint32_t tick, std::uint32_t count) {
    for (std::uint32_t id = kRespawned; id < kStirred; ++id) {
      if (count > 0) stage.server.world().set_owner(NetworkId{id}, owner_of(tick));
      for (std::uint32_t i = 0; i < count; ++i) {
        stage.despawn(NetworkId{id});
        spawn(id, tick + i + 1);
      }
    }
  }
  void run(std::uint32_t ticks, std::uint32_t respawns) {
    std::uint32_t done = 0;
    for (std::uint32_t tick = 0; tick < ticks; ++tick) {
      stage.step([&] {
        if (tick == ticks / 4) move_leaving(900);
        if (tick == ticks / 2) move_leaving(0);
        const std::uint32_t due = (respawns * (tick + 1) + ticks - 1) / ticks;
        respawn(tick, due - done);
        done = due;
        for (std::uint32_t id = kStirred; id < kEnd; ++id) stage.stir(NetworkId{id});
      });
    }
  }
  void set_down(bool is_down) {
    client->pair->network.link(client->pair->there_link).is_down = is_down;
    client->pair->network.link(client->pair->back_link).is_down = is_down;
  }

  ReplicationStage stage;
  ReplicationStage::Client* client = nullptr;
};

}  // namespace

TEST_CASE("After a pause, a client has the server's world and replaced each respawned entity",
          "[net][replication]") {
  const bool is_down = GENERATE(false, true);
  const std::uint32_t respawns = GENERATE(1U, 30U, 256U, 512U);
  CAPTURE(is_down, respawns);
  Pause pause;
  const ClientWorld& world = pause.client->world;
  REQUIRE(world.despawned == 0);
  REQUIRE(world.spawned == kEnd - kLeaving);
  pause.set_down(is_down);
  pause.client->is_paused = true;
  pause.run(180, respawns);
  REQUIRE(world.despawned == 0);
  pause.set_down(false);
  pause.client->is_paused = false;
  pause.stage.run(120);
  CHECK(pause.stage.difference(*pause.client, kPlayer) == "");
  for (std::uint32_t id = kRespawned; id < kStirred; ++id) {
    CAPTURE(id);
    CHECK(world.despawns.contains(NetworkId{id}));
    CHECK(world.spawns.at(NetworkId{id}) >= 2);
  }
}

}  // namespace muster
