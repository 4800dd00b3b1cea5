#include "net/snapshot/model_file.h"

#include <catch2/catch.hpp>

#include "net/snapshot/probability_scale.h"
#include "net/snapshot/slots.h"
#include "tests/support/damage.h"
#include "tests/support/snapshot_samples.h"

namespace muster {
namespace {

/// A model with every possible part. Its probabilities are steps, as in model files.
SnapshotModel sample_model(Random& random) {
  SnapshotModel model = untrained_model({random_schema(random, 4), random_schema(random, 3)});
  for (TypeModel& type : model.types) {
    for (LaneModel& lane : type.lanes) {
      lane.size_weights[3] = static_cast<std::int16_t>(random.below(2000));
      lane.initial_value = lane.maximum / 2;
    }
  }
  for (BitProbability& probability : std::span(model.probabilities).subspan(slots::kPerSnapshot)) {
    probability = kProbabilityOfStep[120 + random.below(16)];
  }
  disturb_huffman(model, random);
  return model;
}

bool is_same(const SnapshotModel& a, const SnapshotModel& b) {
  return a.probabilities == b.probabilities && a.mix == b.mix &&
         encode_huffman(a.huffman) == encode_huffman(b.huffman) &&
         encode_model(a) == encode_model(b);
}

TEST_CASE("A model is unchanged after a round trip through its file, for all coders",
          "[net][snapshot]") {
  const bool has_mix = GENERATE(false, true);
  Random random(8);
  SnapshotModel model = sample_model(random);
  if (has_mix) {
    model.mix.resize(kMixContexts * kMixTableSize);
    for (std::size_t i = 0; i < model.mix.size(); i += 1 + random.below(5000)) {
      model.mix[i] = static_cast<std::int8_t>(static_cast<int>(random.below(255)) - 127);
    }
  }
  const std::vector<std::byte> bytes = encode_model(model);
  SnapshotModel read;
  std::string error;
  REQUIRE(decode_model(bytes, read, error));
  CHECK(is_same(model, read));
  CHECK(hash_model(bytes) == hash_model(encode_model(read)));
}

TEST_CASE("A damaged model file is refused, or decodes to another valid model", "[net][snapshot]") {
  Random random(9);
  SnapshotModel model = untrained_model({{.name = "a", .lanes = {{.name = "x", .maximum = 9}}}});
  disturb_huffman(model, random);
  const std::vector<std::byte> bytes = encode_model(model);
  std::size_t refused = 0;
  const auto offer = [&](const ByteVector& damaged) {
    SnapshotModel read;
    std::string error;
    if (decode_model(damaged, read, error)) {
      REQUIRE(find_fault(read) == nullptr);
    } else {
      REQUIRE_FALSE(error.empty());
      REQUIRE(read.types.empty());
      ++refused;
    }
  };
  damage::each_truncation(bytes, offer);
  CHECK(refused == bytes.size());
  damage::each_flip(bytes, [&](std::size_t, ByteVector& flipped) { offer(flipped); });
}

}  // namespace
}  // namespace muster
