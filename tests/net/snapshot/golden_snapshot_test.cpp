// The bytes of one small world, as every version of the format has had them since version 3.
#include <array>
#include <deque>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "net/snapshot/snapshot_reader.h"
#include "net/snapshot/snapshot_writer.h"

namespace muster {
namespace {

SnapshotModel model_of_things() {
  SnapshotModel model = untrained_model(
      {{.name = "walker",
        .lanes = {{.name = "x", .greatest = 65'535, .is_of_vector = true},
                  {.name = "y", .greatest = 65'535, .is_of_vector = true},
                  {.name = "yaw", .kind = LaneKind::angle, .greatest = 360, .period = 360},
                  {.name = "state", .kind = LaneKind::symbol, .greatest = 7},
                  {.name = "shot", .kind = LaneKind::tick, .greatest = 255},
                  {.name = "name", .kind = LaneKind::opaque, .greatest = 0xFFFF'FFFF}}},
       {.name = "crate",
        .lanes = {{.name = "d", .kind = LaneKind::dropped, .greatest = 3},
                  {.name = "a", .kind = LaneKind::rotation, .greatest = 511},
                  {.name = "b", .kind = LaneKind::rotation, .greatest = 511},
                  {.name = "c", .kind = LaneKind::rotation, .greatest = 511}}}});
  LaneModel& y = model.types[0].lanes[1];
  y.partner_count = 1;
  y.partners[0] = {.kind = PartnerKind::heading, .lane = 0, .angle = 2};
  for (FeatureWeights& weights : y.weights) weights[kOwnFeatures] = 3000;
  y.change_partner_count = 1;
  y.change_partners[0] = 2;
  model.mix.resize(kMixContexts * kMixTableSize);
  for (std::size_t i = 0; i < model.mix.size(); ++i) {
    model.mix[i] = static_cast<std::int8_t>(i * 2'654'435'761U >> 27U & 15U);
  }
  HuffmanCounts counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = 100 / (i + 1);
  if (!model.huffman.set(3, best_lengths(counts))) throw std::logic_error("no code");
  return model;
}

constexpr std::uint32_t kTicks = 12;

/// What happens: something walks in a curve, something turns, one comes and one goes.
struct Script {
  std::array<std::array<LaneValue, 18>, kTicks + 1> values{};

  std::vector<EntityState> world(std::uint32_t tick) {
    auto& v = values[tick];
    v = {1000 + 40 * tick + tick * tick,
         2000 - 7 * tick,
         (350 + 5 * tick) % 360,
         tick / 5,
         tick < 6 ? 0U : 6U,
         0xABCD'0123};
    std::copy_n(std::array<LaneValue, 6>{5, 5, 5, 1, 2, 3}.begin(), 6, v.begin() + 6);
    std::copy_n(
        std::array<LaneValue, 4>{tick < 8 ? 3U : 2U, 250 + 9 * tick, 260, 511 - tick}.begin(), 4,
        v.begin() + 12);
    std::vector<EntityState> world = {{.id = 2, .kind = {}, .values = v.data()}};
    if (tick > 3) {
      world.push_back({.id = 7,
                       .kind = {.type = 0, .generation = 4},
                       .is_held = tick == 9,
                       .values = v.data() + 6});
    }
    if (tick < 11) world.push_back({.id = 40, .kind = {.type = 1}, .values = v.data() + 12});
    return world;
  }
};

/// The snapshots of the script, each acknowledged two ticks later. The writer finds out by itself
/// since when each entity is as it is, or is told.
std::string bytes_of(SnapshotCoder coder, bool tells_since = false) {
  const SnapshotModel model = model_of_things();
  SnapshotWriter writer(model, {.coder = coder});
  SnapshotReader reader(model, {.entity_max = 10}, {.coder = coder});
  Script script;
  std::deque<SnapshotNumber> acks;
  std::array<std::byte, 1200> memory{};
  std::string text;
  for (std::uint32_t tick = 0; tick <= kTicks; ++tick) {
    std::vector<EntityState> world = script.world(tick);
    // What has id 7 never changes, the others do at every tick.
    for (EntityState& state : world) {
      if (tells_since) state.since = state.id == 7 ? 4 : tick;
    }
    writer.begin(tick, world);
    const std::span<const std::byte> bytes = writer.write(memory);
    REQUIRE(writer.is_done());
    REQUIRE(reader.read(bytes) == SnapshotVerdict::applied);
    for (const std::byte byte : bytes) text += fmt::format("{:02x}", byte);
    text += tick < kTicks ? " " : "";
    acks.push_back(writer.last_number());
    if (acks.size() <= 2) continue;
    writer.acknowledge(acks.front());
    acks.pop_front();
  }
  return text;
}

TEST_CASE("A world's bytes are what they were", "[net][snapshot]") {
  CHECK(bytes_of(SnapshotCoder::range) ==
        "fffffddd51a2a0f1752494eb34aa5aca9bbeb63b55 "
        "fefffd7d1cdfffe7bc989540377180e6f7b6f9d8e86400c7ff "
        "fdfffd7d1cdfffda9fb895403927c904cd616227e9c40540 "
        "fced98fffffffffffffffffffffffffffcf676d93b2ed8db0ec7 "
        "fbed339e6a7fffffffffffffffffffffc044e7a719e2f433901f41eac77df36b24 "
        "faecd34e9726b77ffffffffffffffffb45311b80e21dd897e5c98ccec95ce5f819ed04 "
        "f9ec77cfa1a1dce4ffffffffffffffa6241f6582e5c524a70862f1c7e3da0791cb "
        "f8ec20e3e449d7ebfffffffffffffa03d5184e "
        "f7ebce50ce9892aaffffffffffff9460ca4885b395 "
        "f6eb7fdebdb3fb9cfffffffffffee38ef5ec "
        "f5eb3558d6f1a2b0ffffffffff621981c29219 "
        "f4eaee8ce43a2f90fffffffff4a9f2c3f8 "
        "f3eaab4b3234b2bdffffffff292bfc8a22");
  CHECK(bytes_of(SnapshotCoder::mix) ==
        "fffffdde392d57d63aa09794b9195c6a56e59437cd70adffe90a81b3 "
        "fefffd7d1cdfffe7c15197cf40882dc677ab1afdae82c37ddf846b09df918334e380706e "
        "fdfffd7d1cdfffdaa47197cf40882ddb992f17cfbb4d0ce4fc98a573dca1d36cc5e48d92 "
        "fced98ffffffffffffffffffffffffffffe8e9fec53b74cd2f1b7178f9dc5105d255 "
        "fbed339e6a7fffffffffffffffffffffc044e8027c38304444113dc8304d60c49c4947060d6ed5eb"
        "ee157f9c42883bc368a3c027 "
        "faecd34e9726b77ffffffffffffffffb4531224911e31a830d8306bd6bb3b41dabe9f6fb61b56932"
        "76acf10713510f97affd67813d "
        "f9ec77cfa1a1dce4ffffffffffffffa6241fe65c52e16e1205169e5680e6a8b51d73220fc1a7f553"
        "1cd8befb7e30e948bfe3 "
        "f8ec20e3e449d7ebfffffffffffffc80a775b0d5b8a4565c35726097df3e75 "
        "f7ebce50ce9892aafffffffffffffb2679015353d4b2a8d886930984 "
        "f6eb7fdebdb3fb9cfffffffffffffff76f76ae9bc4e4f6 "
        "f5eb3558d6f1a2b0ffffffffffefda2e3d9225b20fa691bbd569 "
        "f4eaee8ce43a2f90ffffffffffafd6c1e9ee0dd5160a60 "
        "f3eaab4b3234b2bdfffffffff8dd668c079e51fa7cbd54");
}

TEST_CASE("A world's bytes without probabilities are what they were", "[net][snapshot]") {
  CHECK(bytes_of(SnapshotCoder::huffman) ==
        "00006059e74dd68feead3c12d0bcfa63fdef49f629bb53 "
        "80000200000062592758568ceeb23c12d0bcfa63fdef52f6297b53 "
        "40000200000061c9b99835a21e09685efdb1fef72dfb949d29 "
        "c01100000080d60a6d654b45d75411 "
        "2051000000c083207f2553497c000000406bb5b6b2a5a26baa08 "
        "a0d1000000c083207f2553497c00000040ffca6da53b744d1501 "
        "60d1010000c083207f2553497c00000040ff2a6ea53baa754d1501 "
        "e0d103000080fe15dd4a7754d3355504 "
        "10d107000080d6ea6ea55b35dd4e1501 "
        "90d10f000080d64a6fa51bdd4e1501 "
        "50d11f000080fe55df4ab7d0ed5411 "
        "d0d13f000080fe1d402bddc200 "
        "30d17f000080fedd402bddc200");
  CHECK(bytes_of(SnapshotCoder::raw) ==
        "00006039f401e803af8e0434affe58bf3e82ff01 "
        "80000200000062b90882e483b18e0434affe58ff4082fe01 "
        "40000200000061191e02e10347029a577fac9f21c1fe00 "
        "c011000000802e8d60f7a0006945fe00 "
        "2051000000c083205f00500050200b0c000000e83009680f14907adc0f "
        "a0d1000000c083205f00500050200b0c000000e893095a0f1e84f4a47e "
        "60d1010000c083205f00500050200b0c000000e8f9094c0f28248314667e "
        "e0d1030000803ea6e0f320433290e6c40f "
        "10d1070000800ead00f3c043065a85de07 "
        "90d10f0000802eb420f260045a97da07 "
        "50d11f0000809ebb40f10085d04ab53e "
        "d0d13f0000803ec360f0a08530 "
        "30d17f0000801ecb80ef408630");
  CHECK(bytes_of(SnapshotCoder::reference) ==
        "00006059e74dd68feead3c12d0bcfa63fdef49f629bb53 "
        "80000200000062592758568ceeb23c12d0bcfa63fdef52f6297b53 "
        "40000200000061c9b99835a21e09685efdb1fef72dfb949d29 "
        "c01100000080d60a6d654b45d75411 "
        "2051000000c083207f2553497c000000406bb5b6b2a5a26baa08 "
        "a0d1000000c083207f2553497c00000040bbaf3b04 "
        "60d1010000c083207f2553497c00000040bbaf3baa05 "
        "e0d103000080765f541300 "
        "10d107000080e8534d12 "
        "90d10f000080e84312 "
        "50d11f000080769f9004 "
        "d0d13f000080769f30 "
        "30d17f000080769f30");
}

TEST_CASE("Who says since when entities are as they are gets the same bytes", "[net][snapshot]") {
  const SnapshotCoder coder =
      GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman, SnapshotCoder::raw,
               SnapshotCoder::reference);
  CHECK(bytes_of(coder, true) == bytes_of(coder, false));
}

}  // namespace
}  // namespace muster
