// Tests that overrides apply only to objects of the instance's source.
#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/project/prefab_flattener.h"
#include "registry/project/reference_graph.h"
#include "tests/support/indexed_project.h"
#include "tests/support/prefab_text.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::IndexedProject;
using testing::PrefabText;
using testing::UnityProject;
using Reason = UnusedOverride::Reason;

// One object with the component Health (500), and a child (101) with a second Health (501).
std::string body(const Guid& health) {
  return PrefabText()
      .object(100, "Root", {400, 500})
      .transform(400, 100, 0, {401})
      .behaviour(500, 100, health, "  current: 10\n  icon: {fileID: 0}\n")
      .object(101, "Arm", {401, 501})
      .transform(401, 101, 400)
      .behaviour(501, 101, health, "  current: 1\n")
      .text();
}

std::string strong(const Guid& guid) {
  return "{fileID: 2800000, guid: " + guid.to_string() + ", type: 3}";
}

// An instance with an additional override whose target has this guid.
std::string instance(const Guid& source, const std::vector<PrefabText::Change>& changes,
                     std::int64_t target, const Guid& target_guid, const std::string& path,
                     const std::string& value, const std::string& object) {
  std::string text = PrefabText().instance(7000, source, {.changes = changes}).text();
  const std::string list = "    m_Modifications:\n";
  text.insert(text.find(list) + list.size(),
              "    - target: {fileID: " + std::to_string(target) +
                  ", guid: " + target_guid.to_string() + ", type: 3}\n      propertyPath: " + path +
                  "\n      value: " + value + "\n      objectReference: " + object + "\n");
  return text;
}

std::string health_of(const SourcePrefab& prefab, std::size_t entity = 0) {
  const SourceComponent* const health = prefab.entities.at(entity).find("Health");
  REQUIRE(health != nullptr);
  return std::string(health->scalar("current").value_or("nothing"));
}

std::vector<Reason> reasons_of(const SourcePrefab& prefab) {
  std::vector<Reason> reasons;
  for (const UnusedOverride& unused : prefab.unused_overrides) reasons.push_back(unused.reason);
  return reasons;
}

TEST_CASE("An override for an object of another prefab is not applied, for any file id",
          "[registry][prefab]") {
  UnityProject project;
  const Guid health = project.script("Health");
  const Guid other = project.file("Assets/A.prefab", body(health));
  const Guid source = project.file("Assets/Copy.prefab", body(health));
  project.file("Assets/V.prefab", instance(source, {{500, "maximum", "30"}}, 500, other, "current",
                                           "99", "{fileID: 0}"));
  const IndexedProject indexed(project.files);
  const SourcePrefab& variant = indexed.flat("Assets/V.prefab");
  CHECK(health_of(variant) == "10");
  CHECK(variant.entities[0].find("Health")->scalar("maximum") == "30");
  REQUIRE(reasons_of(variant) == std::vector{Reason::other_source});
  CHECK(variant.unused_overrides[0].target == other);
  CHECK(variant.unused_overrides[0].path == "current");
  CHECK(variant.unused_overrides[0].position.line == 8);
}

TEST_CASE("In a chain of variants the target is an object of the previous variant",
          "[registry][prefab]") {
  UnityProject project;
  const Guid health = project.script("Health");
  const Guid base = project.file("Assets/Base.prefab", body(health));
  const Guid middle =
      project.file("Assets/Middle.prefab", PrefabText().instance(3, base, {.changes = {}}).text());
  project.file(
      "Assets/Right.prefab",
      PrefabText().instance(7000, middle, {.changes = {{500 ^ 3, "current", "20"}}}).text());
  project.file("Assets/Wrong.prefab",
               instance(middle, {}, 500, base, "current", "99", "{fileID: 0}"));
  const IndexedProject indexed(project.files);
  CHECK(health_of(indexed.flat("Assets/Right.prefab")) == "20");
  CHECK(indexed.flat("Assets/Right.prefab").unused_overrides.empty());
  CHECK(health_of(indexed.flat("Assets/Wrong.prefab")) == "10");
  CHECK(reasons_of(indexed.flat("Assets/Wrong.prefab")) == std::vector{Reason::other_source});
}

TEST_CASE("A component that an instance removes gets no overrides", "[registry][prefab]") {
  UnityProject project;
  const Guid health = project.script("Health");
  const Guid base = project.file("Assets/Base.prefab", body(health));
  project.file("Assets/V.prefab", PrefabText()
                                      .instance(7000, base,
                                                {.changes = {{500, "current", "2"},
                                                             {501, "current", "3"},
                                                             {101, "m_Name", "Gone"},
                                                             {999, "current", "4"}},
                                                 .removed_components = {500},
                                                 .removed_objects = {101}})
                                      .text());
  const Guid middle = project.file(
      "Assets/Middle.prefab",
      PrefabText().instance(3, base, {.changes = {}, .removed_components = {500}}).text());
  project.file("Assets/Outer.prefab",
               PrefabText().instance(5, middle, {.changes = {{500 ^ 3, "current", "2"}}}).text());
  const IndexedProject indexed(project.files);
  const SourcePrefab& variant = indexed.flat("Assets/V.prefab");
  CHECK(variant.entities.size() == 1);
  CHECK(reasons_of(variant) == std::vector{Reason::removed_object, Reason::removed_object,
                                           Reason::removed_object, Reason::no_such_object});
  CHECK(reasons_of(indexed.flat("Assets/Outer.prefab")) == std::vector{Reason::no_such_object});
}

TEST_CASE("A removal whose target is in another prefab has no effect", "[registry][prefab]") {
  UnityProject project;
  const Guid health = project.script("Health");
  const Guid other = project.file("Assets/A.prefab", body(health));
  const Guid source = project.file("Assets/Copy.prefab", body(health));
  std::string text =
      PrefabText().instance(7000, source, {.changes = {}, .removed_components = {500}}).text();
  const std::string removed = "{fileID: 500, guid: ";
  text.replace(text.find(removed) + removed.size(), 32, other.to_string());
  project.file("Assets/V.prefab", text);
  const IndexedProject indexed(project.files);
  const SourcePrefab& variant = indexed.flat("Assets/V.prefab");
  CHECK(health_of(variant) == "10");
  CHECK(reasons_of(variant) == std::vector{Reason::other_source});
}

TEST_CASE("Overrides in instances of models follow the same rule, although the ids are unknown",
          "[registry][prefab]") {
  UnityProject project;
  const Guid model = project.file("Assets/Tank.fbx", "model");
  const Guid other = project.file("Assets/Old.fbx", "model");
  project.file("Assets/V.prefab",
               instance(model, {{919132149155446097, "m_Name", "Tank"}, {12345, "m_Size", "1"}},
                        919132149155446097, other, "m_Name", "Old", "{fileID: 0}"));
  const IndexedProject indexed(project.files);
  const SourcePrefab& variant = indexed.flat("Assets/V.prefab");
  CHECK(variant.entities.at(0).name == "Tank");
  CHECK(reasons_of(variant) == std::vector{Reason::other_source});
}

TEST_CASE("A plain variant overrides the overrides of its base", "[registry][prefab]") {
  UnityProject project;
  const Guid health = project.script("Health");
  const Guid base = project.file("Assets/Base.prefab", body(health));
  const Guid middle = project.file("Assets/Middle.prefab",
                                   PrefabText()
                                       .instance(7000, base,
                                                 {.changes = {{500, "current", "20"},
                                                              {500, "maximum", "30"},
                                                              {500, "ids.Array.data[0]", "1"},
                                                              {500, "look.val0", "7"}}})
                                       .text());
  project.file("Assets/v.yaml",
               "class: Prefab\nvariant_of: {fileID: 1, guid: " + middle.to_string() +
                   "}\nroot:\n  components:\n  - Health: {current: 40, ids: [3], "
                   "look: {guid: 00112233445566778899aabbccddeeff}}\n");
  const IndexedProject indexed(project.files);
  const SourceComponent* const health_of_variant =
      indexed.flat("Assets/v.yaml").entities.at(0).find("Health");
  REQUIRE(health_of_variant != nullptr);
  CHECK(health_of_variant->scalar("current") == "40");
  CHECK(health_of_variant->scalar("maximum") == "30");
  CHECK(health_of_variant->overrides.size() == 1);
}

TEST_CASE("An override without effect adds no dependency", "[registry][graph]") {
  UnityProject project;
  const Guid health = project.script("Health");
  const Guid old_icon = project.file("Assets/old.png", "png");
  const Guid icon = project.file("Assets/icon.png", "png");
  const Guid other = project.file("Assets/A.prefab", body(health));
  const Guid source = project.file("Assets/Copy.prefab", body(health));
  std::string text = instance(source, {}, 500, other, "icon", "", strong(old_icon));
  const std::string list = "    m_Modifications:\n";
  text.insert(text.find(list) + list.size(),
              "    - target: {fileID: 500, guid: " + source.to_string() +
                  ", type: 3}\n      propertyPath: icon\n      value: \n      objectReference: " +
                  strong(icon) + "\n");
  const bool is_block = GENERATE(false, true);
  CAPTURE(is_block);
  if (is_block) {
    const std::string flow = "target: {fileID: 500, guid: " + other.to_string() + ", type: 3}";
    text.replace(text.find(flow), flow.size(),
                 "target:\n        guid: " + other.to_string() + "\n        fileID: 500");
  }
  project.file("Assets/V.prefab", text);
  const IndexedProject indexed(project.files);
  const auto graph = scan_references(project.files, indexed.index(), 1, {});
  REQUIRE(graph.has_value());
  std::vector<std::string> reached;
  for (const ReferenceEdge& edge : graph.value().from(indexed.number("Assets/V.prefab"))) {
    reached.push_back(indexed.index().at(edge.to).path.text());
  }
  std::ranges::sort(reached);
  CHECK(reached == std::vector<std::string>{"Assets/Copy.prefab", "Assets/icon.png"});
}

}  // namespace
}  // namespace muster
