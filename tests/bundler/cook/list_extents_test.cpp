// Tests cooking of component lists whose length is changed by overrides.
#include "bundler/cook/list_extents.h"

#include <array>
#include <cstring>

#include <catch2/catch.hpp>

#include "bundler/cook/component_cooker.h"
#include "registry/components/describe.h"
#include "tests/support/indexed_project.h"
#include "tests/support/prefab_text.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::IndexedProject;
using testing::PrefabText;
using testing::UnityProject;

std::string hex(const AssetReference& reference) {
  return Guid::from_bytes(std::as_bytes(std::span(reference.guid))).to_string();
}

template <typename T>
T value_of(const ByteVector& bytes) {
  T value;
  REQUIRE(bytes.size() == sizeof value);
  std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
  return value;
}

struct Slot {
  std::int32_t ammo = 7;
  std::array<std::int32_t, 2> marks{8, 9};
};

struct Rack {
  std::array<std::int32_t, 3> counts{-1, -2, -3};
  std::array<Vec2, 2> points{Vec2{1, 2}, Vec2{3, 4}};
  std::array<AssetReference, 2> assets{};
  std::array<Slot, 3> slots{};
};

consteval auto describe(muster::Type<Slot>) {
  return Describe<Slot>("Slot").field<&Slot::ammo>("ammo").field<&Slot::marks>("marks");
}

// Cooks the rack of the last prefab in a chain. The first prefab is the base with `fields`. Each
// list of changes makes a variant of the previous prefab.
Rack cook_chain(const std::string& fields,
                const std::vector<std::vector<PrefabText::Change>>& chain,
                std::vector<CookProblem>& problems) {
  UnityProject project;
  const Guid script = project.script("Rack");
  PrefabText base;
  base.object(100, "Root", {400, 500}).transform(400, 100, 0).behaviour(500, 100, script, fields);
  Guid guid = project.file("Assets/0.prefab", base.text());
  std::int64_t id = 500;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    std::vector<PrefabText::Change> changes = chain[i];
    for (PrefabText::Change& change : changes) change.target = id;
    guid = project.file("Assets/" + std::to_string(i + 1) + ".prefab",
                        PrefabText().instance(7000, guid, {.changes = changes}).text());
    id ^= 7000;
  }
  const IndexedProject indexed(project.files);
  const ComponentDescription description = Describe<Rack>("Rack")
                                               .field<&Rack::counts>("counts")
                                               .field<&Rack::points>("points")
                                               .field<&Rack::assets>("assets")
                                               .field<&Rack::slots>("slots")
                                               .description();
  const SourceComponent* component =
      indexed.flat("Assets/" + std::to_string(chain.size()) + ".prefab")
          .entities.at(0)
          .find("Rack");
  REQUIRE(component != nullptr);
  return value_of<Rack>(cook_component(description, *component, problems));
}

TEST_CASE("A variant that shortens a list is cooked like the shorter list", "[bundler][cook]") {
  const auto [reason, fields, chain, counts] =
      GENERATE(table<std::string, std::string, std::vector<std::vector<PrefabText::Change>>,
                     std::array<std::int32_t, 3>>({
          {"shorter", "  counts: [1, 2, 3]\n", {{{0, "counts.Array.size", "2"}}}, {1, 2, -3}},
          {"none left", "  counts: [1, 2, 3]\n", {{{0, "counts.Array.size", "0"}}}, {-1, -2, -3}},
          {"packed",
           "  counts: 010000000200000003000000\n",
           {{{0, "counts.Array.size", "1"}}},
           {1, -2, -3}},
          {"longer",
           "  counts: [1]\n",
           {{{0, "counts.Array.data[1]", "5"}, {0, "counts.Array.size", "2"}}},
           {1, 5, -3}},
          {"an item after the end",
           "  counts: [1, 2, 3]\n",
           {{{0, "counts.Array.size", "1"}, {0, "counts.Array.data[2]", "9"}}},
           {1, -2, -3}},
          {"an item that is in no file",
           "  counts: [1]\n",
           {{{0, "counts.Array.data[1]", "5"}}},
           {1, -2, -3}},
          {"shorter, then longer",
           "  counts: [1, 2, 3]\n",
           {{{0, "counts.Array.size", "1"}}, {{0, "counts.Array.size", "3"}}},
           {1, -2, -3}},
          {"a change of a removed item",
           "  counts: [1, 2, 3]\n",
           {{{0, "counts.Array.data[2]", "30"}},
            {{0, "counts.Array.size", "2"}},
            {{0, "counts.Array.size", "3"}}},
           {1, 2, -3}},
          {"changed after it was added again",
           "  counts: [1, 2, 3]\n",
           {{{0, "counts.Array.size", "1"}},
            {{0, "counts.Array.size", "3"}, {0, "counts.Array.data[2]", "33"}}},
           {1, -2, 33}},
      }));
  CAPTURE(reason);
  std::vector<CookProblem> problems;
  CHECK(cook_chain(fields, chain, problems).counts == counts);
  CHECK(problems.empty());
}

TEST_CASE("Lists of vectors, references and structs can be shortened too", "[bundler][cook]") {
  const std::string guid = "00112233445566778899aabbccddeeff";
  const std::string fields =
      "  points:\n  - {x: 5, y: 6}\n  - {x: 7, y: 8}\n  assets:\n  - {guid: " + guid +
      "}\n  - {guid: " + guid +
      "}\n  slots:\n  - {ammo: 1, marks: [1, 2]}\n  - {ammo: 2, marks: [3, 4]}\n"
      "  - {ammo: 3, marks: [5, 6]}\n";
  std::vector<CookProblem> problems;
  const Rack rack = cook_chain(fields,
                               {{{0, "points.Array.size", "1"},
                                 {0, "assets.Array.size", "1"},
                                 {0, "slots.Array.size", "2"},
                                 {0, "slots.Array.data[0].marks.Array.size", "1"},
                                 {0, "slots.Array.data[2].ammo", "99"}}},
                               problems);
  CHECK(problems.empty());
  CHECK(rack.points[0].y == 6);
  CHECK(rack.points[1].y == 4);
  CHECK(hex(rack.assets[0]) == guid);
  CHECK(hex(rack.assets[1]) == Guid().to_string());
  CHECK(rack.slots[0].marks == std::array<std::int32_t, 2>{1, 9});
  CHECK(rack.slots[1].ammo == 2);
  CHECK(rack.slots[1].marks == std::array<std::int32_t, 2>{3, 4});
  CHECK(rack.slots[2].ammo == 7);
  CHECK(rack.slots[2].marks == std::array<std::int32_t, 2>{8, 9});
}

TEST_CASE("A length that is invalid for the field is refused at its position", "[bundler][cook]") {
  const auto [path, value] = GENERATE(table<std::string, std::string>({
      {"counts.Array.size", "4"},
      {"counts.Array.size", "-1"},
      {"counts.Array.size", "two"},
      {"slots.Array.size", "4"},
      {"slots.Array.data[1].marks.Array.size", "3"},
  }));
  CAPTURE(path, value);
  std::vector<CookProblem> problems;
  cook_chain("  counts: [1]\n  slots:\n  - {ammo: 1}\n  - {ammo: 2}\n", {{{0, path, value}}},
             problems);
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().location.path.text() == "Assets/1.prefab");
  CHECK(problems.front().location.position.line == 10);
}

}  // namespace
}  // namespace muster
