// Entities that are too large for a datagram.
#include <algorithm>

#include <catch2/catch.hpp>

#include "net/replication/recording.h"
#include "tests/support/giants_schema.h"
#include "tests/support/net_bytes.h"
#include "tests/support/replication_stage.h"

namespace muster {
TEST_CASE("A large type is cut into slices that hold all of its lanes once, in order",
          "[net][replication]") {
  const ReplicationSchema schema = samples::giants_schema();
  const TypeViews views(schema);
  CHECK(views.has_slices());
  CHECK(views.slice_count(views.codec_type(0, SeenBy::others)) == 1);
  CHECK(views.slice_count(views.codec_type(1, SeenBy::others)) == 3);
  CHECK(views.slice_count(views.codec_type(1, SeenBy::owner)) == 5);
  const TypeViews uncut(schema, kNoSlices);
  CHECK_FALSE(uncut.has_slices());
  CHECK(uncut.id_end() == 0xFFFF'FFFF);
  for (std::uint16_t type = 0; type < schema.types.size(); ++type) {
    for (const SeenBy seen_by : {SeenBy::others, SeenBy::owner}) {
      const std::uint16_t first = views.codec_type(type, seen_by);
      const std::vector<LaneSchema>& all = uncut.schemas()[uncut.codec_type(type, seen_by)].lanes;
      CHECK(views.lane_count(first) == all.size());
      std::vector<LaneSchema> lanes;
      for (std::size_t i = first; i < first + views.slice_count(first); ++i) {
        const TypeView& view = views.view(static_cast<std::uint16_t>(i));
        CHECK(view.first_lane == lanes.size());
        CHECK(view.slice == i - first);
        // A rotation and the halves of a number stay together.
        const LaneSchema& begin = views.schemas()[i].lanes.front();
        CHECK(begin.kind != LaneKind::rotation);
        CHECK(view.parts.front().half != TypeView::Part::Half::low);
        lanes.insert(lanes.end(), views.schemas()[i].lanes.begin(), views.schemas()[i].lanes.end());
      }
      CHECK(lanes == all);
    }
  }
  CHECK(views.schemas()[views.codec_type(1, SeenBy::owner) + 2U].name == "77/owner/2");
  // The last slice of the last entity is not what stands for every id.
  const std::uint32_t last = views.slice_id(views.id_end() - 1, views.slice_ids() - 1);
  CHECK(last < kEveryId);
  CHECK(views.entity_of(last) == views.id_end() - 1);
}

TEST_CASE("What was trained on whole types serves their slices", "[net][replication]") {
  const ReplicationSchema schema = samples::giants_schema();
  SnapshotModel trained = untrained_model(TypeViews(schema, kNoSlices).schemas());
  for (TypeModel& type : trained.types) {
    for (std::size_t i = 0; i < type.lanes.size(); ++i) {
      type.lanes[i].usual = type.schema.lanes[i].greatest == 0xFFFF'FFFF
                                ? static_cast<LaneValue>(1'000 + i)
                                : type.lanes[i].usual;
    }
  }
  const TypeViews views(schema);
  const SnapshotModel model = views.model(trained);
  const std::uint16_t first = views.codec_type(1, SeenBy::others);
  for (std::size_t i = first; i < first + views.slice_count(first); ++i) {
    const TypeView& view = views.view(static_cast<std::uint16_t>(i));
    for (std::size_t lane = 0; lane < view.parts.size(); ++lane) {
      CHECK(model.types[i].lanes[lane].usual == 1'000 + view.first_lane + lane);
    }
  }
}

TEST_CASE("An entity larger than a datagram arrives with every value that it can have",
          "[net][replication][sys-31]") {
  const SnapshotCoder coder =
      GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman, SnapshotCoder::raw,
               SnapshotCoder::reference);
  const double loss = GENERATE(0.0, 0.3);
  CAPTURE(static_cast<int>(coder), loss);
  ReplicationStage stage(11, {.coder = coder}, samples::giants_schema());
  const LinkOptions link{.latency = std::chrono::milliseconds(30), .loss = loss};
  ReplicationStage::Client& owner = stage.join(link, link, {.player = 3});
  ReplicationStage::Client& other = stage.join(link, link, {.player = 4});
  stage.step([&] {
    for (std::uint32_t id = 0; id < 20; ++id) stage.spawn(id, {.relevance = Relevance::always});
    for (std::uint32_t id = 100; id < 103; ++id) {
      stage.spawn(id, {.type = 1, .owner = 3, .relevance = Relevance::always});
      stage.spawn(id + 10, {.type = 2, .relevance = Relevance::always});
    }
  });
  const auto settle = [&] {
    stage.run(900);
    CHECK(stage.difference(owner, 3).empty());
    CHECK(stage.difference(other, 4).empty());
  };
  settle();
  CHECK(owner.replication->is_complete());
  for (int i = 0; i < 40; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < 20; ++id) stage.stir(id);
      for (std::uint32_t id = 100; id < 103; ++id) stage.stir(id + (i % 2 == 0 ? 0 : 10));
    });
  }
  settle();
  // Another owner: the same entity, seen by others as they are seen.
  const std::uint64_t spawned = owner.world.spawned + other.world.spawned;
  const std::uint64_t despawned = owner.world.despawned + other.world.despawned;
  stage.step([&] { stage.server.world().set_owner(101, 4); });
  settle();
  CHECK(owner.world.spawned + other.world.spawned == spawned);
  CHECK(owner.world.despawned + other.world.despawned == despawned);
  // The same id again, with another type and without slices.
  stage.step([&] {
    stage.despawn(100);
    stage.despawn(112);
  });
  stage.step([&] { stage.spawn(100, {.relevance = Relevance::always}); });
  settle();
  stage.step([&] { stage.despawn(100); });
  stage.step([&] { stage.spawn(100, {.type = 2, .relevance = Relevance::always}); });
  settle();
  for (const ReplicationStage::Client* client : {&owner, &other}) {
    CHECK(stage.server.view(client->id)->counters().unfit == 0);
    CHECK(client->replication->counters().resyncs == 0);
    CHECK(client->replication->counters().malformed == 0);
    CHECK(client->replication->has(100));
    CHECK(client->replication->holds(100));
    CHECK_FALSE(client->replication->has(112));
  }
}

TEST_CASE("An event about an entity in slices does not come before the whole entity",
          "[net][replication]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    ReplicationStage stage(seed, {}, samples::giants_schema());
    const LinkOptions link{.latency = std::chrono::milliseconds(20), .loss = 0.4};
    ReplicationStage::Client& client = stage.join(link, link);
    while (!client.replication->is_complete()) stage.step();
    std::size_t came = 0;
    const auto step = [&](const auto& change) {
      stage.step(change);
      if (client.world.events.size() == came) return;
      came = client.world.events.size();
      CHECK(client.world.entities.contains(7));
    };
    step([&] {
      stage.spawn(7, {.type = 1, .relevance = Relevance::always});
      stage.server.send_event_about(7, stage.tick, NetBytes(2));
    });
    for (int i = 0; i < 300; ++i) step([] {});
    CHECK(came == 1);
  }
}

TEST_CASE("A large entity that a client has otherwise is named by its own id and field",
          "[net][replication][sys-48]") {
  ReplicationServerOptions options;
  options.checksum_interval = 1;
  ReplicationStage stage(3, options, samples::giants_schema());
  ReplicationStage::Client& client = stage.join();
  constexpr std::size_t kWrong = 350;  // In the last slice.
  class Game final : public EntityValues {
   public:
    explicit Game(const ReplicationStage::Client& client) : client_(client) {}
    EntityFound values(std::uint32_t id, std::span<std::int64_t> values,
                       std::uint16_t& /*lacking*/) const override {
      const auto found = client_.world.entities.find(id);
      if (found == client_.world.entities.end()) return EntityFound::missing;
      std::ranges::copy(found->second.values, values.begin());
      if (id == 7) values[kWrong] ^= is_wrong ? 1 : 0;
      return EntityFound::here;
    }
    bool is_wrong = false;

   private:
    const ReplicationStage::Client& client_;
  } game(client);
  stage.game = &game;
  stage.step([&] { stage.spawn(7, {.type = 1, .relevance = Relevance::always}); });
  stage.run(200);
  CHECK(client.replication->counters().checksums > 20);
  CHECK(client.replication->counters().divergences == 0);
  game.is_wrong = true;
  stage.run(200);
  REQUIRE_FALSE(client.log.all.empty());
  REQUIRE_FALSE(stage.server_log.all.empty());
  for (const DivergenceList* log : {&client.log, &stage.server_log}) {
    CHECK(log->all[0].id == 7);
    CHECK(log->all[0].type == 77);
    CHECK(log->all[0].field == "Bag.items[350]");
  }
  CHECK(stage.server.view(client.id)->counters().malformed == 0);
}

TEST_CASE("A recording keeps large entities whole", "[net][replication]") {
  ReplicationStage stage(4, {}, samples::giants_schema());
  RecordingWriter writer({}, stage.server.world().schema());
  stage.step([&] {
    stage.spawn(7, {.type = 1, .owner = 3, .relevance = Relevance::always});
    stage.spawn(9, {.type = 2, .relevance = Relevance::always});
  });
  for (int i = 0; i < 20; ++i) {
    writer.add(stage.server.world());
    stage.step([&] {
      stage.stir(7);
      stage.stir(9);
    });
  }
  writer.add(stage.server.world());
  writer.finish();
  const std::vector<std::byte> file(writer.pending().begin(), writer.pending().end());
  std::string error;
  const auto reader = RecordingReader::open(file, error);
  REQUIRE(reader != nullptr);
  REQUIRE(reader->seek(stage.tick) == RecordingStatus::tick);
  for (const auto& [id, values] : stage.values) {
    std::vector<std::int64_t> got(values.size());
    REQUIRE(reader->mirror().values(id, got));
    CHECK(got == values);
  }
}

}  // namespace muster
