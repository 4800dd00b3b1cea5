// Datagrams that are full at the most difficult positions of a snapshot.
#include <array>

#include <catch2/catch.hpp>

#include "net/snapshot/snapshot_reader.h"
#include "net/snapshot/snapshot_writer.h"

namespace muster {
namespace {

/// A writer and a reader of entities with one opaque number of 32 bits.
class Parts {
 public:
  explicit Parts(LaneKind kind = LaneKind::opaque)
      : model_(untrained_model(
            {{.name = "a", .lanes = {{.name = "x", .kind = kind, .maximum = 0xFFFF'FFFF}}}})) {}

  /// Sends the world of a tick in datagrams of this size, and returns their number.
  std::size_t exchange(std::span<const EntityState> world, std::size_t datagram_bytes) {
    std::vector<std::byte> memory(datagram_bytes);
    std::vector<SnapshotNumber> numbers;
    writer.begin(Tick(++tick_), world);
    while (!writer.is_done()) {
      REQUIRE(numbers.size() <= world.size() + 1);
      const std::span<const std::byte> bytes = writer.write(memory);
      REQUIRE_FALSE(bytes.empty());
      REQUIRE(reader.read(bytes) == SnapshotVerdict::applied);
      numbers.push_back(writer.last_number());
    }
    for (const SnapshotNumber number : numbers) writer.acknowledge(number);
    REQUIRE(reader.entities().size() == world.size());
    for (std::size_t i = 0; i < world.size(); ++i) {
      REQUIRE(reader.entities()[i].id == world[i].id);
      REQUIRE(*reader.entities()[i].values == *world[i].values);
    }
    return numbers.size();
  }
  Tick next_tick() { return Tick(++tick_); }

 private:
  SnapshotModel model_;
  std::uint32_t tick_ = 0;

 public:
  SnapshotWriter writer{model_};
  SnapshotReader reader{model_};
};

TEST_CASE("Many new entities between two known entities arrive", "[net][snapshot]") {
  const std::size_t datagram_bytes = GENERATE(40U, 60U, 200U);
  Parts parts;
  const LaneValue value = 0x1234'5678;
  std::vector<EntityState> world = {{.id = SliceId{3}, .kind = {}, .values = &value},
                                    {.id = SliceId{900}, .kind = {}, .values = &value}};
  parts.exchange(world, 1200);
  for (std::uint32_t id = 10; id < 120; ++id) {
    world.insert(world.end() - 1, {.id = SliceId{id}, .kind = {}, .values = &value});
  }
  const std::size_t count = parts.exchange(world, datagram_bytes);
  CHECK(count > 1);
  // With more datagrams than references, some states would not be known.
  if (count <= kMaxReferences) CHECK(parts.exchange(world, datagram_bytes) == 1);
}

TEST_CASE("Replaced entities with reused ids also arrive in parts", "[net][snapshot]") {
  Parts parts;
  const LaneValue value = 0x1234'5678;
  std::vector<EntityState> world;
  for (std::uint32_t id = 1; id < 60; ++id)
    world.push_back({.id = SliceId{id}, .kind = {}, .values = &value});
  parts.exchange(world, 1200);
  for (EntityState& state : world) state.kind.generation = 9;
  parts.exchange(world, 40);
  parts.exchange(world, 40);
}

TEST_CASE("A very large unchanged world fits after any moving entities", "[net][snapshot]") {
  Parts parts;
  const std::array<LaneValue, 2> values = {0x1234'5678, 0x8765'4321};
  std::vector<EntityState> world;
  for (std::uint32_t id = 1; id <= 6000; ++id)
    world.push_back({.id = SliceId{id}, .kind = {}, .values = &values[0]});
  parts.exchange(world, 100'000);
  for (int i = 0; i < 3; ++i) parts.exchange(world, 100'000);
  // The unchanged entities must fit after any number of bytes in the first datagram.
  for (std::size_t moving = 1; moving < 20; ++moving) {
    for (std::size_t i = 0; i < moving; ++i) {
      world[i].values = world[i].values == &values[0] ? &values[1] : &values[0];
    }
    parts.exchange(world, 60 + moving % 4);
  }
}

TEST_CASE("Ids far apart arrive in small datagrams", "[net][snapshot]") {
  const std::size_t datagram_bytes = 40 + GENERATE(range(0U, 24U));
  Parts parts;
  const LaneValue value = 0x1234'5678;
  std::vector<EntityState> world;
  for (std::uint32_t i = 0; i < 30; ++i) {
    world.push_back({.id = SliceId{i * 0x0800'0000U + 5}, .kind = {}, .values = &value});
  }
  parts.exchange(world, datagram_bytes);
}

TEST_CASE("Nothing is written if the first entity does not fit", "[net][snapshot]") {
  const std::size_t size = GENERATE(range(std::size_t{0}, std::size_t{16}));
  CAPTURE(size);
  Parts parts;
  const LaneValue value = 0x1234'5678;
  const std::array<EntityState, 1> world = {
      {{.id = SliceId{0x0FFF'0000}, .kind = {}, .values = &value}}};
  parts.writer.begin(parts.next_tick(), world);
  std::array<std::byte, 16> memory{};
  CHECK(parts.writer.write(std::span(memory).first(size)).empty());
  CHECK_FALSE(parts.writer.is_done());
  CHECK(parts.exchange(world, 60) == 1);  // With more room, the entity is sent.
}

TEST_CASE("An entity that is deferred while unchanged has equal states at both ends later",
          "[net][snapshot]") {
  Parts parts(LaneKind::number);
  std::array<LaneValue, 40> values{};
  for (LaneValue i = 0; i < values.size(); ++i) values[i] = i < 20 ? 0 : (i - 20) * 100;
  std::array<EntityState, 1> world = {{{.id = SliceId{1}, .kind = {}, .values = &values[0]}}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    world[0].values = &values[i];
    // The entity does not change while it is deferred.
    world[0].is_deferred = i < 20 && i % 3 != 0;
    CAPTURE(i);
    CHECK(parts.exchange(world, 200) == 1);
    CHECK(parts.reader.entities()[0].tick == Tick(static_cast<std::uint32_t>(i + 1)));
  }
}

}  // namespace
}  // namespace muster
