// Entities that are too large for a datagram.
#include <algorithm>

#include <catch2/catch.hpp>

#include "net/replication/recording.h"
#include "tests/support/giants_schema.h"
#include "tests/support/net_bytes.h"
#include "tests/support/replication_stage.h"
#include "tests/support/surprised_model.h"

namespace muster {
namespace {

/// A game with the received values, except one value of entity 7.
class FollowingGame final : public EntityValues {
 public:
  explicit FollowingGame(const ReplicationStage::Client& client) : client_(client) {}
  EntityFound values(NetworkId id, std::span<std::int64_t> values,
                     SchemaComponent& /*lacking*/) const override {
    const auto found = client_.world.entities.find(id);
    if (found == client_.world.entities.end()) return EntityFound::missing;
    std::ranges::copy(found->second.values, values.begin());
    if (id == NetworkId{7} && wrong) values[*wrong] ^= 1;
    return EntityFound::here;
  }
  std::optional<std::size_t> wrong;

 private:
  const ReplicationStage::Client& client_;
};

}  // namespace

TEST_CASE("A large type is split into slices that contain each of its lanes once, in order",
          "[net][replication]") {
  const ReplicationSchema schema = samples::giants_schema();
  const TypeViews views(schema);
  CHECK(views.slice_count(views.codec_type(SchemaType{0}, SeenBy::others)) == 1);
  CHECK(views.slice_count(views.codec_type(SchemaType{1}, SeenBy::others)) == 4);
  CHECK(views.slice_count(views.codec_type(SchemaType{1}, SeenBy::owner)) == 6);
  const TypeViews uncut(schema, kNoSlices);
  CHECK(uncut.slice_ids() == 1);
  CHECK(uncut.id_end() == NetworkId{0xFFFF'FFFF});
  for (std::uint16_t type = 0; type < schema.types.size(); ++type) {
    for (const SeenBy seen_by : {SeenBy::others, SeenBy::owner}) {
      const CodecType first = views.codec_type(SchemaType{type}, seen_by);
      const std::vector<LaneSchema>& all =
          uncut.schemas()[codec_index(uncut.codec_type(SchemaType{type}, seen_by))].lanes;
      CHECK(views.lane_count(first) == all.size());
      std::vector<LaneSchema> lanes;
      for (std::uint32_t slice = 0; slice < views.slice_count(first); ++slice) {
        const CodecType slice_type = TypeViews::slice_type(first, SliceIndex{slice});
        const TypeView& view = views.view(slice_type);
        CHECK(view.first_lane == lanes.size());
        CHECK(view.slice == SliceIndex{slice});
        // A rotation and the halves of a number stay together.
        const std::vector<LaneSchema>& own = views.schemas()[codec_index(slice_type)].lanes;
        const LaneSchema& begin = own.front();
        CHECK(begin.kind != LaneKind::rotation);
        CHECK(view.parts.front().half != TypeView::Part::Half::low);
        lanes.insert(lanes.end(), own.begin(), own.end());
      }
      CHECK(lanes == all);
    }
  }
  CHECK(views.schemas()[codec_index(views.codec_type(SchemaType{1}, SeenBy::owner)) + 2].name ==
        "77/owner/2");
  // The last slice of the last entity must not have the id `kEveryId`.
  const NetworkId last_id{wire_id(views.id_end()) - 1};
  const SliceId last = views.slice_id(last_id, SliceIndex{views.slice_ids() - 1});
  CHECK(last < kEveryId);
  CHECK(views.entity_of(last) == last_id);
}

TEST_CASE("A model trained on whole types is used for their slices", "[net][replication]") {
  const ReplicationSchema schema = samples::giants_schema();
  SnapshotModel trained = untrained_model(TypeViews(schema, kNoSlices).schemas());
  for (TypeModel& type : trained.types) {
    for (std::size_t i = 0; i < type.lanes.size(); ++i) {
      type.lanes[i].initial_value = type.schema.lanes[i].maximum == 0xFFFF'FFFF
                                        ? static_cast<LaneValue>(1'000 + i)
                                        : type.lanes[i].initial_value;
    }
  }
  const TypeViews views(schema);
  const SnapshotModel model = views.model(trained);
  const CodecType first = views.codec_type(SchemaType{1}, SeenBy::others);
  for (std::uint32_t slice = 0; slice < views.slice_count(first); ++slice) {
    const CodecType type = TypeViews::slice_type(first, SliceIndex{slice});
    const TypeView& view = views.view(type);
    for (std::size_t lane = 0; lane < view.parts.size(); ++lane) {
      CHECK(model.types[codec_index(type)].lanes[lane].initial_value ==
            1'000 + view.first_lane + lane);
    }
  }
}

TEST_CASE("An entity larger than a datagram arrives with all possible values",
          "[net][replication][sys-31]") {
  const SnapshotCoder coder =
      GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman, SnapshotCoder::raw,
               SnapshotCoder::reference);
  const double loss = GENERATE(0.0, 0.3);
  CAPTURE(static_cast<int>(coder), loss);
  ReplicationStage stage(11, {.coder = coder}, samples::giants_schema());
  const LinkOptions link{.latency = std::chrono::milliseconds(30), .loss = loss};
  ReplicationStage::Client& owner = stage.join(link, link, {.player = PlayerId{3}});
  ReplicationStage::Client& other = stage.join(link, link, {.player = PlayerId{4}});
  stage.step([&] {
    for (std::uint32_t id = 0; id < 20; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
    for (std::uint32_t id = 100; id < 103; ++id) {
      stage.spawn(NetworkId{id},
                  {.type = SchemaType{1}, .owner = PlayerId{3}, .relevance = Relevance::always});
      stage.spawn(NetworkId{id + 10}, {.type = SchemaType{2}, .relevance = Relevance::always});
    }
  });
  const auto settle = [&] {
    stage.run(900);
    CHECK(stage.difference(owner, PlayerId{3}).empty());
    CHECK(stage.difference(other, PlayerId{4}).empty());
  };
  settle();
  CHECK(owner.replication->is_complete());
  for (int i = 0; i < 40; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < 20; ++id) stage.stir(NetworkId{id});
      for (std::uint32_t id = 100; id < 103; ++id)
        stage.stir(NetworkId{id + (i % 2 == 0 ? 0 : 10)});
    });
  }
  settle();
  // When the owner changes, the old owner receives the same entity in the view of other clients.
  const std::uint64_t spawned = owner.world.spawned + other.world.spawned;
  const std::uint64_t despawned = owner.world.despawned + other.world.despawned;
  stage.step([&] { stage.server.world().set_owner(NetworkId{101}, PlayerId{4}); });
  settle();
  CHECK(owner.world.spawned + other.world.spawned == spawned);
  CHECK(owner.world.despawned + other.world.despawned == despawned);
  // A new entity with the same id has another type and no slices.
  stage.step([&] {
    stage.despawn(NetworkId{100});
    stage.despawn(NetworkId{112});
  });
  stage.step([&] { stage.spawn(NetworkId{100}, {.relevance = Relevance::always}); });
  settle();
  stage.step([&] { stage.despawn(NetworkId{100}); });
  stage.step([&] {
    stage.spawn(NetworkId{100}, {.type = SchemaType{2}, .relevance = Relevance::always});
  });
  settle();
  for (const ReplicationStage::Client* client : {&owner, &other}) {
    CHECK(stage.server.view(client->id)->counters().unfit == 0);
    CHECK(client->replication->counters().resyncs == 0);
    CHECK(client->replication->counters().malformed == 0);
    CHECK(client->replication->has(NetworkId{100}));
    CHECK(client->replication->holds(NetworkId{100}));
    CHECK_FALSE(client->replication->has(NetworkId{112}));
  }
}

TEST_CASE("An event about an entity in slices is not reported before the whole entity",
          "[net][replication]") {
  const bool changes_hands = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(changes_hands, seed);
    ReplicationStage stage(seed, {}, samples::giants_schema());
    const LinkOptions link{.latency = std::chrono::milliseconds(40), .loss = 0.3};
    ReplicationStage::Client& client = stage.join(link, link, {.player = PlayerId{3}});
    while (!client.replication->is_complete()) stage.step();
    stage.step([&] {
      stage.spawn(NetworkId{7},
                  {.type = SchemaType{1}, .owner = PlayerId{3}, .relevance = Relevance::always});
      stage.server.send_event_about(NetworkId{7}, Tick(stage.tick), NetBytes(2));
    });
    for (int i = 0; i < 300 && client.world.events.empty(); ++i) {
      stage.step([&] {
        if (changes_hands && i == 6) stage.server.world().set_owner(NetworkId{7}, PlayerId{4});
      });
    }
    CHECK(client.world.events.size() == 1);
    CHECK(client.world.entities.contains(NetworkId{7}));
  }
}

TEST_CASE("A divergence of a large entity names its id and field", "[net][replication][sys-48]") {
  ReplicationServerOptions options;
  options.checksum_interval = 1;
  ReplicationStage stage(3, options, samples::giants_schema());
  ReplicationStage::Client& client = stage.join();
  constexpr std::size_t kWrong = 350;  // The index of a value in the last slice.
  FollowingGame game(client);
  stage.game = &game;
  stage.step(
      [&] { stage.spawn(NetworkId{7}, {.type = SchemaType{1}, .relevance = Relevance::always}); });
  stage.run(200);
  CHECK(client.replication->counters().checksums > 20);
  CHECK(client.replication->counters().divergences == 0);
  game.wrong = kWrong;
  stage.run(200);
  REQUIRE_FALSE(client.log.all.empty());
  REQUIRE_FALSE(stage.server_log.all.empty());
  for (const DivergenceList* log : {&client.log, &stage.server_log}) {
    CHECK(log->all[0].id == NetworkId{7});
    CHECK(log->all[0].type == TypeId(77));
    CHECK(log->all[0].field == "Bag.items[350]");
  }
  CHECK(stage.server.view(client.id)->counters().malformed == 0);
}

namespace {

/// A thousand values of one lane that are hard to predict. `which` selects the kind of sequence.
std::vector<LaneValue> pattern(int which, const LaneSchema& lane, std::size_t count,
                               Random& random) {
  std::vector<LaneValue> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    switch (which % 4) {
      case 0:
        values[i] = static_cast<LaneValue>(random.below(std::uint64_t{lane.maximum} + 1));
        break;
      case 1:
        values[i] = lane.maximum;
        break;
      case 2:
        values[i] = 0;
        break;
      default:
        values[i] = i % 2 == 0 ? lane.maximum : 0;
    }
  }
  return values;
}

/// The maximum bytes of a slice of such lanes. The slice is new, or it changes after one of three
/// histories: no change, motion, or random values.
std::size_t bytes_max(LaneKind kind, unsigned bits, bool is_initial, SnapshotCoder coder) {
  const std::int64_t high = (std::int64_t{1} << bits) - 1;
  ReplicationSchema schema;
  schema.components.push_back(
      {.name = "Many",
       .fields = {{.name = "values",
                   .value_count = 1'000,
                   .low = 0,
                   .high = high,
                   .kind = kind,
                   .period = kind == LaneKind::angle ? static_cast<std::uint64_t>(high) : 0}}});
  schema.types.push_back({.id = TypeId(1), .components = {SchemaComponent{0}}});
  if (is_initial) schema.types[0].initial_values.assign(1'000, high / 3);
  const TypeViews views(schema);
  const SnapshotModel model = views.model(SnapshotModel{});
  const std::vector<LaneSchema>& lanes = views.schemas()[0].lanes;
  SnapshotWriter writer(model, {.coder = coder});
  Random random(bits);
  std::vector<std::byte> memory(100'000);
  std::size_t written_max = 0;
  std::uint32_t tick = 0;
  std::vector<std::vector<LaneValue>> rows;
  for (int which = 0; which < 24; ++which) {
    rows.push_back(pattern(which < 12 ? which : static_cast<int>(random.below(4)), lanes[0],
                           lanes.size(), random));
    // After every third change the values stay unchanged for a while.
    for (int repeats = which % 3 == 0 ? 12 : 1; repeats > 0; --repeats) {
      const EntityState state{.id = SliceId{1}, .kind = {}, .values = rows.back().data()};
      writer.begin(Tick(++tick), {&state, 1});
      written_max = std::max(written_max, writer.write(memory).size());
      writer.acknowledge(writer.last_number());
    }
  }
  return written_max;
}

}  // namespace

TEST_CASE("A slice with any values fits into the smallest datagram", "[net][replication]") {
  // The room for a payload in a sealed packet of 1,200 bytes, without the payload's first byte.
  constexpr std::size_t kRoom = 1'200 - 23 - 1;
  const LaneKind kind = GENERATE(LaneKind::number, LaneKind::angle, LaneKind::symbol,
                                 LaneKind::tick, LaneKind::opaque);
  const bool is_initial = GENERATE(false, true);
  for (unsigned bits = 1; bits <= 32; ++bits) {
    for (const SnapshotCoder coder :
         {SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman, SnapshotCoder::raw,
          SnapshotCoder::reference}) {
      CAPTURE(static_cast<int>(kind), bits, is_initial, static_cast<int>(coder));
      CHECK(bytes_max(kind, bits, is_initial, coder) <= kRoom);
    }
  }
}

TEST_CASE("A slice that does not fit does not block other data forever", "[net][replication]") {
  const std::uint32_t count = GENERATE(150U, 300U);
  CAPTURE(count);
  const std::vector<std::byte> model = samples::surprised_model(count);
  ReplicationStage stage(1, {.model_file = model}, samples::surprise_schema(count));
  ReplicationStage::Client& client = stage.join();
  stage.run(30);
  const std::vector<std::int64_t> nothing(count);
  std::vector<std::int64_t> dear = nothing;
  std::fill(dear.end() - 90, dear.end(), 0xFF);  // These values are in the last slice.
  const auto put = [&](const std::vector<std::int64_t>& values) {
    stage.step([&] {
      stage.values[NetworkId{5}] = values;
      if (stage.server.world().find(NetworkId{5}) == nullptr) {
        stage.server.world().spawn(NetworkId{5},
                                   {.type = SchemaType{1}, .relevance = Relevance::always}, values);
      } else {
        stage.server.world().set(NetworkId{5}, values);
      }
    });
    stage.run(60);
  };
  put(dear);
  CHECK(stage.server.view(client.id)->counters().unfit > 0);
  // Events about the entity are dropped, and no other events wait for them.
  for (int i = 0; i < 300; ++i) {
    stage.step([&] { stage.server.send_event_about(NetworkId{5}, Tick(stage.tick), NetBytes(2)); });
  }
  stage.run(10);
  CHECK(stage.server.view(client.id)->counters().events_not_meant == 300);
  REQUIRE(stage.server.send_event(client.id, Tick(stage.tick), NetBytes(2)));
  put(nothing);
  CHECK(client.world.events.size() == 1);
  CHECK(stage.difference(client).empty());
}

TEST_CASE("An event about an entity without slices is not delayed by entities with slices",
          "[net][replication]") {
  ReplicationStage stage(6, {}, samples::giants_schema());
  const LinkOptions link{.latency = std::chrono::milliseconds(40)};
  ReplicationStage::Client& client = stage.join(link, link);
  stage.run(60);
  for (std::uint32_t i = 0; i < 20; ++i) {
    stage.step([&] {
      stage.spawn(NetworkId{i}, {.relevance = Relevance::always});
      stage.server.send_event_about(NetworkId{i}, Tick(stage.tick), NetBytes(2));
    });
    stage.run(3);  // The entity is sent, but not confirmed yet.
    stage.step([&] { stage.despawn(NetworkId{i}); });
    stage.run(20);
  }
  CHECK(client.world.events.size() == 20);
  CHECK(stage.server.view(client.id)->counters().events_not_meant == 0);
}

TEST_CASE("An entity in slices that changes owner is never reported as diverged",
          "[net][replication][sys-48]") {
  const double loss = GENERATE(0.0, 0.3);
  ReplicationServerOptions options;
  options.checksum_interval = 1;
  ReplicationStage stage(5, options, samples::giants_schema());
  const LinkOptions link{.latency = std::chrono::milliseconds(40), .loss = loss};
  ReplicationStage::Client& client = stage.join(link, link, {.player = PlayerId{3}});
  const FollowingGame game(client);
  stage.game = &game;
  stage.step(
      [&] { stage.spawn(NetworkId{7}, {.type = SchemaType{1}, .relevance = Relevance::always}); });
  stage.run(200);
  for (int i = 0; i < 10; ++i) {
    stage.step([&] { stage.server.world().set_owner(NetworkId{7}, PlayerId{i % 2 == 0 ? 3 : 4}); });
    stage.run(60);
  }
  CHECK(client.replication->counters().checksums > 50);
  CHECK(client.replication->counters().divergences == 0);
  CHECK(client.replication->counters().resyncs == 0);
}

TEST_CASE("An entity in slices that changes owner never shows an earlier state",
          "[net][replication]") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    ReplicationStage stage(seed, {.snapshot_ticks = 1}, samples::giants_schema());
    const LinkOptions link{.latency = std::chrono::milliseconds(40), .loss = 0.4};
    // The link is so slow that some changes always wait for room.
    ReplicationStage::Client& client =
        stage.join(link, link, {.player = PlayerId{3}}, {.wish = {.bytes_per_second = 100'000}});
    stage.step([&] {
      for (std::uint32_t id = 7; id < 10; ++id) {
        stage.spawn(NetworkId{id}, {.type = SchemaType{1}, .relevance = Relevance::always});
      }
    });
    stage.run(100);
    for (int i = 0; i < 150; ++i) {
      stage.step([&] {
        for (std::uint32_t id = 7; id < 10; ++id) {
          if (i % 2 == 0) stage.stir(NetworkId{id});
          const PlayerId owner{stage.random.below(2) == 0 ? 3 : 4};
          if (stage.random.below(4) == 0) stage.server.world().set_owner(NetworkId{id}, owner);
        }
      });
    }
    CHECK(client.world.fault.empty());
    stage.run(200);
    CHECK(stage.difference(client, PlayerId{3}).empty());
  }
}

TEST_CASE("When an entity without slices reuses an id, the new entity is shown before its events",
          "[net][replication]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    ReplicationStage stage(seed, {}, samples::giants_schema());
    const LinkOptions link{.latency = std::chrono::milliseconds(20), .loss = 0.4};
    ReplicationStage::Client& client = stage.join(link, {});
    constexpr std::uint32_t kCount = 12;
    const auto each = [](const auto& change) {
      for (std::uint32_t id = 0; id < kCount; ++id) change(id);
    };
    stage.step([&] {
      each([&](std::uint32_t id) {
        stage.spawn(NetworkId{id}, {.type = SchemaType{1}, .relevance = Relevance::always});
      });
    });
    stage.run(900);
    REQUIRE(stage.difference(client).empty());
    stage.step([&] { each([&](std::uint32_t id) { stage.despawn(NetworkId{id}); }); });
    stage.step([&] {
      each([&](std::uint32_t id) {
        stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
        NetBytes event(2);
        event[0] = static_cast<std::byte>(id);
        stage.server.send_event_about(NetworkId{id}, Tick(stage.tick), event);
      });
    });
    // When an event arrives, the shown entity must be the entity of the event.
    std::size_t came = 0;
    for (int i = 0; i < 400; ++i) {
      stage.step();
      for (; came < client.world.events.size(); ++came) {
        const auto shown = client.world.entities.find(NetworkId{client.world.events[came]});
        CHECK((shown == client.world.entities.end() || shown->second.type == SchemaType{0}));
      }
    }
    CHECK(came == kCount);
    CHECK(stage.difference(client).empty());
  }
}

TEST_CASE("A recording contains large entities without slices", "[net][replication]") {
  ReplicationStage stage(4, {}, samples::giants_schema());
  RecordingWriter writer({}, stage.server.world().schema());
  stage.step([&] {
    stage.spawn(NetworkId{7},
                {.type = SchemaType{1}, .owner = PlayerId{3}, .relevance = Relevance::always});
    stage.spawn(NetworkId{9}, {.type = SchemaType{2}, .relevance = Relevance::always});
  });
  for (int i = 0; i < 20; ++i) {
    writer.add(stage.server.world());
    stage.step([&] {
      stage.stir(NetworkId{7});
      stage.stir(NetworkId{9});
    });
  }
  writer.add(stage.server.world());
  writer.finish();
  const std::vector<std::byte> file(writer.pending().begin(), writer.pending().end());
  std::string error;
  const auto reader = RecordingReader::open(file, error);
  REQUIRE(reader != nullptr);
  REQUIRE(reader->seek(Tick(stage.tick)) == RecordingStatus::tick);
  for (const auto& [id, values] : stage.values) {
    std::vector<std::int64_t> got(values.size());
    REQUIRE(reader->mirror().values(id, got));
    CHECK(got == values);
  }
}

}  // namespace muster
