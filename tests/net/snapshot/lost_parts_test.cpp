// The receiver can use each datagram of a tick without the other datagrams of the tick.
#include <deque>
#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include "net/snapshot/snapshot_reader.h"
#include "net/snapshot/snapshot_writer.h"

namespace muster {
namespace {

/// The value of each entity by id. An entity has one opaque number.
using World = std::map<std::uint32_t, LaneValue>;

/// One datagram of a tick.
struct Part {
  std::vector<std::byte> bytes;
  SnapshotNumber number = 0;
  std::uint64_t first_id = 0;  ///< The first id that the part covers.
  std::uint64_t end_id = 0;    ///< The id after the last id that the part covers.
};

class Ends {
 public:
  explicit Ends(SnapshotCoder coder)
      : model_(untrained_model(
            {{.name = "a",
              .lanes = {{.name = "x", .kind = LaneKind::opaque, .maximum = 0xFFFF'FFFF}}}})),
        writer(model_, {.coder = coder}),
        reader(model_, {}, {.coder = coder}) {}

  std::vector<Part> write(const World& world, std::size_t datagram_bytes) {
    std::vector<EntityState> states;
    for (const auto& [id, value] : worlds_.emplace_back(world)) {
      states.push_back({.id = SliceId{id}, .kind = {}, .values = &value});
    }
    std::vector<Part> parts;
    std::vector<std::byte> memory(datagram_bytes);
    writer.begin(Tick(++tick), states);
    while (!writer.is_done()) {
      const std::span<const std::byte> bytes = writer.write(memory);
      REQUIRE_FALSE(bytes.empty());
      parts.push_back({.bytes = {bytes.begin(), bytes.end()},
                       .number = writer.last_number(),
                       .first_id = parts.empty() ? 0 : parts.back().end_id,
                       .end_id = codec_id(writer.end_id())});
    }
    parts.back().end_id = std::uint64_t{1} << 32U;
    return parts;
  }

  void deliver(const Part& part) {
    REQUIRE(reader.read(part.bytes) == SnapshotVerdict::applied);
    writer.acknowledge(part.number);
  }

  World seen() const {
    World world;
    for (const SeenEntity& entity : reader.entities()) world[codec_id(entity.id)] = *entity.values;
    return world;
  }

 private:
  SnapshotModel model_;
  std::deque<World> worlds_;  ///< Worlds of earlier ticks, because the writer reads their rows.

 public:
  std::uint32_t tick = 0;
  SnapshotWriter writer;
  SnapshotReader reader;
};

/// Sixty entities. All of them change, some are removed, and new entities are added between them.
World before() {
  World world;
  for (std::uint32_t id = 10; id < 70; ++id) world[id * 10] = 0x1234'5678 + id;
  return world;
}

World after() {
  World world = before();
  for (auto& [id, value] : world) value = 0x9ABC'DEF0 - id;
  for (std::uint32_t id = 13; id < 70; id += 8) {
    world.erase(id * 10);
    world[id * 10 + 5] = id;
  }
  return world;
}

/// The entities of `seen` that are not in `then`.
World newcomers(const World& seen, const World& then) {
  World came;
  for (const auto& [id, value] : seen) {
    if (!then.contains(id)) came[id] = value;
  }
  return came;
}

}  // namespace

TEST_CASE("Each datagram of a tick is usable at once, even if the others are lost",
          "[net][snapshot]") {
  const auto coder = GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman,
                              SnapshotCoder::raw, SnapshotCoder::reference);
  CAPTURE(static_cast<int>(coder));
  constexpr std::size_t kDatagramBytes = 110;
  const World then = before();
  const World now = after();
  const auto begin = [&](Ends& ends) {
    for (const Part& part : ends.write(then, 1200)) ends.deliver(part);
    return ends.write(now, kDatagramBytes);
  };
  // A part may contain new entities slightly after its end. The part that covers their ids repeats
  // them.
  std::vector<World> came;
  std::size_t count = 1;
  for (std::size_t i = 0; i < count; ++i) {
    Ends ends(coder);
    const std::vector<Part> parts = begin(ends);
    count = parts.size();
    ends.deliver(parts[i]);
    came.push_back(newcomers(ends.seen(), then));
    for (const auto& [id, value] : newcomers(now, then)) {
      CAPTURE(i, id);
      if (id >= parts[i].first_id && id < parts[i].end_id) CHECK(came.back().contains(id));
    }
    for (const auto& [id, value] : came.back()) CHECK(now.at(id) == value);
  }
  REQUIRE(count >= 3);
  REQUIRE(count <= 6);
  const bool is_reversed = GENERATE(false, true);
  for (std::size_t arrives = 1; arrives < (std::size_t{1} << count); ++arrives) {
    CAPTURE(arrives, is_reversed);
    Ends ends(coder);
    const std::vector<Part> parts = begin(ends);
    World expected = then;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = is_reversed ? count - 1 - k : k;
      if ((arrives >> i & 1U) == 0) continue;
      ends.deliver(parts[i]);
      for (const auto& [id, value] : then) {
        if (id < parts[i].first_id || id >= parts[i].end_id) continue;
        expected.erase(id);
        if (now.contains(id)) expected[id] = now.at(id);
      }
      expected.insert(came[i].begin(), came[i].end());
      // The part is usable at once, before any further part arrives.
      REQUIRE(ends.seen() == expected);
      REQUIRE(ends.reader.tick() == Tick(ends.tick));
    }
    // Sends the lost parts again.
    for (const Part& part : ends.write(now, 1200)) ends.deliver(part);
    REQUIRE(ends.seen() == now);
  }
}

TEST_CASE("A shown entity is not removed when the part that repeats the entity is lost",
          "[net][snapshot]") {
  const auto coder = GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman,
                              SnapshotCoder::raw, SnapshotCoder::reference);
  CAPTURE(static_cast<int>(coder));
  std::size_t count = 1;
  for (std::size_t lost = 0; lost < count; ++lost) {
    CAPTURE(lost);
    Ends ends(coder);
    for (const Part& part : ends.write(before(), 1200)) ends.deliver(part);
    // The reader shows the new entities, but the writer does not know this yet.
    for (const Part& part : ends.write(after(), 1200)) {
      REQUIRE(ends.reader.read(part.bytes) == SnapshotVerdict::applied);
    }
    REQUIRE(ends.seen() == after());
    const std::vector<Part> parts = ends.write(after(), 110);
    count = parts.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i != lost) ends.deliver(parts[i]);
      CHECK(ends.seen() == after());
    }
  }
  CHECK(count >= 3);
}

}  // namespace muster
