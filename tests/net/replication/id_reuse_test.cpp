// Ids that are reused, and ids that are used once.
#include <array>
#include <set>

#include <catch2/catch.hpp>

#include "net/replication/interest.h"
#include "net/snapshot/snapshot_coder.h"
#include "net/snapshot/snapshot_head.h"
#include "tests/support/replication_stage.h"

namespace muster {
namespace {

constexpr std::uint32_t kReused = 30;  ///< The ids from here on are reused during an outage.

/// A client whose link is down for some ticks, while entities are removed and added.
struct Outage {
  explicit Outage(SnapshotCoder coder) : stage(5, {.snapshot_ticks = 1, .coder = coder}) {
    client = &stage.join({.latency = std::chrono::milliseconds(20)});
    stage.step([&] {
      for (std::uint32_t id = 1; id <= 40; ++id) spawn(id);
    });
    stage.run(60);
    spawned_before = client->world.spawned;
    despawned_before = client->world.despawned;
  }

  void spawn(std::uint32_t id) {
    stage.spawn(NetworkId{id}, {.type = SchemaType{static_cast<std::uint16_t>(id % 2)},
                                .relevance = Relevance::always});
  }
  void run(int ticks, int respawns) {
    set_down(true);
    for (int tick = 0, done = 0; tick < ticks; ++tick) {
      stage.step([&] {
        for (; done < respawns * (tick + 1) / ticks; ++done) {
          for (std::uint32_t id = kReused; id <= 40; ++id) {
            stage.despawn(NetworkId{id});
            spawn(id);
          }
        }
        for (std::uint32_t id = 1; id < kReused; ++id) stage.stir(NetworkId{id});
      });
    }
    set_down(false);
    stage.run(200);
  }
  void set_down(bool is_down) {
    client->pair->network.link(client->pair->there_link).is_down = is_down;
  }

  ReplicationStage stage;
  ReplicationStage::Client* client = nullptr;
  std::uint64_t spawned_before = 0;
  std::uint64_t despawned_before = 0;
};

}  // namespace

TEST_CASE("An entity that reuses an id is a new entity for a client, after any number of reuses",
          "[net][replication]") {
  const auto coder = GENERATE(SnapshotCoder::range, SnapshotCoder::raw);
  // Numbers around the limits of one byte and two bytes.
  const int respawns = GENERATE(1, 255, 256, 257, 512, 10'000, 65'536);
  const int ticks = GENERATE(1, 150);
  CAPTURE(coder, respawns, ticks);
  Outage outage(coder);
  outage.run(ticks, respawns);
  CHECK(outage.stage.difference(*outage.client) == "");
  CHECK(outage.client->world.despawned - outage.despawned_before == 41 - kReused);
  CHECK(outage.client->world.spawned - outage.spawned_before == 41 - kReused);
  CHECK(outage.client->replication->counters().divergences == 0);
}

TEST_CASE("A world that never reuses ids keeps its memory bounded", "[net][replication]") {
  const ReplicationSchema schema = replication_samples_schema();
  const TypeViews views(schema);
  ReplicatedWorld world(schema, views);
  const std::vector<UpdateClass> classes(1);
  InterestGrid grid({}, classes);
  const std::vector<std::int64_t> values(schema.value_count(SchemaType{1}));
  constexpr std::uint32_t kAlive = 200;
  std::size_t bytes = 0;
  for (std::uint32_t id = 1; id < 400'000; ++id) {
    if (id % 10 == 1) world.begin(Tick(1 + id / 10));
    world.spawn(NetworkId{id},
                {.type = SchemaType{1}, .position = {.x = static_cast<float>(id % 500)}}, values);
    if (id > kAlive) world.despawn(NetworkId{id - kAlive});
    if (id % 10 == 0) grid.update(world);
    if (id == 40'000) bytes = world.memory_bytes() + grid.memory_bytes();
  }
  CHECK(world.memory_bytes() + grid.memory_bytes() < bytes + 200'000);
}

TEST_CASE("Two entities of one id never have the same generation, even if most ids are forgotten",
          "[net][replication]") {
  const ReplicationSchema schema = replication_samples_schema();
  const TypeViews views(schema);
  ReplicatedWorld world(schema, views);
  const std::vector<std::int64_t> values(schema.value_count(SchemaType{1}));
  world.begin(Tick(1));
  Random random(3);
  std::map<NetworkId, std::uint32_t> highest;
  for (int i = 0; i < 100'000; ++i) {
    const NetworkId id{static_cast<std::uint32_t>(random.below(20) == 0 ? random.below(10)
                                                                        : random.below(30'000))};
    world.spawn(id, {.type = SchemaType{1}}, values);
    const std::uint32_t generation = world.find(id)->generation;
    const auto [before, is_first] = highest.try_emplace(id, generation);
    REQUIRE((is_first || generation > before->second));
    before->second = generation;
    world.despawn(id);
  }
}

TEST_CASE("A generation has one encoding with as few bytes as possible", "[net][snapshot]") {
  const SnapshotModel model =
      untrained_model({{.name = "thing", .lanes = {{.name = "lane", .maximum = 7}}}});
  const SnapshotOptions options{.coder = SnapshotCoder::raw};
  std::array<std::byte, 64> memory{};
  const auto bits_of = [&](std::uint32_t generation, std::uint32_t before) {
    PlainWriter writer(model, options, memory, memory.size());
    EntityKind kind{.type = CodecType{0}, .generation = generation};
    REQUIRE(code_kind(writer, kind, 1, before));
    const std::span<const std::byte> bytes = writer.finish();
    PlainReader reader(model, options, bytes);
    EntityKind read{};
    REQUIRE(code_kind(reader, read, 1, before));
    REQUIRE(reader.is_finished());
    CHECK(read.generation == generation);
    return bytes.size();
  };
  CHECK(bits_of(0, 0) == 1);
  CHECK(bits_of(70'000, 70'000) == 1);
  CHECK(bits_of(0, 1) == 2);
  CHECK(bits_of(255, 0) == 2);
  CHECK(bits_of(256, 0) == 3);
  CHECK(bits_of(65'536, 0) == 4);
  CHECK(bits_of(0xFFFF'FFFF, 0) == 5);
  // The bits, lowest first: one bit that is 1 if the generation differs, two bits for the length,
  // and then the number with its highest bit first.
  const auto is_read = [&](std::vector<std::uint8_t> bytes, std::uint32_t before) {
    PlainReader reader(model, options, std::as_bytes(std::span(bytes)));
    EntityKind kind{};
    return code_kind(reader, kind, 1, before);
  };
  CHECK(is_read({0b0000'0001, 0b0000'0100}, 0));  // The number 1 in one byte.
  // The generation is equal to the previous generation.
  CHECK_FALSE(is_read({0b0000'0001, 0b0000'0100}, 1));
  CHECK_FALSE(is_read({0b0000'0101, 0b0000'0000, 0b100}, 0));  // The number 1 in two bytes.
}

TEST_CASE("A client that requests a snapshot every ten seconds sees every change",
          "[net][replication]") {
  ReplicationStage stage(3, {.snapshot_ticks = 1});
  ReplicationStage::Client& client = stage.join({}, {}, {}, {.wish = {.snapshot_ticks = 600}});
  stage.step([&] {
    for (std::uint32_t id = 1; id <= 3; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{1}, .relevance = Relevance::always});
    }
  });
  for (int i = 0; i < 2'000 && client.world.entities.empty(); ++i) stage.step();
  REQUIRE(stage.difference(client).empty());
  const std::uint32_t shown = client.world.entities.at(NetworkId{1}).tick.value();
  // The second change reuses the row that the first change freed.
  const std::uint32_t first = GENERATE(1U, 50U);
  while (stage.tick < shown + 1'260) {
    stage.step([&] {
      const std::uint32_t tick = stage.tick - shown;
      if (tick == first + 5 || tick == first + 5 + kPastTicksMax + 1) stage.stir(NetworkId{1});
    });
  }
  CAPTURE(first);
  CHECK(stage.difference(client).empty());
}

}  // namespace muster
