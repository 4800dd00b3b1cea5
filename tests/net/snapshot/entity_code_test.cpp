#include "net/snapshot/entity_code.h"

#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/snapshot_samples.h"

namespace muster {
namespace {

using Values = std::vector<LaneValue>;

struct Encoder {
  static constexpr bool kDecodes = false;
  RangeEncoder range;
  const BitProbability* probabilities;
  bool bit(std::uint32_t slot, bool value) {
    range.encode(value, probabilities[slot]);
    return value;
  }
  bool even_bit(bool value) {
    range.encode(value, 1U << 15);
    return value;
  }
};

struct Decoder {
  static constexpr bool kDecodes = true;
  RangeDecoder range;
  const BitProbability* probabilities;
  bool bit(std::uint32_t slot, bool /*value*/) { return range.decode(probabilities[slot]); }
  bool even_bit(bool /*value*/) { return range.decode(1U << 15); }
};

/// Known states of one entity, newest first, with their ticks.
struct History {
  std::vector<Values> states;
  std::vector<std::uint32_t> ticks;
  std::uint32_t now = 0;

  KnownStates known() const {
    KnownStates known;
    known.count = states.size();
    known.now = Tick(now);
    for (std::size_t k = 0; k < states.size(); ++k) {
      known.values[k] = states[k].data();
      known.ticks[k] = Tick(ticks[k]);
    }
    return known;
  }
};

/// Codes a state against a history, and returns true if it decodes to the same state. Without known
/// states, codes it as new. Sets `size` to the number of bytes.
bool survives(const SnapshotModel& model, std::size_t type_index, const History& history,
              const Values& state, std::size_t& size) {
  const TypeModel& type = model.types[type_index];
  EntityScratch scratch;
  const KnownStates known = history.known();
  std::vector<std::byte> memory(state.size() * 256 + 16);
  Encoder encoder{RangeEncoder(memory), model.probabilities.data()};
  EntityCode<Encoder> encode(encoder, type, scratch);
  Values given = state;
  if (!(known.count == 0 ? encode.code_new(given) : encode.code_update(known, given))) return false;
  const std::span<const std::byte> bytes = encoder.range.finish();
  if (encoder.range.overflowed() || given != state) return false;
  size = bytes.size();
  Decoder decoder{RangeDecoder(bytes), model.probabilities.data()};
  EntityCode<Decoder> decode(decoder, type, scratch);
  Values found = known.count == 0 ? Values(state.size()) : history.states[0];
  if (!(known.count == 0 ? decode.code_new(found) : decode.code_update(known, found))) return false;
  return found == state && decoder.range.is_finished();
}

bool survives(const SnapshotModel& model, const History& history, const Values& state) {
  std::size_t size = 0;
  return survives(model, 0, history, state, size);
}

History random_history(Random& random, const EntitySchema& schema) {
  History history;
  const std::size_t count = random.below(kMaxKnownStates + 1);
  const bool is_even = random.below(2) == 0;
  const auto gap = [&] {
    if (is_even) return std::uint64_t{3};
    return 1 + random.below(std::uint64_t{1} << random.below(28));
  };
  auto tick = static_cast<std::uint32_t>(random.below(1U << 30));
  Values state;
  for (const LaneSchema& lane : schema.lanes) state.push_back(random_value(random, lane));
  for (std::size_t k = 0; k < count; ++k) {
    history.states.insert(history.states.begin(), state);
    history.ticks.insert(history.ticks.begin(), tick);
    tick += static_cast<std::uint32_t>(gap());
    for (std::size_t i = 0; i < state.size(); ++i) {
      state[i] = next_value(random, schema.lanes[i], state[i]);
    }
  }
  history.now = tick;
  return history;
}

TEST_CASE("Every state of any entity decodes to the same values", "[net][snapshot][sys-41]") {
  const bool is_disturbed = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    CAPTURE(is_disturbed, seed);
    Random random(seed);
    SnapshotModel model = untrained_model({random_schema(random, 12)});
    if (is_disturbed) disturb(model, random);
    const EntitySchema& schema = model.types[0].schema;
    for (int i = 0; i < 10; ++i) {
      const History history = random_history(random, schema);
      Values state;
      for (std::size_t lane = 0; lane < schema.lanes.size(); ++lane) {
        state.push_back(history.states.empty()
                            ? random_value(random, schema.lanes[lane])
                            : next_value(random, schema.lanes[lane], history.states[0][lane]));
      }
      REQUIRE(survives(model, history, state));
    }
  }
}

TEST_CASE("Angles decode correctly, although the values 0 and `period` are the same direction",
          "[net][snapshot]") {
  const SnapshotModel model = untrained_model(
      {{.name = "turret",
        .lanes = {{.name = "yaw", .kind = LaneKind::angle, .maximum = 360, .period = 360}}}});
  const LaneValue before = GENERATE(0U, 1U, 180U, 359U, 360U);
  const LaneValue now = GENERATE(0U, 1U, 180U, 359U, 360U);
  CAPTURE(before, now);
  CHECK(survives(model, {}, {now}));
  CHECK(survives(model, {.states = {{before}}, .ticks = {5}, .now = 6}, {now}));
  CHECK(survives(model, {.states = {{before}, {355}}, .ticks = {5, 3}, .now = 6}, {now}));
}

TEST_CASE("Event ticks decode correctly, even future ticks and ranges that are not a power of two",
          "[net][snapshot]") {
  const LaneValue maximum = GENERATE(0U, 6U, 99U, 255U, 0x7FFF'FFFFU, 0xFFFF'FFFFU);
  const SnapshotModel model = untrained_model(
      {{.name = "gun", .lanes = {{.name = "fired", .kind = LaneKind::tick, .maximum = maximum}}}});
  for (const std::uint32_t now : {1U, 50U, 100U, 1'000'000U, 0xFFFF'FFF0U}) {
    for (const std::uint32_t before : {0U, 3U, 49U, now - 1, now, now + 7, maximum}) {
      for (const std::uint32_t event : {0U, 5U, 49U, now - 1, now, now + 7, maximum}) {
        CAPTURE(maximum, now, before, event);
        const History history{
            .states = {{std::min(before, maximum)}}, .ticks = {now - 1}, .now = now};
        CHECK(survives(model, history, {std::min(event, maximum)}));
      }
    }
  }
}

TEST_CASE("A rotation decodes correctly for any dropped components", "[net][snapshot]") {
  const LaneValue maximum = GENERATE(1U, 2U, 510U, 511U, 1'000'000U, 0xFFFF'FFFFU);
  std::vector<LaneSchema> lanes = {{.name = "d", .kind = LaneKind::dropped, .maximum = 3}};
  lanes.resize(4, {.name = "r", .kind = LaneKind::rotation, .maximum = maximum});
  const SnapshotModel model = untrained_model({{.name = "crate", .lanes = lanes}});
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(maximum, seed);
    Random random(seed);
    const auto rotation = [&] {
      Values values;
      for (const LaneSchema& lane : lanes) values.push_back(random_value(random, lane));
      return values;
    };
    const History history{
        .states = {rotation(), rotation(), rotation()}, .ticks = {9, 7, 6}, .now = 12};
    CHECK(survives(model, history, rotation()));
  }
}

TEST_CASE("States decode correctly for any distance of ticks and values", "[net][snapshot]") {
  const SnapshotModel model =
      untrained_model({{.name = "far", .lanes = {{.name = "x", .maximum = 0xFFFF'FFFF}}}});
  const std::uint32_t far = GENERATE(1U << 20, 1U << 29, 1U << 30);
  const History history{.states = {{0}, {0xFFFF'FFFF}, {0}},
                        .ticks = {0xFFFF'FFF0, 0xFFFF'FFF0 - far, 0xFFFF'FFF0 - far / 2 * 5},
                        .now = 0xFFFF'FFFF};
  CHECK(survives(model, history, {0xFFFF'FFFF}));
  CHECK(survives(model, history, {0}));
}

TEST_CASE("A straight line costs almost nothing at any spacing of its states", "[net][snapshot]") {
  const SnapshotModel model =
      untrained_model({{.name = "ball", .lanes = {{.name = "x", .maximum = 1'000'000}}}});
  const std::uint32_t gap = GENERATE(1U, 2U, 6U);
  const std::uint32_t ahead = GENERATE(1U, 3U, 12U);
  CAPTURE(gap, ahead);
  History history{.states = {}, .ticks = {}, .now = 1000 + ahead};
  for (std::uint32_t k = 0; k < kMaxKnownStates; ++k) {
    history.ticks.push_back(1000 - k * gap);
    history.states.push_back({5000 + 60 * history.ticks.back()});
  }
  std::size_t size = 99;
  CHECK(survives(model, 0, history, {5000 + 60 * history.now}, size));
  CHECK(size <= 1);  // One decision with even chances.
  CHECK(survives(model, 0, history, {5000 + 60 * history.now + 3000}, size));
  CHECK(size >= 2);
}

}  // namespace
}  // namespace muster
