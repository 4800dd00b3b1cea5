// Tests entities that are created and removed before and after an acknowledged snapshot.
#include <array>

#include <catch2/catch.hpp>

#include "net/snapshot/snapshot_reader.h"
#include "net/snapshot/snapshot_writer.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

constexpr std::uint32_t kWitness = 1;  ///< An entity that always exists.
constexpr std::uint32_t kId = 5;

/// A writer and a reader of entities with one number.
class Lifetime {
 public:
  Lifetime() {
    for (LaneValue i = 0; i < values_.size(); ++i) values_[i] = i;
  }

  /// Writes the next tick. The world contains the witness and, if `lives` is true, the entity.
  NetBytes write(bool lives, LaneValue value = 7, EntityKind kind = {}, bool is_deferred = false) {
    std::vector<EntityState> world = {{.id = SliceId{kWitness}, .kind = {}, .values = &values_[0]}};
    if (lives) {
      world.push_back({.id = SliceId{kId},
                       .kind = kind,
                       .is_deferred = is_deferred,
                       .values = &values_[value]});
    }
    writer.begin(Tick(++tick_), world);
    std::array<std::byte, 200> memory{};
    NetBytes bytes = copy_of(writer.write(memory));
    REQUIRE(writer.is_done());
    return bytes;
  }
  void arrive(const NetBytes& bytes) { REQUIRE(reader.read(bytes) == SnapshotVerdict::applied); }
  /// Writes the next tick, which arrives and is acknowledged.
  void exchange(bool lives, LaneValue value = 7, EntityKind kind = {}) {
    arrive(write(lives, value, kind));
    writer.acknowledge(writer.last_number());
  }
  /// The reader's state of the entity, or null.
  const SeenEntity* seen() const {
    for (const SeenEntity& entity : reader.entities()) {
      if (codec_id(entity.id) == kId) return &entity;
    }
    return nullptr;
  }
  Tick tick() const { return Tick(tick_); }

 private:
  SnapshotModel model_ = untrained_model(
      {{.name = "a", .lanes = {{.name = "x", .maximum = 100}}},
       {.name = "b", .lanes = {{.name = "y", .maximum = 100}, {.name = "z", .maximum = 9}}}});
  std::array<LaneValue, 10> values_{};
  std::uint32_t tick_ = 0;

 public:
  SnapshotWriter writer{model_};
  SnapshotReader reader{model_};
};

TEST_CASE("An entity that was removed before the acknowledged snapshot is not listed",
          "[net][snapshot][sys-47]") {
  Lifetime with;
  Lifetime without;
  for (int i = 0; i < 3; ++i) {
    with.exchange(i == 0);
    without.exchange(false);
  }
  for (int i = 0; i < 40; ++i) {
    with.exchange(false);
    without.exchange(false);
  }
  CHECK(with.write(false) == without.write(false));
  CHECK(with.seen() == nullptr);
  CHECK(with.reader.entities().size() == 1);
}

TEST_CASE("An entity that was removed after the acknowledged snapshot is listed as gone",
          "[net][snapshot][sys-47]") {
  Lifetime life;
  life.exchange(true);
  REQUIRE(life.seen() != nullptr);
  life.arrive(life.write(false));
  CHECK(life.seen() == nullptr);
  // The entity is also listed as gone in each later snapshot, until one of these snapshots is
  // acknowledged.
  static_cast<void>(life.write(false));
  life.arrive(life.write(false));
  CHECK(life.seen() == nullptr);
  CHECK(life.reader.entities().size() == 1);
}

TEST_CASE("An existing entity of the acknowledged snapshot is updated", "[net][snapshot][sys-47]") {
  Lifetime life;
  life.exchange(true, 7);
  life.exchange(true, 8);
  REQUIRE(life.seen() != nullptr);
  CHECK(*life.seen()->values == 8);
  CHECK(life.seen()->tick == life.tick());
  life.arrive(life.write(true, 8));  // The entity is unchanged, but its tick is newer.
  CHECK(*life.seen()->values == 8);
  CHECK(life.seen()->tick == life.tick());
}

TEST_CASE("An entity that was created and removed after the acknowledged snapshot disappears",
          "[net][snapshot][sys-47]") {
  const bool was_seen = GENERATE(false, true);
  Lifetime life;
  life.exchange(false);
  const NetBytes lost = life.write(true);
  if (was_seen) life.arrive(lost);
  CHECK((life.seen() != nullptr) == was_seen);
  life.arrive(life.write(false));
  CHECK(life.seen() == nullptr);
}

TEST_CASE("A new entity is sent whole until a snapshot with it is acknowledged",
          "[net][snapshot][sys-47]") {
  Lifetime life;
  life.exchange(false);
  static_cast<void>(life.write(true, 3));
  life.arrive(life.write(true, 4));
  REQUIRE(life.seen() != nullptr);
  CHECK(*life.seen()->values == 4);
  life.arrive(life.write(true, 5));
  CHECK(*life.seen()->values == 5);
}

TEST_CASE("Without acknowledged snapshots, the reader's world equals the snapshot",
          "[net][snapshot][sys-47]") {
  Lifetime life;
  life.arrive(life.write(true, 3));
  REQUIRE(life.seen() != nullptr);
  // Without references, a snapshot contains only existing entities.
  life.arrive(life.write(false));
  CHECK(life.seen() == nullptr);
  CHECK(life.reader.entities().size() == 1);
}

TEST_CASE("A reused id refers to the new entity", "[net][snapshot][sys-47]") {
  const EntityKind next = GENERATE(EntityKind{.type = CodecType{0}, .generation = 1},
                                   EntityKind{.type = CodecType{1}, .generation = 0},
                                   EntityKind{.type = CodecType{1}, .generation = 255});
  Lifetime life;
  life.exchange(true, 3);
  life.arrive(life.write(true, 4, next));
  REQUIRE(life.seen() != nullptr);
  CHECK(life.seen()->kind == next);
  CHECK(*life.seen()->values == 4);
  life.exchange(true, 4, next);
  life.exchange(true, 5, next);
  CHECK(life.seen()->kind == next);
  CHECK(*life.seen()->values == 5);
}

TEST_CASE("A deferred entity is not removed with an earlier entity of the same id",
          "[net][snapshot][sys-47]") {
  const EntityKind next = GENERATE(EntityKind{.type = CodecType{0}, .generation = 1},
                                   EntityKind{.type = CodecType{1}, .generation = 1});
  Lifetime life;
  life.exchange(true, 3);
  life.arrive(life.write(true, 4, next));
  for (LaneValue value = 5; value < 8; ++value) {
    life.arrive(life.write(true, value, next, true));
    REQUIRE(life.seen() != nullptr);
    CHECK(life.seen()->kind == next);
    CHECK(*life.seen()->values == 4);
  }
  life.exchange(true, 8, next);
  CHECK(*life.seen()->values == 8);
  life.arrive(life.write(false));
  CHECK(life.seen() == nullptr);
}

TEST_CASE("A removed entity is gone while a new entity of the same id is deferred",
          "[net][snapshot][sys-47]") {
  Lifetime life;
  life.exchange(true, 3);
  life.arrive(life.write(true, 4, {.type = CodecType{0}, .generation = 1}, true));
  CHECK(life.seen() == nullptr);
}

TEST_CASE("A duplicate snapshot has the verdict `late`", "[net][snapshot]") {
  Lifetime life;
  life.exchange(true, 1);
  const NetBytes bytes = life.write(true, 2);
  life.arrive(bytes);
  const SnapshotNumber number = life.reader.last_number();
  CHECK(life.reader.read(bytes) == SnapshotVerdict::late);
  CHECK(life.reader.last_number() == number);
  CHECK(life.reader.tick() == life.tick());
}

TEST_CASE("An overtaken snapshot is not shown, but the next snapshot can refer to it",
          "[net][snapshot]") {
  Lifetime life;
  life.exchange(true, 1);
  const NetBytes first = life.write(true, 2);
  const SnapshotNumber first_number = life.writer.last_number();
  life.arrive(life.write(true, 3));
  const Tick tick = life.reader.tick();
  life.arrive(first);
  life.writer.acknowledge(first_number);
  CHECK(life.reader.tick() == tick);
  CHECK(*life.seen()->values == 3);
  life.arrive(life.write(true, 9));  // This snapshot refers only to `first`.
  CHECK(*life.seen()->values == 9);
}

TEST_CASE("A snapshot that refers to a lost snapshot has the verdict `unknown`",
          "[net][snapshot]") {
  Lifetime life;
  life.exchange(true, 1);
  static_cast<void>(life.write(true, 2));
  life.writer.acknowledge(life.writer.last_number());  // The snapshot did not arrive.
  const SnapshotNumber number = life.reader.last_number();
  const NetBytes bytes = life.write(true, 3);
  CHECK(life.reader.read(bytes) == SnapshotVerdict::unknown);
  CHECK(life.reader.last_number() == number);
  CHECK(*life.seen()->values == 1);
  SnapshotModel model = untrained_model({{.name = "a", .lanes = {{.name = "x", .maximum = 100}}}});
  SnapshotReader fresh(model);
  CHECK(fresh.read(bytes) == SnapshotVerdict::unknown);
  CHECK(fresh.entities().empty());
}

TEST_CASE("A deferred entity keeps its earlier state, and an unchanged entity is up to date",
          "[net][snapshot]") {
  const SnapshotModel model =
      untrained_model({{.name = "a", .lanes = {{.name = "x", .maximum = 100}}}});
  SnapshotWriter writer(model);
  SnapshotReader reader(model);
  const std::array<LaneValue, 2> values = {3, 4};
  std::array<std::byte, 200> memory{};
  const auto exchange = [&](std::uint32_t tick, bool is_deferred, std::size_t value) {
    const std::array<EntityState, 2> world = {
        {{.id = SliceId{1}, .kind = {}, .is_deferred = is_deferred, .values = &values[value]},
         {.id = SliceId{2}, .kind = {}, .values = &values[0]}}};
    writer.begin(Tick(tick), world);
    REQUIRE(reader.read(writer.write(memory)) == SnapshotVerdict::applied);
    writer.acknowledge(writer.last_number());
    return *reader.entities()[0].values;
  };
  for (std::uint32_t tick = 1; tick < 20; ++tick) CHECK(exchange(tick, tick % 3 == 0, 0) == 3);
  CHECK(reader.entities()[0].tick == Tick(19));
  CHECK(exchange(20, true, 1) == 3);
  CHECK(reader.entities()[0].tick == Tick(19));
  CHECK(exchange(21, true, 1) == 3);
  CHECK(exchange(22, false, 1) == 4);
}

}  // namespace
}  // namespace muster
