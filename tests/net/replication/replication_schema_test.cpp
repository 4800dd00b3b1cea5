#include <algorithm>

#include <catch2/catch.hpp>

#include "net/replication/type_views.h"
#include "tests/support/replication_stage.h"

namespace muster {

TEST_CASE("A decoded schema equals the encoded schema", "[net][replication][sys-39]") {
  ReplicationSchema schema = replication_samples_schema();
  schema.types[1].initial_values = {-1, 2, 100'000, 359, 3, 0, 1023, 500};
  const std::vector<std::byte> bytes = encode_schema(schema);
  const std::optional<ReplicationSchema> back = decode_schema(bytes);
  REQUIRE(back.has_value());
  CHECK(*back == schema);
  CHECK(encode_schema(*back) == bytes);
}

TEST_CASE("A truncated or damaged schema is refused, or decodes to another valid schema",
          "[net][replication]") {
  const std::vector<std::byte> bytes = encode_schema(replication_samples_schema());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(decode_schema(std::span(bytes).first(size)).has_value());
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> damaged = bytes;
      damaged[at] ^= static_cast<std::byte>(1U << bit);
      const auto schema = decode_schema(damaged);
      if (!schema) continue;
      CAPTURE(at, bit);
      REQUIRE(find_fault(*schema) == nullptr);
      const TypeViews views(*schema);
      REQUIRE(find_fault(views.model(SnapshotModel{})) == nullptr);
    }
  }
}

TEST_CASE("Every kind of schema fault is detected", "[net][replication]") {
  const auto fault_of = [](const auto& spoil) {
    ReplicationSchema schema = replication_samples_schema();
    spoil(schema);
    return find_fault(schema) != nullptr;
  };
  const auto field = [](ReplicationSchema& schema) -> FieldSchema& {
    return schema.components[0].fields[0];
  };
  CHECK_FALSE(fault_of([](ReplicationSchema&) {}));
  CHECK(fault_of([&](auto& schema) { field(schema).name.clear(); }));
  CHECK(fault_of([&](auto& schema) { field(schema).low = field(schema).high + 1; }));
  CHECK(fault_of([&](auto& schema) { field(schema).value_count = 0; }));
  CHECK(fault_of([&](auto& schema) { field(schema).kind = LaneKind::dropped; }));
  CHECK(fault_of([&](auto& schema) { field(schema).kind = LaneKind::angle; }));
  CHECK(fault_of([&](auto& schema) { field(schema).kind = LaneKind::rotation; }));
  CHECK(fault_of([&](auto& schema) { field(schema).resolution = -1; }));
  CHECK(fault_of([](auto& schema) { schema.components[1].name = schema.components[0].name; }));
  CHECK(fault_of([](auto& schema) { schema.types[1].id = schema.types[0].id; }));
  CHECK(fault_of([](auto& schema) { schema.types[0].components.push_back(SchemaComponent{9}); }));
  CHECK(fault_of([](auto& schema) { schema.types[0].components.assign(200, SchemaComponent{0}); }));
  CHECK(fault_of([](auto& schema) { schema.types.clear(); }));
  // Each type is small enough, but a model of all types together would use gigabytes.
  CHECK(fault_of([](auto& schema) {
    for (std::uint32_t id = 1'000; id < 2'500; ++id) {
      schema.types.push_back({.id = TypeId(id), .components = {SchemaComponent{0}}});
    }
  }));
  using InitialValues = std::vector<std::int64_t>;
  const auto has_fault = [&](const InitialValues& values) {
    return fault_of([&](auto& schema) { schema.types[1].initial_values = values; });
  };
  CHECK_FALSE(has_fault({0, 0, 0, 0, 3, 0, 0, 0}));
  CHECK(has_fault({0, 0, 0, 0, 3, 0, 0}));
  CHECK(has_fault({0, 0, 0, 0, 3, 0, 0, 0, 0}));
  CHECK(has_fault({0, 0, 100'001, 0, 3, 0, 0, 0}));
  CHECK(has_fault({0, 0, 0, 0, 4, 0, 0, 0}));
}

TEST_CASE("The built-in priors expect a type's initial values in a new entity",
          "[net][replication]") {
  ReplicationSchema schema = replication_samples_schema();
  schema.types[1].initial_values = {-1, 2, 100'000, 359, 3, 0, 1023, 500};
  const TypeViews views(schema);
  const SnapshotModel model = views.model(SnapshotModel{});
  const std::vector<LaneModel>& lanes =
      model.types[codec_index(views.codec_type(SchemaType{1}, SeenBy::others))].lanes;
  CHECK(lanes[0].initial_value == 99'999);
  CHECK(lanes[3].initial_value == 359);
  CHECK(lanes[4].initial_value == 3);
  CHECK(lanes[7].initial_value == 500);
  CHECK(model.types[codec_index(views.codec_type(SchemaType{0}, SeenBy::others))]
            .lanes[0]
            .initial_value == 0);
}

TEST_CASE("Values of any width convert to lanes and back", "[net][replication]") {
  ReplicationStage stage(1);
  const ReplicationSchema schema = replication_samples_schema();
  const TypeViews views(schema);
  for (std::uint16_t i = 0; i < views.count(); ++i) {
    const TypeView& view = views.view(static_cast<CodecType>(i));
    for (int round = 0; round < 100; ++round) {
      const std::vector<std::int64_t> values = stage.random_values(view.type);
      std::vector<LaneValue> lanes(view.parts.size());
      view.to_lanes(values, lanes);
      for (std::size_t k = 0; k < lanes.size(); ++k) {
        REQUIRE(lanes[k] <= views.schemas()[i].lanes[k].maximum);
      }
      std::vector<std::int64_t> back(values.size(), -12345);
      view.from_lanes(lanes, back);
      for (const TypeView::Part& part : view.parts) {
        REQUIRE(back[part.value] == values[part.value]);
      }
    }
  }
  // The owner receives ammo, and other clients receive sway. So each view lacks one value.
  const auto travels = [&](SeenBy seen_by, std::uint32_t value) {
    const auto& parts = views.view(views.codec_type(SchemaType{0}, seen_by)).parts;
    return std::ranges::any_of(parts, [&](const auto& part) { return part.value == value; });
  };
  CHECK(travels(SeenBy::owner, 10));
  CHECK_FALSE(travels(SeenBy::owner, 11));
  CHECK_FALSE(travels(SeenBy::others, 10));
  CHECK(travels(SeenBy::others, 11));
  CHECK(views.codec_type(SchemaType{1}, SeenBy::owner) ==
        views.codec_type(SchemaType{1}, SeenBy::others));
}

TEST_CASE("A trained model is used for known types, and the built-in priors for other types",
          "[net][replication]") {
  const ReplicationSchema schema = replication_samples_schema();
  const TypeViews views(schema);
  SnapshotModel trained = untrained_model({views.schemas()[2], views.schemas()[0]});
  trained.types[0].lanes[0].initial_value = 77;
  // The range differs, as in another version of the game.
  trained.types[1].schema.lanes[0].maximum += 1;
  trained.types[1].lanes[0].initial_value = 44;
  trained.types[1].lanes[1].initial_value = 55;
  const std::uint32_t slot = trained.types[0].lanes[1].first_slot;
  trained.probabilities[slot] = BitProbability{1234};
  const SnapshotModel model = views.model(trained);
  CHECK(model.types[2].lanes[0].initial_value == 77);
  CHECK(model.probabilities[model.types[2].lanes[1].first_slot] == BitProbability{1234});
  CHECK(model.types[0].lanes[0].initial_value == 0);
  CHECK(model.types[0].lanes[1].initial_value == 55);
  CHECK(model.types[0].schema == views.schemas()[0]);
}

TEST_CASE(
    "A model that was trained on a recording is used for the views of owners and of other clients",
    "[net][replication]") {
  const ReplicationSchema schema = replication_samples_schema();
  ReplicationSchema recorded = schema;
  for (ComponentSchema& component : recorded.components) {
    for (FieldSchema& field : component.fields) field.receivers = Receivers::everyone;
  }
  SnapshotModel trained = untrained_model(TypeViews(recorded).schemas());
  for (LaneModel& lane : trained.types[0].lanes) lane.initial_value = 1;
  const TypeViews views(schema);
  const SnapshotModel model = views.model(trained);
  for (const SeenBy seen_by : {SeenBy::owner, SeenBy::others}) {
    for (const LaneModel& lane :
         model.types[codec_index(views.codec_type(SchemaType{0}, seen_by))].lanes) {
      CHECK(lane.initial_value == 1);
    }
  }
}

}  // namespace muster
