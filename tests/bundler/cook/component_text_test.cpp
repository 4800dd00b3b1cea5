// Tests that cooking reads the output of `component_text`.
#include "registry/components/component_text.h"

#include <cstring>
#include <random>

#include <catch2/catch.hpp>

#include "bundler/cook/component_cooker.h"
#include "registry/components/comparison.h"
#include "registry/components/quantisation.h"
#include "tests/support/array_samples.h"
#include "tests/support/indexed_project.h"
#include "tests/support/unity_project.h"

using namespace muster;
using namespace muster::testing;
using samples::bytes_of;
using samples::Everything;

namespace {

ByteVector cook_as(const ComponentDescription& description, const std::string& fields,
                   std::vector<CookProblem>& problems) {
  UnityProject project;
  project.file("Assets/P.yaml", "class: Prefab\nroot:\n  name: p\n  components:\n  - " +
                                    description.name + ":\n" + fields);
  const IndexedProject indexed(project.files);
  const SourcePrefab& prefab = indexed.flat("Assets/P.yaml");
  REQUIRE(prefab.entities.size() == 1);
  const SourceComponent* const component = prefab.entities[0].find(description.name);
  REQUIRE(component != nullptr);
  return cook_component(description, *component, problems);
}

ByteVector cook(const std::string& fields, std::vector<CookProblem>& problems) {
  return cook_as(description_of<Everything>(), fields, problems);
}

}  // namespace

namespace {

enum class Odd : std::uint8_t { first, second, third, fourth };
constexpr std::array<std::string_view, 4> kOddNames = {"yes: no", "a, b]", "#3", "Null"};

struct Oddly {
  Odd one = Odd::first;
  std::array<Odd, 3> some{};
  float value = 0;
  float other = 0;
};
consteval auto describe(Type<Oddly>) {
  return Describe<Oddly>("Oddly")
      .field<&Oddly::one>("the one: #", {.names = kOddNames})
      .field<&Oddly::some>("- some", {.names = kOddNames})
      .field<&Oddly::value>("'quoted\"")
      .field<&Oddly::other>("NULL");
}

}  // namespace

TEST_CASE("Names that are keywords of YAML are read back as names", "[bundler][cook][text]") {
  const Oddly odd{Odd::second, {Odd::third, Odd::fourth, Odd::first}, 1.5F, 2.5F};
  const std::string text =
      component_text(description_of<Oddly>(), bytes_of(odd), {.indent = 6, .with_units = false});
  CAPTURE(text);
  std::vector<CookProblem> problems;
  const ByteVector cooked = cook_as(description_of<Oddly>(), text, problems);
  CHECK(problems.empty());
  const Bytes expected = bytes_of(odd);
  CHECK(cooked == ByteVector(expected.begin(), expected.end()));
}

TEST_CASE("A mistyped name is reported with the existing names", "[bundler][cook][text]") {
  std::vector<CookProblem> problems;
  static_cast<void>(cook_as(description_of<Oddly>(), "      'the one: #': third\n", problems));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message ==
        "'third' is not a value of Oddly.the one: #: yes: no, a, b], #3, Null");
}

TEST_CASE("A component's text looks hand-written", "[bundler][cook][text]") {
  const std::string text = component_text(description_of<Everything>(), bytes_of(Everything()),
                                          {.indent = 0, .with_units = true});
  CHECK(text == R"(flag: true
i8: -8
u8: 8
i16: -16
u16: 16
i32: -32
u32: 32  # tick
i64: -64
u64: 64
exact: 0.1
wide: 0.2
coarse: 0.5
v2: {x: 1, y: 2}
v3: {x: 1, y: 2, z: 3}  # m
rotation: {x: 0, y: 0, z: 0, w: 1}
heading: 350  # deg
label: "a\"b"
target: -1
model: {guid: ab010000000000000000000000000000}
stance: crouching
blob: [1, 2, 3, 4]
path: [{x: 0, y: 0, z: 0}, {x: 0, y: 0, z: 0}]
recoil:
  angle: 5  # deg
  kicks: 1
slots:
- ammo: 30
  recoil:
    angle: 5  # deg
    kicks: 1
- ammo: 30
  recoil:
    angle: 5  # deg
    kicks: 1
)");
}

TEST_CASE("Cooking the text of a component gives the component's bytes",
          "[bundler][cook][text][property]") {
  const ComponentDescription everything = description_of<Everything>();
  const auto seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 30; ++round) {
    ByteVector value = everything.default_value;
    std::vector<std::int64_t> steps;
    for (const FieldDescription& field : everything.fields) {
      // NaN cannot be sent, and a flag of 2 has no text, so neither is generated.
      const WireRange range = wire_range(field);
      steps.resize(wire_value_count(field));
      for (std::int64_t& step : steps) {
        const auto span =
            static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low) + 1;
        step = static_cast<std::int64_t>(static_cast<std::uint64_t>(range.low) +
                                         (span == 0 ? random() : random() % span));
        if (field.type == FieldType::float32 || field.type == FieldType::vec2 ||
            field.type == FieldType::vec3) {
          step %= 0x7F000000;
        }
        if (field.type == FieldType::text) step = 'a' + step % 26;
        if (!field.names.empty()) step %= static_cast<std::int64_t>(field.names.size());
      }
      dequantise(field, steps, value);
    }
    const std::string text = component_text(everything, value, {.indent = 6});
    std::vector<CookProblem> problems;
    const ByteVector back = cook(text, problems);
    CAPTURE(text);
    for (const CookProblem& problem : problems) FAIL_CHECK(problem.message);
    const auto difference = first_difference(everything, back, value);
    CHECK((difference ? difference->to_string() : "") == "");
    REQUIRE(back == value);
  }
}

TEST_CASE("Arrays of every type are written as text and cooked from it", "[bundler][cook][text]") {
  const ComponentDescription arrays = description_of<samples::Arrays>();
  for (const samples::Arrays& value : {samples::Arrays(), samples::other_arrays()}) {
    const std::string text = component_text(arrays, bytes_of(value), {.indent = 6});
    CAPTURE(text);
    std::vector<CookProblem> problems;
    const ByteVector back = cook_as(arrays, text, problems);
    for (const CookProblem& problem : problems) FAIL_CHECK(problem.message);
    const auto difference = first_difference(arrays, back, bytes_of(value));
    CHECK((difference ? difference->to_string() : "") == "");
  }
}

TEST_CASE("A value inside a list of structs is cooked, and an invalid value is reported",
          "[bundler][cook]") {
  std::vector<CookProblem> problems;
  const ByteVector bytes =
      cook("      stance: prone\n      slots:\n      - ammo: 7\n      - recoil: {kicks: many}\n",
           problems);
  Everything value;
  std::memcpy(&value, bytes.data(), sizeof value);
  CHECK(value.stance == samples::Stance::prone);
  CHECK(value.slots[0].ammo == 7);
  CHECK(value.slots[1].ammo == 30);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message.find("slots[1].recoil.kicks") != std::string::npos);
  CHECK(problems[0].location.position.line == 9);
}
