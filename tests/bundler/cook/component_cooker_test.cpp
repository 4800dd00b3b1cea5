#include "bundler/cook/component_cooker.h"

#include <cmath>
#include <cstring>

#include <catch2/catch.hpp>

#include "registry/components/describe.h"
#include "tests/support/indexed_project.h"
#include "tests/support/prefab_text.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::IndexedProject;
using testing::PrefabText;
using testing::UnityProject;

enum class Mode : std::uint8_t { off, on };

/// One field of each type. Each field has a nonzero default.
struct Everything {
  bool flag = true;
  std::int8_t i8 = -8;
  std::uint8_t u8 = 8;
  Mode mode = Mode::on;
  std::int16_t i16 = -16;
  std::uint16_t u16 = 16;
  std::int32_t i32 = -32;
  std::uint32_t u32 = 32;
  std::int64_t i64 = -64;
  std::uint64_t u64 = 64;
  float f32 = 0.5F;
  double f64 = 0.25;
  Vec2 v2{1, 2};
  Vec3 v3{1, 2, 3};
  Quaternion q;
  FixedText<8> name{{'d', 'e', 'f'}};
  EntityReference target;
  AssetReference asset{{1}};
  std::array<std::int32_t, 3> numbers{7, 8, 9};
  std::array<Vec2, 2> points{};
  std::array<AssetReference, 2> assets{};
};

ComponentDescription describe_everything() {
  return Describe<Everything>("Everything")
      .field<&Everything::flag>("flag")
      .field<&Everything::i8>("i8")
      .field<&Everything::u8>("u8")
      .field<&Everything::mode>("mode")
      .field<&Everything::i16>("i16")
      .field<&Everything::u16>("u16")
      .field<&Everything::i32>("i32")
      .field<&Everything::u32>("u32")
      .field<&Everything::i64>("i64")
      .field<&Everything::u64>("u64")
      .field<&Everything::f32>("f32")
      .field<&Everything::f64>("f64")
      .field<&Everything::v2>("v2")
      .field<&Everything::v3>("v3")
      .field<&Everything::q>("q")
      .field<&Everything::name>("name")
      .field<&Everything::target>("target")
      .field<&Everything::asset>("asset")
      .field<&Everything::numbers>("numbers")
      .field<&Everything::points>("points")
      .field<&Everything::assets>("assets")
      .description();
}

struct Outcome {
  Everything value;
  std::vector<CookProblem> problems;
};

template <typename T>
T value_of(const ByteVector& bytes) {
  T value;
  REQUIRE(bytes.size() == sizeof value);
  std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
  return value;
}

// Cooks the component of a plain prefab with these fields, one `key: value` per line.
Outcome cook(const std::vector<std::string>& fields) {
  std::string text = "class: Prefab\nroot:\n  name: x\n  components:\n  - Everything:\n";
  for (const std::string& field : fields) text += "      " + field + "\n";
  UnityProject project;
  project.file("Assets/p.yaml", text);
  const IndexedProject indexed(project.files);
  const SourcePrefab& prefab = indexed.flat("Assets/p.yaml");
  Outcome outcome;
  const ByteVector bytes = cook_component(describe_everything(),
                                          prefab.entities.at(0).components.at(0), outcome.problems);
  outcome.value = value_of<Everything>(bytes);
  return outcome;
}

constexpr std::string_view kHex = "00112233445566778899aabbccddeeff";

std::string hex(const AssetReference& reference) {
  return Guid::from_bytes(std::as_bytes(std::span(reference.guid))).to_string();
}

TEST_CASE("Fields that the source lacks keep their default", "[bundler][cook]") {
  const auto [value, problems] = cook({"unknown: 5"});
  CHECK(problems.empty());
  CHECK(value.flag);
  CHECK(value.i64 == -64);
  CHECK(value.f64 == 0.25);
  CHECK(value.v3 == Vec3{1, 2, 3});
  CHECK(value.q == Quaternion{});
  CHECK(value.name.view() == "def");
  CHECK(value.target.network_id == -1);
  CHECK(value.numbers == std::array<std::int32_t, 3>{7, 8, 9});
}

TEST_CASE("A value of every type is stored", "[bundler][cook]") {
  const auto [value, problems] = cook({"flag: 0",
                                       "i8: -128",
                                       "u8: 255",
                                       "mode: 0",
                                       "i16: -32768",
                                       "u16: 65535",
                                       "i32: -2147483648",
                                       "u32: 4294967295",
                                       "i64: -9223372036854775808",
                                       "u64: 18446744073709551615",
                                       "f32: -1.5e3",
                                       "f64: 1e-300",
                                       "v2: {x: 5, y: 6}",
                                       "v3: [7, 8, 9]",
                                       "q: {x: 0, y: 1, z: 0, w: 0}",
                                       "name: eight888",
                                       "target: 12",
                                       "asset: {guid: " + std::string(kHex) + "}",
                                       "numbers: [1, 2, 3]",
                                       "points: [{x: 1, y: 2}, {x: 3, y: 4}]",
                                       "assets: [{guid: " + std::string(kHex) + "}, {guid: }]"});
  for (const CookProblem& problem : problems) UNSCOPED_INFO(problem.message);
  CHECK(problems.empty());
  CHECK_FALSE(value.flag);
  CHECK(value.i8 == -128);
  CHECK(value.u8 == 255);
  CHECK(value.mode == Mode::off);
  CHECK(value.i16 == -32768);
  CHECK(value.u16 == 65535);
  CHECK(value.i32 == std::numeric_limits<std::int32_t>::min());
  CHECK(value.u32 == 4294967295U);
  CHECK(value.i64 == std::numeric_limits<std::int64_t>::min());
  CHECK(value.u64 == std::numeric_limits<std::uint64_t>::max());
  CHECK(value.f32 == -1500.0F);
  CHECK(value.f64 == 1e-300);
  CHECK(value.v2 == Vec2{5, 6});
  CHECK(value.v3 == Vec3{7, 8, 9});
  CHECK(value.q == Quaternion{0, 1, 0, 0});
  CHECK(value.name.view() == "eight888");
  CHECK(value.target.network_id == 12);
  CHECK(hex(value.asset) == kHex);
  CHECK(value.numbers == std::array<std::int32_t, 3>{1, 2, 3});
  CHECK(value.points[1] == Vec2{3, 4});
  CHECK(hex(value.assets[0]) == kHex);
  CHECK(hex(value.assets[1]) == std::string(32, '0'));
}

TEST_CASE("Lists of integers may be written as hex digits", "[bundler][cook]") {
  CHECK(cook({"numbers: 0100000002000000ffffffff"}).value.numbers ==
        std::array<std::int32_t, 3>{1, 2, -1});
  CHECK(cook({"numbers: '01000000'"}).value.numbers == std::array<std::int32_t, 3>{1, 8, 9});
  for (const char* bad : {"numbers: 01", "numbers: 0100000g",
                          "numbers: 00000000000000000000000000000000", "points: 0000803f"}) {
    CAPTURE(bad);
    CHECK(cook({bad}).problems.size() == 1);
  }
}

TEST_CASE("Omitted parts of a value keep their default", "[bundler][cook]") {
  const auto [value, problems] = cook({"v3: {y: 9}", "numbers: [1]", "flag: false", "q: {}"});
  CHECK(problems.empty());
  CHECK(value.v3 == Vec3{1, 9, 3});
  CHECK(value.numbers == std::array<std::int32_t, 3>{1, 8, 9});
  CHECK_FALSE(value.flag);
  CHECK(value.q == Quaternion{});
}

TEST_CASE("An invalid value is reported with its position, and the field keeps its default",
          "[bundler][cook]") {
  const auto [field, reason] = GENERATE(table<std::string, std::string>({
      {"flag: 2", "a boolean above 1"},
      {"flag: maybe", "not a boolean"},
      {"i8: 128", "too large"},
      {"i8: -129", "too small"},
      {"u8: -1", "negative"},
      {"u16: 65536", "too large"},
      {"i32: 2147483648", "too large"},
      {"u32: 1.5", "a fraction"},
      {"i64: 9223372036854775808", "too large"},
      {"u64: 0x10", "hexadecimal"},
      {"f32: fast", "not a number"},
      {"f32: 1e300", "too large for a float"},
      {"f64: 1e400", "too large for a double"},
      {"f64: 1.5m", "a unit after the number"},
      {"v2: {x: left, y: 1}", "not a number in a vector"},
      {"v2: {x: '1', y: 1}", "a number in quotes in a vector"},
      {"v2: [1, \"1\"]", "a number in quotes in a list of axes"},
      {"v3: 5", "a number instead of a vector"},
      {"v3: [1, 2, 3, 4]", "too many axes"},
      {"name: ninebytes", "a text that is too long"},
      {"name: {a: 1}", "a mapping instead of a text"},
      {"i32: [1]", "a list instead of a number"},
      {"asset: {guid: 123}", "not a guid"},
      {"asset: hello", "not a reference"},
      {"numbers: [1, x, 3]", "not a number in a list"},
      {"numbers: [1, 2, 3, 4]", "too many items"},
      {"numbers: 5", "a number instead of a list"},
      {"numbers: {0: 1}", "a mapping instead of a list"},
      {"assets: [hello]", "not a reference in a list"},
  }));
  CAPTURE(field, reason);
  const Outcome outcome = cook({field});
  REQUIRE(outcome.problems.size() == 1);
  const Location& location = outcome.problems.front().location;
  CHECK(location.path.text() == "Assets/p.yaml");
  CHECK(location.position.line == 6);
  CHECK(location.position.column > 6);
  const Everything untouched;
  CHECK(outcome.value.i8 == untouched.i8);
  CHECK(outcome.value.u64 == untouched.u64);
  CHECK(outcome.value.f32 == untouched.f32);
  CHECK(outcome.value.f64 == untouched.f64);
  CHECK(outcome.value.flag == untouched.flag);
  CHECK(outcome.value.name == untouched.name);
  CHECK(outcome.value.asset == untouched.asset);
}

struct Body {
  Vec3 position;
  Quaternion rotation;
  Vec3 scale{1, 1, 1};
};

ComponentDescription describe_transform() {
  return Describe<Body>("Transform")
      .field<&Body::position>("position")
      .field<&Body::rotation>("rotation")
      .field<&Body::scale>("scale")
      .description();
}

Body cook_transform(const SourcePrefab& prefab) {
  std::vector<CookProblem> problems;
  const SourceComponent* transform = prefab.entities.at(0).find("Transform");
  REQUIRE(transform != nullptr);
  const Body body = value_of<Body>(cook_component(describe_transform(), *transform, problems));
  CHECK(problems.empty());
  return body;
}

TEST_CASE("A Transform is read with Unity's field names, and Muster's field names override them",
          "[bundler][cook]") {
  UnityProject project;
  PrefabText text;
  text.object(100, "Root", {400}).transform(400, 100, 0);
  const Guid base = project.file("Assets/Base.prefab", text.text());
  project.file(
      "Assets/V.prefab",
      PrefabText()
          .instance(7000, base,
                    {.changes = {{400, "m_LocalPosition.y", "20"}, {400, "m_LocalScale.z", "2"}}})
          .text());
  project.file("Assets/v.yaml",
               "class: Prefab\nvariant_of: {fileID: 1, guid: " + base.to_string() +
                   "}\nroot:\n  components:\n  - Transform: {position: {x: 5, y: 6, z: 7}}\n");
  const IndexedProject indexed(project.files);
  CHECK(cook_transform(indexed.flat("Assets/Base.prefab")).position == Vec3{1, 2, 3});
  const Body variant = cook_transform(indexed.flat("Assets/V.prefab"));
  CHECK(variant.position == Vec3{1, 20, 3});
  CHECK(variant.scale == Vec3{1, 1, 2});
  CHECK(variant.rotation == Quaternion{});
  CHECK(cook_transform(indexed.flat("Assets/v.yaml")).position == Vec3{5, 6, 7});
}

struct Health {
  float current = 100;
  float maximum = 100;
  std::array<std::int32_t, 2> stages{1, 2};
  AssetReference look;
};

TEST_CASE("Overrides replace the values of every layer, including list items and references",
          "[bundler][cook]") {
  UnityProject project;
  const Guid script = project.script("Health");
  const Guid look = project.file("Assets/look.mat", "");
  const std::string wrapper = GENERATE(as<std::string>{}, "", "m_SerializedData", "Value");
  CAPTURE(wrapper);
  const std::string indent = wrapper.empty() ? "  " : "    ";
  const std::string prefix = wrapper.empty() ? "" : wrapper + ".";
  PrefabText base;
  base.object(100, "Root", {400, 500})
      .transform(400, 100, 0)
      .behaviour(500, 100, script,
                 (wrapper.empty() ? "" : "  " + wrapper + ":\n") + indent + "current: 10\n" +
                     indent + "stages:\n" + indent + "- 3\n" + indent + "- 4\n");
  const Guid guid = project.file("Assets/Base.prefab", base.text());
  project.file("Assets/V.prefab",
               PrefabText()
                   .instance(7000, guid,
                             {.changes = {{500, prefix + "current", "1"},
                                          {500, prefix + "current", "11"},
                                          {500, prefix + "maximum", "12"},
                                          {500, prefix + "stages.Array.data[1]", "40"},
                                          {500, prefix + "look.guid", look.to_string()}}})
                   .text());
  const IndexedProject indexed(project.files);
  const ComponentDescription description = Describe<Health>("Health")
                                               .field<&Health::current>("current")
                                               .field<&Health::maximum>("maximum")
                                               .field<&Health::stages>("stages")
                                               .field<&Health::look>("look")
                                               .description();
  std::vector<CookProblem> problems;
  const SourceComponent* component = indexed.flat("Assets/V.prefab").entities.at(0).find("Health");
  REQUIRE(component != nullptr);
  const auto health = value_of<Health>(cook_component(description, *component, problems));
  CHECK(problems.empty());
  CHECK(health.current == 11);
  CHECK(health.maximum == 12);
  CHECK(health.stages == std::array<std::int32_t, 2>{3, 40});
  CHECK(hex(health.look) == look.to_string());
}

TEST_CASE("An invalid override is reported at its position", "[bundler][cook]") {
  UnityProject project;
  const Guid script = project.script("Health");
  PrefabText base;
  base.object(100, "Root", {400, 500})
      .transform(400, 100, 0)
      .behaviour(500, 100, script, "  current: 10\n");
  const Guid guid = project.file("Assets/Base.prefab", base.text());
  project.file("Assets/V.prefab",
               PrefabText().instance(7000, guid, {.changes = {{500, "current", "much"}}}).text());
  const IndexedProject indexed(project.files);
  const ComponentDescription description =
      Describe<Health>("Health").field<&Health::current>("current").description();
  std::vector<CookProblem> problems;
  const SourceComponent* component = indexed.flat("Assets/V.prefab").entities.at(0).find("Health");
  const auto health = value_of<Health>(cook_component(description, *component, problems));
  CHECK(health.current == 100);
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().location.path.text() == "Assets/V.prefab");
  CHECK(problems.front().location.position.line == 10);
}

TEST_CASE("Each item of a list of references is overridden by its own index", "[bundler][cook]") {
  UnityProject project;
  const Guid script = project.script("Kit");
  const Guid first = project.file("Assets/first.mat", "");
  const Guid second = project.file("Assets/second.mat", "");
  PrefabText base;
  base.object(100, "Root", {400, 500})
      .transform(400, 100, 0)
      .behaviour(500, 100, script,
                 "  assets:\n  - {guid: " + first.to_string() + "}\n  -\n" +
                     UnityProject::words(first, 4));
  const Guid guid = project.file("Assets/Base.prefab", base.text());
  const WeakReferenceWords words = words_from_guid(second);
  std::vector<PrefabText::Change> changes;
  const auto [reason, expected_first, expected_second] =
      GENERATE_REF(table<std::string, Guid, Guid>({{"nothing", first, first},
                                                   {"text", first, second},
                                                   {"words", first, second},
                                                   {"value", second, first},
                                                   {"two", second, Guid()}}));
  CAPTURE(reason);
  const std::string at_0 = "assets.Array.data[0]";
  const std::string at_1 = "assets.Array.data[1]";
  if (reason == "text") changes = {{500, at_1 + ".guid", second.to_string()}};
  if (reason == "value") changes = {{500, at_0, second.to_string()}};
  if (reason == "two") changes = {{500, at_0, second.to_string()}, {500, at_1, ""}};
  for (std::size_t i = 0; i < 4 && reason == "words"; ++i) {
    changes.push_back({500, at_1 + ".val" + std::to_string(i), std::to_string(words[i])});
  }
  project.file("Assets/V.prefab", PrefabText().instance(7000, guid, {.changes = changes}).text());
  const IndexedProject indexed(project.files);
  struct Kit {
    std::array<AssetReference, 2> assets;
  };
  const ComponentDescription description =
      Describe<Kit>("Kit").field<&Kit::assets>("assets").description();
  std::vector<CookProblem> problems;
  const SourceComponent* component = indexed.flat("Assets/V.prefab").entities.at(0).find("Kit");
  REQUIRE(component != nullptr);
  const Kit kit = value_of<Kit>(cook_component(description, *component, problems));
  CHECK(problems.empty());
  CHECK(hex(kit.assets[0]) == expected_first.to_string());
  CHECK(hex(kit.assets[1]) == expected_second.to_string());
}

TEST_CASE("A float is refused exactly if it would become infinite", "[bundler][cook]") {
  const auto [text, fits] = GENERATE(table<std::string, bool>({{"3.4028235e+38", true},
                                                               {"-3.4028235e+38", true},
                                                               {"3.4028236e+38", false},
                                                               {"-3.4028236e+38", false},
                                                               {"Infinity", true},
                                                               {"-.inf", true},
                                                               {"inf", false},
                                                               {"-INFINITY", false},
                                                               {"infinity", false},
                                                               {"nan", false},
                                                               {"1e39", false}}));
  CAPTURE(text);
  const Outcome outcome = cook({"f32: " + text});
  CHECK(outcome.problems.empty() == fits);
  CHECK(std::isinf(outcome.value.f32) == (text == "Infinity" || text == "-.inf"));
  CHECK(cook({"v2: {x: " + text + "}"}).problems.empty() == fits);
}

}  // namespace
}  // namespace muster
