// Tests that a trained model also works for a world that is not in its training data.
#include "net/tools/training/train_model.h"

#include <algorithm>
#include <deque>

#include <catch2/catch.hpp>

#include "net/snapshot/model_file.h"
#include "net/snapshot/snapshot_reader.h"
#include "net/snapshot/snapshot_writer.h"
#include "net/tools/training/huffman_training.h"
#include "net/tools/training/mix_training.h"
#include "registry/base/seed.h"
#include "tests/net/tools/training/made_trace.h"

namespace muster {
namespace {

constexpr std::string_view kHeader = R"({"name": "pond", "seed": 1, "tick_rate": 60, "ticks": 240,
  "entity_types": [{"id": 0, "name": "duck", "fields": [
    {"name": "speed", "kind": "uint", "bits": 6, "note": ""},
    {"name": "place", "kind": "uint", "bits": 20, "note": ""},
    {"name": "mood", "kind": "enum", "bits": 2, "note": ""}]}]})";
constexpr std::size_t kTicks = 240;
constexpr std::size_t kDucks = 40;
constexpr std::uint32_t kAckTicks = 6;

/// A trace of ducks whose positions follow from their speeds, which change from time to time.
Trace pond(std::uint64_t seed) {
  Random random(seed);
  std::vector<TraceBytes::Entity> ducks;
  for (std::uint32_t i = 0; i < kDucks; ++i) {
    const auto position = static_cast<std::int32_t>(random.below(500'000));
    ducks.push_back({.id = i, .type = 0, .values = {10, 200'000 + position, 1}});
  }
  TraceBytes bytes(kHeader);
  for (std::uint32_t tick = 0; tick < kTicks; ++tick) {
    for (TraceBytes::Entity& duck : ducks) {
      if (random.below(20) == 0) duck.values[0] = static_cast<std::int32_t>(random.below(64));
      duck.values[1] += duck.values[0] - 30;
      if (random.below(100) == 0) duck.values[2] = static_cast<std::int32_t>(random.below(4));
    }
    bytes.tick(tick, ducks);
  }
  Trace trace;
  std::string error;
  REQUIRE(read_trace(bytes.release(), {}, trace, error));
  return trace;
}

SnapshotModel trained(const Trace& trace, SnapshotCoder coder) {
  std::vector<TrainingTrace> training;
  training.push_back({.trace = &trace, .samples = samples_of(trace, {})});
  SnapshotModel model = train_model(training);
  train_huffman(model, training);
  if (coder == SnapshotCoder::mix) train_mix(model, training);
  return model;
}

/// The bytes of all snapshots of a trace; each one is read back and compared.
std::size_t bytes_of(const Trace& trace, const SnapshotModel& model, SnapshotCoder coder) {
  SnapshotWriter writer(model, {.coder = coder});
  SnapshotReader reader(model, ReaderLimits{.entity_max = kDucks}, {.coder = coder});
  std::deque<std::pair<std::uint32_t, SnapshotNumber>> acks;
  NetBytes buffer(10'000);
  std::vector<EntityState> world;
  std::size_t bytes = 0;
  CAPTURE(coder);
  for (std::uint32_t tick = 0; tick < trace.ticks.size(); ++tick) {
    for (; !acks.empty() && acks.front().first <= tick; acks.pop_front()) {
      writer.acknowledge(acks.front().second);
    }
    world.clear();
    for (const TraceEntity& entity : trace.ticks[tick]) {
      world.push_back({.id = entity.id, .kind = {}, .is_deferred = false, .values = entity.values});
    }
    CAPTURE(tick);
    writer.begin(Tick(tick), world);
    const std::span<const std::byte> datagram = writer.write(buffer);
    REQUIRE(writer.is_done());
    bytes += datagram.size();
    REQUIRE(reader.read(datagram) == SnapshotVerdict::applied);
    REQUIRE(reader.entities().size() == kDucks);
    for (std::size_t i = 0; i < kDucks; ++i) {
      REQUIRE(std::equal(world[i].values, world[i].values + 3, reader.entities()[i].values));
    }
    acks.emplace_back(tick + kAckTicks, writer.last_number());
  }
  return bytes;
}

TEST_CASE("A model that was trained on one world works for another world") {
  const Trace seen = pond(1);
  const Trace unseen = pond(2);
  const SnapshotModel untrained = untrained_model(unseen.types);
  for (const SnapshotCoder coder : {SnapshotCoder::range, SnapshotCoder::huffman}) {
    const SnapshotModel model = trained(seen, coder);
    const std::size_t with = bytes_of(unseen, model, coder);
    const std::size_t without = bytes_of(unseen, untrained, coder);
    INFO(static_cast<int>(coder) << ": " << with << " of " << without);
    CHECK(with * 10 < without * 9);
  }
  const SnapshotModel model = trained(seen, SnapshotCoder::mix);
  CHECK(bytes_of(unseen, model, SnapshotCoder::mix) <
        bytes_of(unseen, model, SnapshotCoder::range));
}

TEST_CASE("Training twice gives the same model, byte for byte") {
  const Trace trace = pond(1);
  const auto bytes = [&] { return encode_model(trained(trace, SnapshotCoder::mix)); };
  const std::vector<std::byte> first = bytes();
  CHECK(first == bytes());
  SnapshotModel model;
  std::string error;
  REQUIRE(decode_model(first, model, error));
  CHECK(encode_model(model) == first);
}

TEST_CASE("A trained model has at most the maximum size for its coder") {
  const Trace trace = pond(1);
  CHECK(encode_model(trained(trace, SnapshotCoder::range)).size() <= 64U * 1024U);
  CHECK(encode_model(trained(trace, SnapshotCoder::mix)).size() <= 1024U * 1024U);
}

TEST_CASE("A model contains the initial values of new entities") {
  const Trace trace = pond(1);
  const SnapshotModel model = trained(trace, SnapshotCoder::range);
  CHECK(model.types[0].lanes[2].initial_value == 1);
  const std::vector<std::uint16_t>& order = model.types[0].order;
  CHECK(std::ranges::find(order, 0) < std::ranges::find(order, 1));  // its cause is coded first
}

TEST_CASE("Samples contain only acknowledged states") {
  const Trace trace = pond(3);
  for (const StateSample& sample : samples_of(trace, {.ack_ticks = 9, .loss = 0.1})) {
    if (sample.known.count > 0) CHECK(sample.known.now >= sample.known.ticks[0] + 9);
  }
}

}  // namespace
}  // namespace muster
