// The input is a byte that chooses the coder, and then a list of steps with two bytes before each
// step. For each step, an honest writer makes a snapshot of the next tick. The first byte of the
// step decides about this snapshot: it arrives, is lost, arrives damaged by the step's bytes, or is
// replaced by the step's bytes. A refused snapshot changes nothing, and an applied snapshot stays
// within the limits. Until a forged snapshot is applied, all honest snapshots that arrive are
// applied.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "net/snapshot/mix.h"
#include "net/snapshot/snapshot_reader.h"
#include "net/snapshot/snapshot_writer.h"
#include "registry/base/bytes.h"

namespace {

using namespace muster;

constexpr std::size_t kEntityMax = 40;
constexpr std::uint32_t kEntities = 20;
constexpr std::size_t kLanes = 9;

void require(bool holds) {
  if (!holds) std::abort();
}

SnapshotModel make_model() {
  SnapshotModel model = untrained_model(
      {{.name = "all",
        .lanes = {{.name = "x", .maximum = 0xFFFF'FFFF},
                  {.name = "yaw", .kind = LaneKind::angle, .maximum = 360, .period = 360},
                  {.name = "state", .kind = LaneKind::symbol, .maximum = 5},
                  {.name = "shot", .kind = LaneKind::tick, .maximum = 99},
                  {.name = "name", .kind = LaneKind::opaque, .maximum = 1000},
                  {.name = "d", .kind = LaneKind::dropped, .maximum = 3},
                  {.name = "r0", .kind = LaneKind::rotation, .maximum = 510},
                  {.name = "r1", .kind = LaneKind::rotation, .maximum = 510},
                  {.name = "r2", .kind = LaneKind::rotation, .maximum = 510}}},
       {.name = "one", .lanes = {{.name = "x", .maximum = 7}}},
       {.name = "none", .lanes = {}}});
  model.mix.resize(kMixContexts * kMixTableSize);
  for (std::size_t i = 0; i < model.mix.size(); ++i) {
    model.mix[i] = static_cast<std::int8_t>((i * 2'654'435'761U >> 24U & 63U) - 32);
  }
  require(model.huffman.set(5, {1, 3, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6}));
  return model;
}

const SnapshotModel& model() {
  static const SnapshotModel kModel = make_model();
  return kModel;
}

/// A world whose values depend on the tick, at fixed addresses.
struct World {
  std::vector<std::array<LaneValue, kEntities * kLanes>> ticks;
  std::vector<EntityState> states;

  World() { ticks.reserve(64); }
  void advance(std::uint32_t tick) {
    auto& values = ticks.emplace_back();
    states.clear();
    for (std::uint32_t id = 0; id < kEntities; ++id) {
      if ((tick + id) % 11 == 0) continue;
      const auto generation = static_cast<std::uint8_t>((tick + id) / 11);
      const auto type = static_cast<std::uint16_t>(generation % 3);
      const EntitySchema& schema = model().types[type].schema;
      LaneValue* row = &values[id * kLanes];
      for (std::size_t lane = 0; lane < schema.lanes.size(); ++lane) {
        const std::uint64_t count = std::uint64_t{schema.lanes[lane].maximum} + 1;
        row[lane] = static_cast<LaneValue>((id * 77 + tick / 3 * (lane + id % 4)) % count);
      }
      states.push_back({.id = SliceId{id * 3},
                        .kind = {.type = CodecType{type}, .generation = generation},
                        .is_deferred = (tick + id) % 7 == 0,
                        .values = row});
    }
  }
};

std::uint64_t hash_of(const SnapshotReader& reader) {
  std::uint64_t hash = reader.last_number() * std::uint64_t{65'537} + reader.tick().value();
  for (const SeenEntity& seen : reader.entities()) {
    hash = (hash ^ codec_id(seen.id)) * 0x100'0000'01B3;
    hash = (hash ^ seen.tick.value()) * 0x100'0000'01B3;
    hash = (hash ^ codec_index(seen.kind.type) * 256U ^ seen.kind.generation) * 0x100'0000'01B3;
    const std::size_t lanes = model().types.at(codec_index(seen.kind.type)).lanes.size();
    for (std::size_t i = 0; i < lanes; ++i) hash = (hash ^ seen.values[i]) * 0x100'0000'01B3;
  }
  return hash;
}

SnapshotVerdict offer(SnapshotReader& reader, std::span<const std::byte> bytes) {
  const std::uint64_t before = hash_of(reader);
  const SnapshotVerdict verdict = reader.read(bytes);
  if (verdict != SnapshotVerdict::applied) {
    require(hash_of(reader) == before);
    return verdict;
  }
  require(reader.entities().size() <= kEntityMax);
  for (const SeenEntity& seen : reader.entities()) {
    const EntitySchema& schema = model().types.at(codec_index(seen.kind.type)).schema;
    for (std::size_t i = 0; i < schema.lanes.size(); ++i) {
      require(seen.values[i] <= schema.lanes[i].maximum);
    }
  }
  return verdict;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteReader input(std::as_bytes(std::span(data, size)));
  const SnapshotOptions options{.coder = static_cast<SnapshotCoder>(input.u8() % 5)};
  SnapshotWriter writer(model(), options);
  SnapshotReader reader(model(), {.entity_max = kEntityMax}, options);
  World world;
  bool is_forged = false;
  std::array<std::byte, 4096> memory{};
  for (std::uint32_t tick = 1; tick <= 60 && input.remaining() > 1; ++tick) {
    const std::uint32_t step = input.u16();
    const std::span<const std::byte> bytes = input.bytes((step >> 8U) % 64);
    world.advance(tick);
    writer.begin(Tick(tick), world.states);
    const std::span<const std::byte> honest = writer.write(memory);
    require(writer.is_done());
    std::vector<std::byte> arrived(honest.begin(), honest.end());
    switch (step % 4) {
      case 0:
        if (offer(reader, arrived) == SnapshotVerdict::applied) {
          writer.acknowledge(writer.last_number());
        } else {
          require(is_forged);
        }
        continue;
      case 1:
        continue;
      case 2:
        for (std::size_t i = 0; i < bytes.size(); ++i) {
          arrived[(step / 4 % 64 + i) % arrived.size()] ^= bytes[i];
        }
        if (bytes.empty()) arrived.resize(arrived.size() / 2);
        break;
      default:
        arrived.assign(bytes.begin(), bytes.end());
    }
    is_forged = offer(reader, arrived) == SnapshotVerdict::applied || is_forged;
  }
  return 0;
}
