// A model trained on one schema is used for the equal lanes of another schema.
#include "net/snapshot/adopted_model.h"

#include <catch2/catch.hpp>

#include "net/snapshot/slots.h"
#include "tests/support/snapshot_samples.h"

namespace muster {
namespace {

EntitySchema duck() {
  return {.name = "duck",
          .lanes = {{.name = "mood", .kind = LaneKind::symbol, .maximum = 5},
                    {.name = "position", .maximum = 1000},
                    {.name = "speed", .maximum = 60},
                    {.name = "turn", .kind = LaneKind::dropped, .maximum = 3},
                    {.name = "turn.a", .kind = LaneKind::rotation, .maximum = 99},
                    {.name = "turn.b", .kind = LaneKind::rotation, .maximum = 99},
                    {.name = "turn.c", .kind = LaneKind::rotation, .maximum = 99}}};
}

/// A model in which the lane "speed" is first and predicts "position", and "position" predicts
/// "mood".
SnapshotModel trained() {
  SnapshotModel model = untrained_model({duck()});
  TypeModel& type = model.types[0];
  type.order = {2, 1, 0, 3, 4, 5, 6};
  LaneModel& position_lane = type.lanes[1];
  position_lane.partner_count = 1;
  position_lane.partners[0] = {.kind = PartnerKind::difference, .lane = 2, .angle = 0};
  for (FeatureWeights& row : position_lane.weights) row[kOwnFeatures] = 77;
  type.lanes[0].change_partner_count = 2;
  type.lanes[0].change_partners = {2, 1};
  position_lane.initial_value = 500;
  for (std::size_t i = slots::kPerSnapshot; i < model.probabilities.size(); ++i) {
    model.probabilities[i] = static_cast<BitProbability>(1 + i % 65'000);
  }
  HuffmanLengths codes = kDefaultLengths;
  std::swap(codes.front(), codes.back());
  // The context of the second lane comes after two masks and the first lane.
  REQUIRE(model.huffman.set(2 + 1, codes));
  REQUIRE(find_fault(model) == nullptr);
  return model;
}

SnapshotModel adopted(const EntitySchema& schema) {
  SnapshotModel model = untrained_model({schema});
  const std::vector<std::string> sources = {"duck"};
  adopt(trained(), sources, model);
  CHECK(find_fault(model) == nullptr);
  return model;
}

TEST_CASE("A model for the same lanes copies the trained data", "[net][snapshot]") {
  const SnapshotModel source = trained();
  EntitySchema schema = duck();
  schema.name = "duck/owner";
  schema.lanes[1].receivers = Receivers::owner;
  const SnapshotModel model = adopted(schema);
  CHECK(model.types[0].order == source.types[0].order);
  CHECK(std::ranges::equal(model.probabilities, source.probabilities));
  CHECK(model.types[0].lanes[1].weights == source.types[0].lanes[1].weights);
  CHECK(model.types[0].lanes[1].initial_value == 500);
  CHECK(model.types[0].lanes[0].change_partner_count == 2);
  CHECK(model.huffman.lengths(3) == source.huffman.lengths(3));
}

TEST_CASE("A lane that the new schema lacks is removed from the partners of other lanes",
          "[net][snapshot]") {
  EntitySchema schema = duck();
  schema.lanes.erase(schema.lanes.begin() + 2);
  const SnapshotModel model = adopted(schema);
  const TypeModel& type = model.types[0];
  CHECK(type.order == std::vector<std::uint16_t>{1, 0, 2, 3, 4, 5});
  CHECK(type.lanes[1].partner_count == 0);
  CHECK(type.lanes[1].weights[0][kOwnFeatures] == 0);
  CHECK(type.lanes[0].change_partner_count == 1);
  CHECK(type.lanes[0].change_partners[0] == 1);
  const SnapshotModel source = trained();
  CHECK(std::equal(model.probabilities.begin() + type.lanes[1].first_slot,
                   model.probabilities.begin() + type.lanes[1].first_slot + slots::kPerNumber,
                   source.probabilities.begin() + source.types[0].lanes[1].first_slot));
}

TEST_CASE("Lanes with another range stay untrained, and so do all lanes of their rotation",
          "[net][snapshot]") {
  EntitySchema schema = duck();
  schema.lanes[1].maximum = 2000;
  schema.lanes[5].maximum = 50;
  schema.lanes.push_back({.name = "new", .maximum = 4});
  const SnapshotModel model = adopted(schema);
  const SnapshotModel untrained = untrained_model({schema});
  const TypeModel& type = model.types[0];
  CHECK(type.order == std::vector<std::uint16_t>{2, 0, 1, 7, 3, 4, 5, 6});
  CHECK(type.lanes[1].initial_value == 0);
  for (const std::size_t lane : {1U, 3U, 4U, 5U, 6U, 7U}) {
    CAPTURE(lane);
    const std::uint32_t first = type.lanes[lane].first_slot;
    const std::uint32_t count = slot_count(type.schema.lanes[lane]);
    CHECK(std::equal(model.probabilities.begin() + first,
                     model.probabilities.begin() + first + count,
                     untrained.probabilities.begin() + first));
    CHECK(type.lanes[lane].weights == untrained.types[0].lanes[lane].weights);
  }
}

TEST_CASE("Types that the trained model lacks stay untrained", "[net][snapshot]") {
  SnapshotModel model = untrained_model({duck()});
  const SnapshotModel untrained = model;
  const std::vector<std::string> sources = {"goose"};
  adopt(trained(), sources, model);
  CHECK(model.probabilities == untrained.probabilities);
  CHECK(model.types[0].order == untrained.types[0].order);
}

TEST_CASE("An adopted model is always valid", "[net][snapshot]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    EntitySchema learnt = random_schema(random, 12);
    for (std::size_t i = 0; i < learnt.lanes.size(); ++i) learnt.lanes[i].name = std::to_string(i);
    SnapshotModel source = untrained_model({learnt});
    TypeModel& type = source.types[0];
    for (std::size_t i = 1; i < type.order.size(); ++i) {
      LaneModel& lane = type.lanes[type.order[i]];
      lane.change_partner_count = static_cast<std::uint8_t>(random.below(kMaxChangePartners + 1));
      for (std::uint16_t& partner : lane.change_partners) partner = type.order[random.below(i)];
    }
    REQUIRE(find_fault(source) == nullptr);
    EntitySchema now = learnt;
    for (int changes = 0; changes < 3; ++changes) {
      const std::size_t lane = random.below(now.lanes.size());
      const LaneKind kind = now.lanes[lane].kind;
      if (kind == LaneKind::dropped || kind == LaneKind::rotation) continue;
      if (random.below(2) == 0 && now.lanes.size() > 1) {
        now.lanes.erase(now.lanes.begin() + static_cast<std::ptrdiff_t>(lane));
      } else {
        std::swap(now.lanes[lane].name, now.lanes[0].name);
      }
    }
    SnapshotModel model = untrained_model({now});
    const std::vector<std::string> sources = {learnt.name};
    adopt(source, sources, model);
    CHECK(find_fault(model) == nullptr);
  }
}

}  // namespace
}  // namespace muster
