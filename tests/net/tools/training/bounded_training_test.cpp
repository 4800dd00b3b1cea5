// A model's file stays within its limit, and lanes with the smallest gain are left out.
#include "net/tools/training/bounded_training.h"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "net/snapshot/model_file.h"
#include "net/tools/training/huffman_training.h"
#include "net/tools/training/mix_training.h"
#include "registry/base/seed.h"
#include "tests/net/tools/training/made_trace.h"

namespace muster {
namespace {

constexpr std::size_t kTicks = 120;
constexpr std::size_t kNoisyFields = 24;

std::string header() {
  std::string text = R"({"name": "storm", "tick_rate": 60, "ticks": )" + std::to_string(kTicks) +
                     R"(, "entity_types": [{"name": "leaf", "fields": [
    {"name": "speed", "kind": "uint", "bits": 6}, {"name": "place", "kind": "uint", "bits": 20})";
  for (std::size_t i = 0; i < kNoisyFields; ++i) {
    text += R"(, {"name": "noise)" + std::to_string(i) + R"(", "kind": "uint", "bits": 9})";
  }
  return text + "]}]}";
}

/// A trace of leaves whose positions follow from their speeds, with many random fields.
Trace storm() {
  Random random(1);
  std::vector<TraceBytes::Entity> leaves;
  for (std::uint32_t i = 0; i < 20; ++i) {
    leaves.push_back({.id = i, .type = 0, .values = {10, 200'000}});
    leaves.back().values.resize(2 + kNoisyFields);
  }
  TraceBytes bytes(header());
  for (std::uint32_t tick = 0; tick < kTicks; ++tick) {
    for (TraceBytes::Entity& leaf : leaves) {
      if (random.below(20) == 0) leaf.values[0] = static_cast<std::int32_t>(random.below(64));
      leaf.values[1] += leaf.values[0] - 30;
      for (std::size_t i = 2; i < leaf.values.size(); ++i) {
        leaf.values[i] = static_cast<std::int32_t>(random.below(512));
      }
    }
    bytes.tick(tick, leaves);
  }
  Trace trace;
  std::string error;
  REQUIRE(read_trace(bytes.release(), {}, trace, error));
  return trace;
}

std::vector<TrainingTrace> training_of(const Trace& trace) {
  std::vector<TrainingTrace> training;
  training.push_back({.trace = &trace, .samples = samples_of(trace, {})});
  return training;
}

TEST_CASE("A model that fits equals the model that was trained without a limit") {
  const Trace trace = storm();
  const std::vector<TrainingTrace> training = training_of(trace);
  SnapshotModel model = train_model(training);
  train_huffman(model, training);
  const std::vector<std::byte> file = encode_model(model);
  const auto bounded = train_bounded(training, false, file.size());
  REQUIRE(bounded);
  CHECK(bounded->file == file);
  CHECK(bounded->lanes_left_out == 0);
  CHECK(bounded->lane_count == 2 + kNoisyFields);
  train_mix(model, training);
  const auto for_mix = train_bounded(training, true, kMixModelBytesMax);
  REQUIRE(for_mix);
  CHECK(for_mix->file == encode_model(model));
}

TEST_CASE("Lanes with the smallest gain are left out of a model that is too large") {
  const Trace trace = storm();
  const std::vector<TrainingTrace> training = training_of(trace);
  const auto whole = train_bounded(training, false, kRangeModelBytesMax);
  REQUIRE(whole);
  const std::size_t bytes_max = whole->file.size() * 2 / 3;
  const auto bounded = train_bounded(training, false, bytes_max);
  REQUIRE(bounded);
  CHECK(bounded->file.size() <= bytes_max);
  CHECK(bounded->lanes_left_out > 0);
  CHECK(bounded->lanes_left_out < kNoisyFields + 1);
  // The lane that predicts motion is still trained.
  const LaneModel& position_lane = bounded->model.types[0].lanes[1];
  CHECK(position_lane.weights == whole->model.types[0].lanes[1].weights);
  CHECK(position_lane.partner_count > 0);
  const auto& lanes = bounded->model.types[0].lanes;
  const auto forgotten = std::count_if(lanes.begin(), lanes.end(), [](const LaneModel& lane) {
    return lane.weights == LaneModel().weights && lane.size_weights == SizeWeights{};
  });
  CHECK(static_cast<std::size_t>(forgotten) >= bounded->lanes_left_out);
  SnapshotModel read;
  std::string error;
  REQUIRE(decode_model(bounded->file, read, error));
  const auto again = train_bounded(training, false, bytes_max);
  REQUIRE(again);
  CHECK(again->file == bounded->file);
}

TEST_CASE("No model is returned if it cannot be small enough") {
  const Trace trace = storm();
  CHECK_FALSE(train_bounded(training_of(trace), false, 50));
}

}  // namespace
}  // namespace muster
