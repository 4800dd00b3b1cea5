// Bytes that no writer produces, for readers that already have a world.
#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "tests/net/snapshot/snapshot_stage.h"
#include "tests/support/damage.h"

namespace muster {
namespace {

struct Copied {
  SliceId id{};
  EntityKind kind;
  Tick tick;
  std::vector<LaneValue> values;
  friend bool operator==(const Copied&, const Copied&) = default;
};

std::vector<Copied> copied(const SnapshotReader& reader, const SnapshotModel& model) {
  std::vector<Copied> world;
  for (const SeenEntity& seen : reader.entities()) {
    const std::size_t lanes = model.types[codec_index(seen.kind.type)].lanes.size();
    world.push_back({.id = seen.id,
                     .kind = seen.kind,
                     .tick = seen.tick,
                     .values = {seen.values, seen.values + lanes}});
  }
  return world;
}

/// Passes bytes to a reader and checks the guarantees of the verdict.
void offer(SnapshotReader& reader, const SnapshotModel& model, std::span<const std::byte> bytes,
           std::size_t entity_max) {
  const std::vector<Copied> before = copied(reader, model);
  const SnapshotNumber number = reader.last_number();
  const Tick tick = reader.tick();
  if (reader.read(bytes) == SnapshotVerdict::applied) {
    REQUIRE(reader.entities().size() <= entity_max);
    for (const SeenEntity& seen : reader.entities()) {
      const EntitySchema& schema = model.types.at(codec_index(seen.kind.type)).schema;
      for (std::size_t i = 0; i < schema.lanes.size(); ++i) {
        REQUIRE(seen.values[i] <= schema.lanes[i].maximum);
      }
    }
    return;
  }
  REQUIRE(copied(reader, model) == before);
  REQUIRE(reader.last_number() == number);
  REQUIRE(reader.tick() == tick);
}

TEST_CASE("Damaged snapshots do not harm a reader", "[net][snapshot]") {
  const SnapshotCoder coder =
      GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman, SnapshotCoder::raw,
               SnapshotCoder::reference);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(coder, seed);
    SnapshotStage stage(seed, seed % 2 == 0, 3, coder);
    stage.settings = {.loss = 10, .spawns = 60, .despawns = 4, .deferrals = 10, .entity_max = 25};
    for (int i = 0; i < 25; ++i) stage.tick();
    const std::vector<NetBytes>& sent = stage.applied();
    std::optional<SnapshotReader> reader;
    const auto offer_bytes = [&](std::span<const std::byte> damaged) {
      if (!reader) {
        reader.emplace(stage.model(), ReaderLimits{}, SnapshotOptions{.coder = coder});
        for (std::size_t i = 0; i + 1 < sent.size(); ++i) {
          REQUIRE(reader->read(sent[i]) == SnapshotVerdict::applied);
        }
      }
      const SnapshotNumber number = reader->last_number();
      offer(*reader, stage.model(), damaged, 65'536);
      if (reader->last_number() != number) reader.reset();
    };
    damage::each_truncation(sent.back(), offer_bytes);
    damage::each_flip(sent.back(), [&](std::size_t, ByteVector& damaged) { offer_bytes(damaged); });
    offer_bytes(sent.back());
    CHECK_FALSE(reader.has_value());
  }
}

TEST_CASE("Random bytes do not harm a reader, and name no more entities than its limit",
          "[net][snapshot]") {
  const SnapshotCoder coder =
      GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman, SnapshotCoder::raw,
               SnapshotCoder::reference);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(coder, seed);
    Random random(seed);
    SnapshotModel model = untrained_model({random_schema(random, 3), random_schema(random, 3)});
    if (seed % 2 == 0) disturb(model, random);
    // With this high probability of another new entity, few bytes can name many entities.
    model.probabilities[slots::kAnotherNew] = 65'000;
    const std::size_t entity_max = random.below(60);
    SnapshotReader reader(model, {.entity_max = entity_max}, {.coder = coder});
    for (int i = 0; i < 1500; ++i) {
      NetBytes bytes(random.below(80));
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
      offer(reader, model, bytes, entity_max);
    }
  }
}

TEST_CASE("A reader accepts exactly as many entities as its limit", "[net][snapshot]") {
  const SnapshotModel model =
      untrained_model({{.name = "a", .lanes = {{.name = "x", .maximum = 100}}}});
  const LaneValue value = 5;
  const std::uint32_t count = GENERATE(0U, 1U, 9U, 10U, 11U, 40U);
  std::vector<EntityState> world;
  for (std::uint32_t id = 0; id < count; ++id) {
    world.push_back({.id = SliceId{id}, .kind = {}, .values = &value});
  }
  SnapshotWriter writer(model);
  writer.begin(Tick(1), world);
  std::array<std::byte, 1200> memory{};
  const std::span<const std::byte> bytes = writer.write(memory);
  REQUIRE(writer.is_done());
  SnapshotReader reader(model, {.entity_max = 10});
  const bool fits = count <= 10;
  CHECK(reader.read(bytes) == (fits ? SnapshotVerdict::applied : SnapshotVerdict::too_large));
  CHECK(reader.entities().size() == (fits ? count : 0));
}

/// A server names many entities of the largest type in very few bits.
TEST_CASE("A datagram cannot make a reader use more memory than its limit", "[net][snapshot]") {
  EntitySchema huge{.name = "huge", .lanes = {}};
  for (std::size_t i = 0; i < kMaxLanes; ++i) huge.lanes.push_back({.name = "x", .maximum = 9});
  SnapshotModel model = untrained_model({huge, {.name = "a", .lanes = {{.name = "x"}}}});
  std::fill(model.probabilities.begin(), model.probabilities.end(), BitProbability{1});
  model.probabilities[slots::kAnotherNew] = 65'535;
  const std::vector<LaneValue> initial(kMaxLanes);
  std::vector<EntityState> world;
  for (std::uint32_t id = 0; id < 2'000; ++id)
    world.push_back({.id = SliceId{id}, .kind = {}, .values = initial.data()});
  SnapshotWriter writer(model);
  writer.begin(Tick(1), world);
  NetBytes memory(64'000);
  const std::span<const std::byte> bytes = writer.write(memory);
  REQUIRE(writer.is_done());

  constexpr std::size_t kLimit = 20'000'000;
  SnapshotReader reader(model, {.memory_bytes_max = kLimit});
  CHECK(reader.read(bytes) == SnapshotVerdict::too_large);
  CHECK(reader.entities().empty());
  CHECK(reader.memory_bytes() < kLimit / 10);  // The memory of the entities that were read before
                                               // the limit.
  // The same number of small entities is accepted, because a small entity needs less memory.
  for (EntityState& state : world) state.kind.type = CodecType{1};
  SnapshotWriter small_writer(model);
  small_writer.begin(Tick(1), world);
  CHECK(reader.read(small_writer.write(memory)) == SnapshotVerdict::applied);
  CHECK(reader.entities().size() == 2'000);
  CHECK(reader.memory_bytes() < kLimit / 2);
}

TEST_CASE("Entities that appear and disappear use no more memory than existing entities",
          "[net][snapshot]") {
  std::vector<EntitySchema> schemas;
  for (std::size_t i = 1; i <= 8; ++i) {
    EntitySchema& schema = schemas.emplace_back(EntitySchema{.name = "type", .lanes = {}});
    for (std::size_t k = 0; k < 100 * i; ++k) schema.lanes.push_back({.name = "x", .maximum = 9});
  }
  const SnapshotModel model = untrained_model(schemas);
  const std::vector<LaneValue> values(800);
  constexpr std::size_t kLimit = 2'000'000;  // Room for about fifteen of the largest entities.
  SnapshotWriter writer(model);
  SnapshotReader reader(model, {.memory_bytes_max = kLimit});
  NetBytes memory(64'000);
  std::vector<EntityState> world;
  // The entities of each tick have another type. Some reuse earlier ids, and some have new ids.
  for (std::uint32_t tick = 1; tick < 400; ++tick) {
    world.clear();
    for (std::uint32_t id = 0; id < 3; ++id) {
      const EntityKind kind{
          .type = static_cast<CodecType>(static_cast<std::uint16_t>(tick / 40 % 8)),
          .generation = static_cast<std::uint8_t>(tick / 40)};
      world.push_back(
          {.id = SliceId{id + 3 * (tick / 40 % 2)}, .kind = kind, .values = values.data()});
    }
    writer.begin(Tick(tick), world);
    REQUIRE(reader.read(writer.write(memory)) == SnapshotVerdict::applied);
    writer.acknowledge(writer.last_number());
    REQUIRE(reader.entities().size() == 3);
    REQUIRE(reader.memory_bytes() < kLimit + kLimit / 4);
  }
}

TEST_CASE("An entity that is sent again as a new entity counts once", "[net][snapshot]") {
  const SnapshotModel model =
      untrained_model({{.name = "a", .lanes = {{.name = "x", .maximum = 100}}}});
  const LaneValue value = 5;
  std::vector<EntityState> world;
  for (std::uint32_t id = 0; id < 10; ++id)
    world.push_back({.id = SliceId{id}, .kind = {}, .values = &value});
  SnapshotWriter writer(model);
  SnapshotReader reader(model, {.entity_max = 10});
  std::array<std::byte, 1200> memory{};
  for (std::uint32_t tick = 1; tick < 5; ++tick) {
    writer.begin(Tick(tick), world);
    CHECK(reader.read(writer.write(memory)) == SnapshotVerdict::applied);
    CHECK(reader.entities().size() == 10);
  }
}

TEST_CASE("A reader does not grow when a server omits some snapshot numbers", "[net][snapshot]") {
  constexpr std::uint32_t kEntities = 50;
  Random random(8);
  SnapshotModel model =
      untrained_model({{.name = "a", .lanes = {{.name = "x", .maximum = 100'000}}}});
  SnapshotWriter writer(model);
  SnapshotReader reader(model);
  std::vector<LaneValue> values(kEntities, 50'000);
  std::vector<EntityState> world;
  for (std::uint32_t id = 0; id < kEntities; ++id) {
    world.push_back({.id = SliceId{id}, .kind = {}, .values = &values[id]});
  }
  std::array<std::byte, 1200> memory{};
  std::deque<std::vector<LaneValue>> past;
  std::size_t bytes_before = 0;
  for (std::uint32_t tick = 1; tick < 3'000; ++tick) {
    past.push_back(values);
    if (past.size() > kPastTicksMax + 2) past.pop_front();
    for (std::uint32_t id = 0; id < kEntities; ++id) {
      values[id] = past.back()[id] = static_cast<LaneValue>(40'000 + random.below(20'000));
      world[id].values = &past.back()[id];
    }
    writer.keep(Tick(tick));
    writer.begin(Tick(tick), world);
    const std::span<const std::byte> bytes = writer.write(memory);
    REQUIRE(writer.is_done());
    if (writer.last_number() % 16 == 0) continue;
    REQUIRE(reader.read(bytes) == SnapshotVerdict::applied);
    // Acknowledgements are so rare that each snapshot has one reference, so that every state gets a
    // link.
    if (writer.last_number() % 40 == 1) writer.acknowledge(writer.last_number());
    if (tick == 300) bytes_before = reader.memory_bytes();
  }
  CHECK(reader.memory_bytes() < bytes_before + bytes_before / 4);
}

}  // namespace
}  // namespace muster
