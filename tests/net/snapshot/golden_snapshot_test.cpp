// Compares the bytes of one small world with pinned bytes, which are valid since format version 3.
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
        .lanes = {{.name = "x", .maximum = 65'535, .is_of_vector = true},
                  {.name = "y", .maximum = 65'535, .is_of_vector = true},
                  {.name = "yaw", .kind = LaneKind::angle, .maximum = 360, .period = 360},
                  {.name = "state", .kind = LaneKind::symbol, .maximum = 7},
                  {.name = "shot", .kind = LaneKind::tick, .maximum = 255},
                  {.name = "name", .kind = LaneKind::opaque, .maximum = 0xFFFF'FFFF}}},
       {.name = "crate",
        .lanes = {{.name = "d", .kind = LaneKind::dropped, .maximum = 3},
                  {.name = "a", .kind = LaneKind::rotation, .maximum = 511},
                  {.name = "b", .kind = LaneKind::rotation, .maximum = 511},
                  {.name = "c", .kind = LaneKind::rotation, .maximum = 511}}}});
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

/// The script: one entity walks in a curve, one turns, one appears and one is removed.
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
    const bool is_deferred = tick == 8 || tick == 9;
    std::vector<EntityState> world = {
        {.id = SliceId{2}, .kind = {}, .is_deferred = is_deferred, .values = v.data()}};
    if (tick > 3) {
      world.push_back({.id = SliceId{7},
                       .kind = {.type = CodecType{0}, .generation = 4},
                       .is_deferred = tick == 9,
                       .values = v.data() + 6});
    }
    if (tick < 11)
      world.push_back({.id = SliceId{40}, .kind = {.type = CodecType{1}}, .values = v.data() + 12});
    return world;
  }
};

/// Returns the snapshots of the script; each is acknowledged two ticks later. If `has_since` is
/// true, the writer gets the tick of each entity's last change.
std::string bytes_of(SnapshotCoder coder, bool has_since = false) {
  const SnapshotModel model = model_of_things();
  SnapshotWriter writer(model, {.coder = coder});
  SnapshotReader reader(model, {.entity_max = 10}, {.coder = coder});
  Script script;
  std::deque<SnapshotNumber> acks;
  std::array<std::byte, 1200> memory{};
  std::string text;
  for (std::uint32_t tick = 0; tick <= kTicks; ++tick) {
    std::vector<EntityState> world = script.world(tick);
    // The entity with id 7 never changes, and the other entities change at every tick.
    for (EntityState& state : world) {
      if (has_since) state.since = Tick(state.id == SliceId{7} ? 4 : tick);
    }
    writer.begin(Tick(tick), world);
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

TEST_CASE("The bytes of a world are unchanged", "[net][snapshot]") {
  CHECK(bytes_of(SnapshotCoder::range) ==
        "fffffddd51a2a0f17c00e07ece73d4168460bc83 "
        "fefffd7d1cdfffe7bc98954037943fa5916ecaf1dcd4c9fc "
        "fdfffd7d1cdfffda9fb895403927cc32af3f9038ca680e94 "
        "fcf5842174435d7bff55834e "
        "fbf55160fce3484393ddbcaff55d181f3642b77891 "
        "faf52132f4095276734a38fd922cb576ac27093d3b0558 "
        "f9f4f36d030e814490403149b07e1f3e0d05abd4d171 "
        "f8f4c7fd9ca470be "
        "f7f49e93289b3350 "
        "f6f47751d61ab1 "
        "f5f45225acca7a7453 "
        "f4f42eb83c3e7e30 "
        "f3f40d0f77ce27ae");
  CHECK(bytes_of(SnapshotCoder::mix) ==
        "fffffdde392d57d63aa09795d1f515ba8b1a7944c4de6770c5669d8a4f16 "
        "fefffd7d1cdfffe7c15197cf40882dc68749043f1d2038145a0c308306fdfc6fe025e1e1af814d "
        "fdfffd7d1cdfffdaa47197cf40882ddb992f17cfc7f0956854341567bd0548ab6cd903864ec1 "
        "fcf584792e409ec3e1f6cd73afc6508ca41f1e9809 "
        "fbf55160fce36fc678f7585cbe8e2a5d0825eeea1edb26e2e01cc41bf3ab31bcfe54e3542919 "
        "faf52132f4097c2b240944703b36cabdce7a58d729b5f4c836caf1a0f8cc95d8b3b41a763388da4973 "
        "f9f4f36d030ead4a40a15a5677b3cc6a3e9c659d44a3f6231ab526b0a48ee68e439e0e74b89b "
        "f8f4c850d1aba9ab1cea34495f980ffbfe023e "
        "f7f49e932b55a277aee249 "
        "f6f47751d8fc39c0 "
        "f5f4529c0c114a6bb42a3dfced103a3a "
        "f4f42f38a05351c7c51fb028 "
        "f3f40d946413735297a54c7795865e61");
}

TEST_CASE("The bytes of a world without probabilities are unchanged", "[net][snapshot]") {
  CHECK(bytes_of(SnapshotCoder::huffman) ==
        "00006059e74dd68feead3c12d0bcfa63fdef49f629bb53 "
        "80000200000062592758568ceeb23c12d0bcfa63fdef52f6297b53 "
        "40000200000061c9b99835a21e09685efdb1fef72dfb949d29 "
        "c0210000000068add056b654744d1501 "
        "20a1000000003c08c85fc954121f000000d05aadad6ca9e89a2a02 "
        "a0a1010000003c08c85fc954121f000000d0bf725be90e5d5345 "
        "60a1030000003c08c85fc954121f000000d0bf8a5be98e6a5d5345 "
        "e0a107000000e85fd1ad7447355d5345 "
        "10a10f00008001a4dba922 "
        "90a11f00008001a4dba922 "
        "50a13f000000e85ff5ad740bdd4e1501 "
        "d0a17f000000e8df6f34368730 "
        "30a1ff000000e8dfedb4399130");
  CHECK(bytes_of(SnapshotCoder::raw) ==
        "00006039f401e803af8e0434affe58bf3e82ff01 "
        "80000200000062b90882e483b18e0434affe58ff4082fe01 "
        "40000200000061191e02e10347029a577fac9f21c1fe00 "
        "c02100000000e8d208760f0a9056e40f "
        "20a1000000003c08c81700140014c802030000003a4c02da0305a41ef703 "
        "a0a1010000003c08c81700140014c80203000000fa6482d68307213da91f "
        "60a1030000003c08c81700140014c802030000007a7e02d3030ac92085991f "
        "e0a107000000e8630a3e0f322403694efc00 "
        "10a10f00008001a455e87d "
        "90a11f00008001a475a97d "
        "50a13f000000e8b90b140f5008ad54eb03 "
        "d0a17f000000e8330c060f5a0803 "
        "30a1ff000000e8b10cf80e640803");
  CHECK(bytes_of(SnapshotCoder::reference) ==
        "00006059e74dd68feead3c12d0bcfa63fdef49f629bb53 "
        "80000200000062592758568ceeb23c12d0bcfa63fdef52f6297b53 "
        "40000200000061c9b99835a21e09685efdb1fef72dfb949d29 "
        "c0210000000068add056b654744d1501 "
        "20a1000000003c08c85fc954121f000000d05aadad6ca9e89a2a02 "
        "a0a1010000003c08c85fc954121f000000d0eeeb0e01 "
        "60a1030000003c08c85fc954121f000000d0eeeb8e6a01 "
        "e0a10700000068f7453501 "
        "10a10f000080012409 "
        "90a11f000080012409 "
        "50a13f00000068f70949 "
        "d0a17f00000068cf210c "
        "30a1ff00000068cf260c");
}

TEST_CASE("A writer that gets the times of changes writes the same bytes", "[net][snapshot]") {
  const SnapshotCoder coder =
      GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman, SnapshotCoder::raw,
               SnapshotCoder::reference);
  CHECK(bytes_of(coder, true) == bytes_of(coder, false));
}

}  // namespace
}  // namespace muster
