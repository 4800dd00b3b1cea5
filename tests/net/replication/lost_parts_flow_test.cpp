// Worlds of several datagrams, in which entities change owners, appear and disappear, while
// datagrams are lost or reordered. No existing entity may be removed, and no divergence may be
// reported.
#include <map>
#include <tuple>

#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

using std::chrono::milliseconds;

/// A world in which every entity changes with the same probability.
struct ChangingStage : ReplicationStage {
  ChangingStage(std::uint64_t seed, std::uint32_t entity_count, std::uint16_t type_count = 2,
                const ReplicationSchema& schema = replication_samples_schema())
      : ReplicationStage(seed, {.snapshot_ticks = 1, .checksum_interval = 1}, schema),
        count(entity_count),
        types(type_count) {
    step([&] {
      for (std::uint32_t id = 0; id < count; ++id) bear(NetworkId{id});
    });
  }

  NetworkId any() { return NetworkId{static_cast<std::uint32_t>(random.below(count))}; }
  PlayerId any_player() { return static_cast<PlayerId>(random.below(3)); }
  void bear(NetworkId id) {
    const SchemaType type{static_cast<std::uint16_t>(wire_id(id) % types)};
    spawn(id, {.type = type, .owner = any_player(), .relevance = Relevance::always});
    born[id] = tick;
  }
  void stir_some() {
    for (const auto& [id, value] : values) {
      if ((wire_id(id) + tick) % 4 == 0) stir(id);
    }
  }
  /// Removes an entity and reuses its id at once.
  void replace(NetworkId id) {
    if (values.contains(id)) despawn(id);
    bear(id);
  }
  void change_hands(NetworkId id) { server.world().set_owner(id, any_player()); }

  std::uint32_t count;
  std::uint16_t types;
  std::map<NetworkId, std::uint32_t> born;  ///< The tick of each entity's creation.
};

/// Counts removals of entities that existed at the tick of the removal and still exist. Requires:
/// the client's changes are unread. Clears them.
std::size_t count_wrong_despawns(const ChangingStage& stage, ReplicationStage::Client& client) {
  std::size_t wrong = 0;
  for (const ReplicatedChange& change : client.replication->changes()) {
    const auto born = stage.born.find(change.id);
    const bool is_end = change.kind == ReplicatedChange::Kind::despawned;
    if (is_end && born != stage.born.end() && born->second <= change.tick.value()) ++wrong;
  }
  client.world.apply(*client.replication);
  client.replication->clear();
  return wrong;
}

TEST_CASE("No living entity is removed when datagrams are lost or reordered",
          "[net][replication]") {
  double loss = 0;
  int jitter = 0;
  std::uint32_t count = 0;
  bool is_reused = false;
  std::tie(loss, jitter, count, is_reused) = GENERATE(table<double, int, std::uint32_t, bool>(
      {{0.05, 0, 200, false}, {0.0, 20, 200, false}, {0.05, 0, 100, true}, {0.1, 30, 100, true}}));
  CAPTURE(loss, jitter, count, is_reused);
  ChangingStage stage(1, count);
  const LinkOptions link{.latency = milliseconds(50), .jitter = milliseconds(jitter), .loss = loss};
  ReplicationStage::Client& client = stage.join(link, link, {.player = PlayerId{1}});
  client.is_loading = true;
  std::size_t wrong = 0;
  for (int i = 0; i < 250; ++i) {
    stage.step([&] {
      stage.stir_some();
      for (int k = 0; k < 2; ++k) {
        if (is_reused) stage.replace(stage.any());
        if (!is_reused) stage.change_hands(stage.any());
      }
    });
    wrong += count_wrong_despawns(stage, client);
  }
  CHECK(wrong == 0);
  CHECK(client.world.spawned >= count);
  CHECK(client.world.fault.empty());
  CHECK(client.replication->counters().divergences == 0);
}

TEST_CASE("An entity with a new owner is not removed in a world of several datagrams",
          "[net][replication]") {
  // The entities are so large that a few new entities fill a datagram.
  ReplicationSchema schema;
  schema.components.push_back(
      {.name = "Heavy",
       .fields = {
           {.name = "load", .value_count = 60, .high = 0xFFFF'FFFF, .kind = LaneKind::opaque},
           {.name = "ammo", .high = 9, .receivers = Receivers::owner}}});
  schema.types.push_back({.id = TypeId(1), .components = {SchemaComponent{0}}});
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    ChangingStage stage(seed, 20, 1, schema);
    const LinkOptions link{.latency = milliseconds(60), .jitter = milliseconds(15), .loss = 0.15};
    ReplicationStage::Client& client = stage.join(link, link, {.player = PlayerId{1}});
    for (int i = 0; i < 200; ++i) {
      stage.step([&] {
        for (int k = 0; k < 6; ++k) stage.change_hands(stage.any());
      });
    }
    CHECK(client.world.fault.empty());
    CHECK(client.world.despawned == 0);
    CHECK(client.replication->counters().checksums > 30);
    CHECK(client.replication->counters().divergences == 0);
    CHECK(client.replication->counters().resyncs == 0);
  }
}

}  // namespace
}  // namespace muster
