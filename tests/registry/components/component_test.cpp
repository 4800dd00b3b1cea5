#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "registry/components/describe.h"
#include "registry/components/quantisation.h"

using namespace muster;

namespace {

enum class Mood : std::uint8_t { calm, angry };

// Has padding after `flag`.
struct Sample {
  bool flag = true;
  double wide = 2.5;
  std::array<Vec3, 2> points{};
  FixedText<12> name{};
  Mood mood = Mood::angry;
  EntityReference owner{};
  AssetReference model{};
};

ComponentDescription describe_sample() {
  // The fields are not in the order of the struct.
  return Describe<Sample>("Sample")
      .field<&Sample::wide>("wide", {.unit = "m", .minimum = -1, .maximum = 4, .resolution = 0.5})
      .field<&Sample::flag>("flag")
      .field<&Sample::points>("points", {.interpolation = Interpolation::linear})
      .field<&Sample::name>("name", {.receivers = Receivers::owner})
      .field<&Sample::mood>("mood", {.rollback = RollbackClass::confirmed_only})
      .field<&Sample::owner>("owner")
      .field<&Sample::model>("model")
      .description();
}

}  // namespace

TEST_CASE("A description has the position and the type of each field", "[registry][component]") {
  const ComponentDescription sample = describe_sample();
  CHECK(sample.size_bytes == sizeof(Sample));
  CHECK(sample.alignment_bytes == alignof(Sample));
  REQUIRE(sample.fields.size() == 7);
  CHECK(sample.fields[0].name == "flag");
  const FieldDescription* points = sample.find("points");
  REQUIRE(points != nullptr);
  CHECK(points->type == FieldType::vec3);
  CHECK(points->count == 2);
  CHECK(points->element_bytes == 12);
  CHECK(points->offset_bytes == offsetof(Sample, points));
  CHECK(sample.find("name")->type == FieldType::text);
  CHECK(sample.find("name")->element_bytes == 12);
  CHECK(sample.find("mood")->type == FieldType::uint8);
  CHECK(sample.find("wide")->unit == "m");
  CHECK(sample.find("nothing") == nullptr);
  CHECK(check(sample).has_value());
}

TEST_CASE("A description's default is the struct's default with zeroed padding",
          "[registry][component]") {
  const ComponentDescription sample = describe_sample();
  REQUIRE(sample.default_value.size() == sizeof(Sample));
  CHECK(sample.default_value[0] == std::byte{1});
  for (std::size_t i = 1; i < offsetof(Sample, wide); ++i) {
    CHECK(sample.default_value[i] == std::byte{0});
  }
  Sample value;
  std::memcpy(&value, sample.default_value.data(), sizeof value);
  CHECK(value.wide == 2.5);
  CHECK(value.mood == Mood::angry);
  CHECK(value.owner.network_id == -1);
  CHECK(describe_sample().default_value == sample.default_value);
}

TEST_CASE("Every difference of a description changes its hash", "[registry][component]") {
  const ComponentDescription sample = describe_sample();
  CHECK(describe_sample().hash() == sample.hash());
  const auto differs = [&](auto change) {
    ComponentDescription other = sample;
    change(other);
    return other.hash() != sample.hash();
  };
  using D = ComponentDescription;
  CHECK(differs([](D& d) { d.name += "x"; }));
  CHECK(differs([](D& d) { d.size_bytes += 8; }));
  CHECK(differs([](D& d) { d.fields[0].name += "x"; }));
  CHECK(differs([](D& d) { d.fields[0].type = FieldType::int8; }));
  CHECK(differs([](D& d) { d.fields[1].offset_bytes += 1; }));
  CHECK(differs([](D& d) { d.fields[1].resolution = 0.25; }));
  CHECK(differs([](D& d) { d.fields[1].unit = "km"; }));
  CHECK(differs([](D& d) { d.fields[1].receivers = Receivers::all_but_owner; }));
  CHECK(differs([](D& d) { d.fields[1].interpolation = Interpolation::linear; }));
  CHECK(differs([](D& d) { d.fields[1].rollback = RollbackClass::confirmed_only; }));
  CHECK(differs([](D& d) { d.fields.pop_back(); }));
}

TEST_CASE("A description is unchanged after a round trip through JSON", "[registry][component]") {
  const ComponentDescription sample = describe_sample();
  ComponentDescription other = sample;
  other.name = "Another";
  const std::string text = components_to_json(std::vector{sample, other});
  CHECK(text == components_to_json(std::vector{other, sample}));
  const auto back = components_from_json(text);
  REQUIRE(back.has_value());
  REQUIRE(back.value().size() == 2);
  CHECK(back.value()[0].name == "Another");
  CHECK(back.value()[1].hash() == sample.hash());
  CHECK(back.value()[1].default_value == sample.default_value);
  CHECK(back.value()[1].find("mood")->rollback == RollbackClass::confirmed_only);
  CHECK(components_to_json(back.value()) == text);
}

TEST_CASE("A description from a file is validated", "[registry][component]") {
  struct Row {
    const char* reason;
    void (*damage)(ComponentDescription&);
  };
  using D = ComponentDescription;
  const auto row = GENERATE(
      Row{"no name", [](D& d) { d.name.clear(); }},
      Row{"too large", [](D& d) { d.size_bytes = 1U << 20U; }},
      Row{"default value of another size", [](D& d) { d.default_value.pop_back(); }},
      Row{"field outside the component", [](D& d) { d.fields.back().offset_bytes = d.size_bytes; }},
      Row{"field that wraps round", [](D& d) { d.fields.back().count = 0xFFFFFFFF; }},
      Row{"overlap", [](D& d) { d.fields[1].offset_bytes = 0; }},
      Row{"no elements", [](D& d) { d.fields[0].count = 0; }},
      Row{"wrong element size", [](D& d) { d.fields[0].element_bytes = 2; }},
      Row{"unknown type", [](D& d) { d.fields[0].type = static_cast<FieldType>(99); }},
      Row{"too many fields", [](D& d) { d.fields.resize(2000, d.fields[0]); }},
      Row{"no size",
          [](D& d) {
            d.size_bytes = 0;
            d.default_value.clear();
            d.fields.clear();
          }},
      Row{"without alignment", [](D& d) { d.alignment_bytes = 0; }},
      Row{"alignment of 3", [](D& d) { d.alignment_bytes = 3; }},
      Row{"alignment above the maximum", [](D& d) { d.alignment_bytes = 32; }},
      Row{"size between two alignments",
          [](D& d) {
            d.size_bytes += 4;
            d.default_value.resize(d.size_bytes);
          }},
      Row{"field without name", [](D& d) { d.fields[0].name.clear(); }},
      Row{"two fields of one name", [](D& d) { d.fields[2].name = d.fields[0].name; }},
      Row{"unknown receivers", [](D& d) { d.fields[0].receivers = static_cast<Receivers>(9); }},
      Row{"unknown rollback class",
          [](D& d) { d.fields[0].rollback = static_cast<RollbackClass>(9); }});
  CAPTURE(row.reason);
  ComponentDescription sample = describe_sample();
  row.damage(sample);
  const auto checked = check(sample);
  REQUIRE_FALSE(checked.has_value());
  CHECK(checked.error().code == ErrorCode::malformed);
}

TEST_CASE("Numbers of a description from a file follow the same rules as in code",
          "[registry][component]") {
  struct Row {
    const char* reason;
    FieldType type;
    void (*damage)(FieldDescription&);
  };
  using F = FieldDescription;
  using enum FieldType;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto row = GENERATE_COPY(
      Row{"infinite range", float64, [](F& f) { f.maximum = kInfinity; }},
      Row{"tolerance that is not a number", float32, [](F& f) { f.tolerance = std::nan(""); }},
      Row{"maximum below minimum", float32, [](F& f) { f.minimum = 1; }},
      Row{"range of a bool", boolean, [](F& f) { f.maximum = 1; }},
      Row{"range of a text", text, [](F& f) { f.maximum = 1; }},
      Row{"resolution of a reference", entity, [](F& f) { f.resolution = 1; }},
      Row{"negative resolution", float32, [](F& f) { f.resolution = -1; }},
      Row{"negative tolerance", float32, [](F& f) { f.tolerance = -1; }},
      Row{"interpolated text", text, [](F& f) { f.interpolation = Interpolation::linear; }},
      Row{"unknown interpolation", float32,
          [](F& f) { f.interpolation = static_cast<Interpolation>(9); }},
      Row{"interpolated enumeration", uint8,
          [](F& f) {
            f.names = {"a", "b"};
            f.interpolation = Interpolation::linear;
          }},
      Row{"angle in metres", float32,
          [](F& f) {
            f.unit = "m";
            f.interpolation = Interpolation::angle;
          }},
      Row{"names of a float", float32, [](F& f) { f.names = {"a"}; }},
      Row{"half steps of an integer", int16, [](F& f) { f.resolution = 0.5; }},
      Row{"half a range of an integer", uint8, [](F& f) { f.maximum = 3.7; }},
      Row{"range too large for a byte", uint8, [](F& f) { f.maximum = 256; }},
      Row{"range below zero", uint32, [](F& f) { f.minimum = -1; }},
      Row{"range too large for a float", float32, [](F& f) { f.maximum = 1e300; }},
      Row{"resolution wider than the range", float64,
          [](F& f) {
            f.maximum = 1;
            f.resolution = 5;
          }},
      Row{"more steps than integers", float64,
          [](F& f) {
            f.minimum = -1e300;
            f.maximum = 1e300;
            f.resolution = 1e-300;
          }},
      Row{"steps finer than a float", float32, [](F& f) {
            f.maximum = 1e6;
            f.resolution = 0.001;
          }});
  CAPTURE(row.reason);
  F field;
  field.name = "f";
  field.type = row.type;
  field.element_bytes = row.type == text ? 8 : size_of(row.type);
  ComponentDescription component{.name = "C",
                                 .size_bytes = 8,
                                 .alignment_bytes = 8,
                                 .fields = {field},
                                 .default_value = ByteVector(8)};
  CHECK(check(component).has_value());
  row.damage(component.fields[0]);
  const auto checked = check(component);
  REQUIRE_FALSE(checked.has_value());
  CHECK(checked.error().code == ErrorCode::malformed);
  CHECK(checked.error().message.find("field 'f' ") != std::string::npos);
}

TEST_CASE("Enumerators of a description from a file have unique names and values",
          "[registry][component]") {
  using Names = std::vector<std::string>;
  Names many;
  for (int i = 0; i < 257; ++i) many.push_back(std::to_string(i));
  const auto [names, is_good] = GENERATE_COPY(table<Names, bool>({{{"a", "b"}, true},
                                                                  {{"a", "a"}, false},
                                                                  {{"a", ""}, false},
                                                                  {{"a\nb"}, false},
                                                                  {many, false}}));
  CAPTURE(names.size(), names[0]);
  FieldDescription field;
  field.name = "f";
  field.type = FieldType::uint8;
  field.element_bytes = 1;
  field.names = names;
  const ComponentDescription component{.name = "C",
                                       .size_bytes = 1,
                                       .alignment_bytes = 1,
                                       .fields = {field},
                                       .default_value = ByteVector(1)};
  CHECK(check(component).has_value() == is_good);
}

// A component with one array of uint8, whose default value is `defaults`.
ComponentDescription of_bytes(FieldDescription field, ByteVector defaults) {
  field.name = "f";
  field.type = FieldType::uint8;
  field.element_bytes = 1;
  field.count = static_cast<std::uint32_t>(defaults.size());
  return {.name = "C",
          .size_bytes = static_cast<std::uint32_t>(defaults.size()),
          .alignment_bytes = 1,
          .fields = {field},
          .default_value = std::move(defaults)};
}

TEST_CASE("Enumerators of a description from a file fit into the field's bits",
          "[registry][component]") {
  const auto [maximum, is_good] = GENERATE(table<double, bool>({{3, true}, {2, false}}));
  FieldDescription field;
  field.maximum = maximum;
  field.resolution = 1;
  field.names = {"a", "b", "c", "d"};
  CHECK(check(of_bytes(field, ByteVector(1))).has_value() == is_good);
}

TEST_CASE("A default value from a file is inside the range, or is a named enumerator",
          "[registry][component]") {
  using Names = std::vector<std::string>;
  const auto [value, maximum, names, is_good] = GENERATE(table<int, double, Names, bool>(
      {{3, 3, {}, true}, {4, 3, {}, false}, {1, 0, {"a", "b"}, true}, {2, 0, {"a", "b"}, false}}));
  CAPTURE(value, maximum, names);
  FieldDescription field;
  field.maximum = maximum;
  field.names = names;
  const auto checked = check(of_bytes(field, {std::byte{0}, std::byte(value)}));
  REQUIRE(checked.has_value() == is_good);
  if (!is_good) CHECK(checked.error().message.find("field 'f' has a default") != std::string::npos);
}

TEST_CASE("Every description in JSON can be quantised, or is malformed",
          "[registry][component][property]") {
  const auto seed = GENERATE(range(1U, 6U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::array<double, 12> numbers = {0,   1,   -1,    0.5,    255,    256,
                                          7.5, 1e9, 1e300, -1e300, 1e-300, 4294967296.0};
  const auto any = [&] { return numbers[random() % numbers.size()]; };
  int passed = 0;
  for (int round = 0; round < 20000; ++round) {
    FieldDescription field;
    field.name = "f";
    field.type = static_cast<FieldType>(random() % 17);
    field.minimum = any();
    field.maximum = any();
    field.resolution = any();
    field.tolerance = any();
    field.element_bytes = field.type == FieldType::text ? 5 : size_of(field.type);
    const ComponentDescription component{.name = "C",
                                         .size_bytes = 16,
                                         .alignment_bytes = 1,
                                         .fields = {field},
                                         .default_value = ByteVector(16)};
    const auto read = components_from_json(components_to_json(std::vector{component}));
    if (!read) continue;
    ++passed;
    ByteVector value(16);
    for (std::byte& byte : value) byte = static_cast<std::byte>(random());
    std::vector<std::int64_t> steps(wire_value_count(field));
    const WireRange range = wire_range(field);
    REQUIRE(range.low <= range.high);
    quantise(field, value, steps);
    for (const std::int64_t step : steps) REQUIRE((step >= range.low && step <= range.high));
    dequantise(field, steps, value);
  }
  CHECK(passed > 100);
}

TEST_CASE("JSON that does not describe a component is malformed", "[registry][component]") {
  const auto text = GENERATE(
      as<std::string>(), "", "{", "[]", "{}", R"({"components": 5})", R"({"components": [{}]})",
      R"({"components": [{"name": "A", "size": 1, "default": "0", "fields": []}]})",
      R"({"components": [{"name": "A", "size": 1, "default": "zz", "fields": []}]})",
      R"({"components": [{"name": "A", "size": 2, "default": "00", "fields": []}]})",
      R"({"components": [{"name": "A", "size": -1, "default": "", "fields": []}]})",
      R"({"components": [{"name": 5, "size": 0, "default": "", "fields": []}]})",
      R"({"components": [{"name": "A", "size": 1, "default": "00",
          "fields": [{"name": "f", "type": "nothing", "offset": 0}]}]})",
      R"({"components": [{"name": "A", "size": 1, "default": "00",
          "fields": [{"name": "f", "type": "bool", "offset": 0, "receivers": "nobody"}]}]})",
      R"({"components": [{"name": "A", "size": 1, "default": "00",
          "fields": [{"name": "f", "type": "bool", "offset": 1}]}]})",
      R"({"components": [{"name": "A", "size": 1, "alignment": 0, "default": "00",
          "fields": []}]})",
      R"({"components": [{"name": "A", "size": 1, "default": "00", "fields": []},
                         {"name": "A", "size": 1, "default": "00", "fields": []}]})");
  CAPTURE(text);
  const auto components = components_from_json(text);
  REQUIRE_FALSE(components.has_value());
  CHECK(components.error().code == ErrorCode::malformed);
}

TEST_CASE("The hash of a component depends on its fields, not on the file's hash",
          "[registry][component]") {
  FieldDescription field;
  field.maximum = 5;
  const ComponentDescription before = of_bytes(field, ByteVector(1));
  std::string text = components_to_json(std::vector{before});
  const std::string_view maximum = "\"maximum\": 5";
  const std::size_t at = text.find(maximum);
  REQUIRE(at != std::string::npos);
  text.replace(at, maximum.size(), "\"maximum\": 6");
  const auto edited = components_from_json(text).value();
  CHECK(edited[0].fields[0].maximum == 6);
  CHECK(edited[0].hash() != before.hash());
}

TEST_CASE("Every field type has a name and a size", "[registry][component]") {
  for (int type = 0; type <= static_cast<int>(FieldType::asset); ++type) {
    const auto field = static_cast<FieldType>(type);
    CAPTURE(type);
    CHECK(field_type_from(to_string(field)).value() == field);
    CHECK((size_of(field) > 0) == (field != FieldType::text));
  }
  CHECK_FALSE(field_type_from("unknown").has_value());
}
