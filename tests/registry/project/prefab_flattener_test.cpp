#include "registry/project/prefab_flattener.h"

#include <catch2/catch.hpp>

#include "registry/base/parallel.h"
#include "tests/support/indexed_project.h"
#include "tests/support/prefab_text.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::IndexedProject;
using testing::PrefabText;
using testing::UnityProject;

/// The tree of a prefab in one line, for example `root[Transform,Health](child,child2(leaf))`.
std::string outline(const SourcePrefab& prefab, int parent = -1) {
  std::string text;
  for (std::size_t i = 0; i < prefab.entities.size(); ++i) {
    const SourceEntity& entity = prefab.entities[i];
    if (entity.parent != parent) continue;
    CHECK(entity.parent < static_cast<int>(i));
    text += (text.empty() ? "" : " ") + entity.name + "[";
    for (const SourceComponent& component : entity.components) {
      text += (text.ends_with('[') ? "" : ",") + component.class_name;
    }
    text += "]" + std::string(entity.active ? "" : "!");
    const std::string children = outline(prefab, static_cast<int>(i));
    if (!children.empty()) text += "(" + children + ")";
  }
  return text;
}

// Base.prefab: Root (100, transform 400, Health 500) > Arm (101, 401) > Hand (102, 402, Health
// 502).
Guid add_base(UnityProject& project, const Guid& health, const char* path = "Assets/Base.prefab") {
  PrefabText text;
  text.object(100, "Root", {400, 500})
      .transform(400, 100, 0, {401})
      .behaviour(500, 100, health, "  current: 10\n  maximum: 20\n")
      .object(101, "Arm", {401})
      .transform(401, 101, 400, {402})
      .object(102, "Hand", {402, 502}, false)
      .transform(402, 102, 401)
      .behaviour(502, 102, health, "  current: 1\n");
  return project.file(path, text.text());
}

TEST_CASE("A prefab's hierarchy follows its lists of children", "[registry][prefab]") {
  UnityProject project;
  PrefabText text;
  text.object(103, "Third", {403})
      .transform(403, 103, 400)
      .object(100, "Root", {400})
      .transform(400, 100, 0, {402, 401, 403})
      .object(101, "Second", {401})
      .transform(401, 101, 400)
      .object(102, "First", {402}, false)
      .transform(402, 102, 400);
  project.file("Assets/P.prefab", text.text());
  const IndexedProject indexed(project.files);
  const SourcePrefab& prefab = indexed.flat("Assets/P.prefab");
  CHECK(outline(prefab) == "Root[Transform](First[Transform]! Second[Transform] Third[Transform])");
  CHECK(prefab.problems.empty());
  CHECK(prefab.entities[1].file_id == 102);
  CHECK(prefab.entities[1].transform_id == 402);
  CHECK(prefab.entities[0].find("Transform")->scalar("m_LocalPosition.y") == "2");
}

TEST_CASE("Components are listed by class id before Unity 5.5", "[registry][prefab]") {
  UnityProject project;
  const Guid health = project.script("Health");
  PrefabText text;
  text.raw(
          "--- !u!1 &100\nGameObject:\n  m_Component:\n  - 4: {fileID: 400}\n"
          "  - 114: {fileID: 500}\n  m_Name: Old\n")
      .transform(400, 100, 0)
      .behaviour(500, 100, health)
      .raw(
          "--- !u!1001 &100100000\nPrefab:\n  m_RootGameObject: {fileID: 100}\n"
          "  m_IsPrefabParent: 1\n");
  project.file("Assets/Old.prefab", text.text());
  const IndexedProject indexed(project.files);
  CHECK(outline(indexed.flat("Assets/Old.prefab")) == "Old[Transform,Health]");
}

TEST_CASE("A script outside the tree is recognised by its class identifier only",
          "[registry][prefab]") {
  UnityProject project;
  const Guid unknown = Guid::parse("7e53c0a6d4f84a0db7a2f5e3c0914b68").value();
  PrefabText text;
  text.object(100, "Root", {400, 500, 501})
      .transform(400, 100, 0)
      .behaviour(500, 100, unknown, "  m_EditorClassIdentifier: Game::My.Space.Health\n")
      .behaviour(501, 100, unknown, "  m_EditorClassIdentifier: \n");
  project.file("Assets/P.prefab", text.text());
  const IndexedProject indexed(project.files);
  CHECK(outline(indexed.flat("Assets/P.prefab")) == "Root[Transform,Health,]");
}

TEST_CASE("A nested prefab keeps its objects, and their ids are combined with the instance's id",
          "[registry][prefab]") {
  UnityProject project;
  const Guid base = add_base(project, project.script("Health"));
  PrefabText text;
  text.object(1, "Outer", {2})
      .transform(2, 1, 0, {900})
      .instance(7000, base,
                {.father = 2,
                 .changes = {{100, "m_Name", "Renamed"},
                             {500, "current", "15"},
                             {102, "m_IsActive", "1"},
                             {999, "m_Name", "nobody"}}})
      .stripped(4, 900, 7000, 400, base);
  project.file("Assets/Outer.prefab", text.text());
  const IndexedProject indexed(project.files);
  const SourcePrefab& prefab = indexed.flat("Assets/Outer.prefab");
  CHECK(outline(prefab) ==
        "Outer[Transform](Renamed[Transform,Health](Arm[Transform](Hand[Transform,Health])))");
  CHECK(prefab.entities[1].file_id == (7000 ^ 100));
  CHECK(prefab.entities[1].transform_id == 900);
  CHECK(prefab.entities[2].transform_id == (7000 ^ 401));
  const SourceComponent* health = prefab.entities[1].find("Health");
  REQUIRE(health != nullptr);
  CHECK(health->scalar("current") == "15");
  CHECK(health->scalar("maximum") == "20");
  CHECK_FALSE(health->scalar("nothing").has_value());
  CHECK(prefab.entities[3].find("Health")->scalar("current") == "1");
}

TEST_CASE("Ids beyond 63 bits lose their sign when they are combined", "[registry][prefab]") {
  UnityProject project;
  PrefabText base;
  base.object(-5, "Root", {-6}).transform(-6, -5, 0);
  const Guid guid = project.file("Assets/Base.prefab", base.text());
  project.file("Assets/V.prefab",
               PrefabText().instance(3, guid, {.changes = {{-5, "m_Name", "New"}}}).text());
  const IndexedProject indexed(project.files);
  const SourcePrefab& prefab = indexed.flat("Assets/V.prefab");
  REQUIRE(prefab.entities.size() == 1);
  CHECK(prefab.entities[0].name == "New");
  CHECK(prefab.entities[0].file_id == ((3 ^ -5) & 0x7FFF'FFFF'FFFF'FFFF));
}

TEST_CASE("An instance removes components and objects, and adds others", "[registry][prefab]") {
  UnityProject project;
  const Guid health = project.script("Health");
  const Guid marker = project.script("Marker");
  const Guid base = add_base(project, health);
  PrefabText text;
  text.instance(7000, base, {.removed_components = {500}, .removed_objects = {102}})
      .stripped(1, 900, 7000, 100, base)
      .behaviour(901, 900, marker)
      .stripped(4, 902, 7000, 401, base)
      .object(950, "Added", {951})
      .transform(951, 950, 902);
  project.file("Assets/V.prefab", text.text());
  const IndexedProject indexed(project.files);
  CHECK(outline(indexed.flat("Assets/V.prefab")) ==
        "Root[Transform,Marker](Arm[Transform](Added[Transform]))");
}

TEST_CASE("The values of the outermost variant take precedence", "[registry][prefab]") {
  UnityProject project;
  const Guid health = project.script("Health");
  const Guid base = add_base(project, health);
  const Guid middle = project.file(
      "Assets/Middle.prefab",
      PrefabText()
          .instance(7000, base, {.changes = {{500, "current", "11"}, {500, "maximum", "21"}}})
          .text());
  project.file(
      "Assets/Outer.prefab",
      PrefabText()
          .instance(8000, middle,
                    {.changes = {{7000 ^ 500, "current", "12"}, {7000 ^ 100, "m_Name", "Outer"}},
                     .removed_components = {7000 ^ 502}})
          .text());
  const IndexedProject indexed(project.files);
  const SourcePrefab& prefab = indexed.flat("Assets/Outer.prefab");
  CHECK(outline(prefab) == "Outer[Transform,Health](Arm[Transform](Hand[Transform]!))");
  CHECK(prefab.entities[0].file_id == (8000 ^ 7000 ^ 100));
  CHECK(prefab.entities[0].find("Health")->scalar("current") == "12");
  CHECK(prefab.entities[0].find("Health")->scalar("maximum") == "21");
}

TEST_CASE("Two instances of one prefab stay separate", "[registry][prefab]") {
  UnityProject project;
  const Guid base = add_base(project, project.script("Health"));
  PrefabText text;
  text.object(1, "Outer", {2})
      .transform(2, 1, 0, {901, 902})
      .instance(7000, base, {.father = 2, .changes = {{500, "current", "3"}}})
      .instance(8000, base, {.father = 2, .changes = {{100, "m_Name", "Other"}}})
      .stripped(4, 901, 8000, 400, base)
      .stripped(4, 902, 7000, 400, base);
  project.file("Assets/Outer.prefab", text.text());
  const IndexedProject indexed(project.files);
  const SourcePrefab& prefab = indexed.flat("Assets/Outer.prefab");
  REQUIRE(prefab.entities.size() == 7);
  CHECK(prefab.entities[1].name == "Other");
  CHECK(prefab.entities[1].find("Health")->scalar("current") == "10");
  CHECK(prefab.entities[4].name == "Root");
  CHECK(prefab.entities[4].find("Health")->scalar("current") == "3");
}

TEST_CASE("A model's instance has one object and the objects that the file names",
          "[registry][prefab]") {
  UnityProject project;
  const Guid marker = project.script("Marker");
  const Guid model = project.file("Assets/Barrel.FBX", "Kaydara FBX Binary");
  PrefabText text;
  text.instance(7000, model, {.changes = {{100000, "m_Name", "Barrel1"}}})
      .stripped(1, 900, 7000, 100000, model)
      .behaviour(901, 900, marker)
      .stripped(1, 910, 7000, 100002, model)
      .behaviour(911, 910, marker);
  project.file("Assets/P.prefab", text.text());
  const IndexedProject indexed(project.files);
  CHECK(indexed.flat("Assets/Barrel.FBX").is_model);
  CHECK(outline(indexed.flat("Assets/P.prefab")) == "Barrel1[Marker]([Marker])");
}

TEST_CASE("A plain prefab overlays its base field by field", "[registry][prefab]") {
  UnityProject project;
  const Guid base = add_base(project, project.script("Health"));
  project.file("Assets/v.yaml",
               "class: Prefab\nvariant_of: {fileID: 100100000, guid: " + base.to_string() +
                   ", type: 3}\nroot:\n  name: Plain\n  removed: [Transform]\n  components:\n"
                   "  - Health: {current: 99}\n  - Marker\n  children:\n"
                   "  - name: Child\n    active: false\n    components: [Marker]\n"
                   "  - prefab: {fileID: 100100000, guid: " +
                   base.to_string() + ", type: 3}\n    name: Nested\n");
  const IndexedProject indexed(project.files);
  CHECK(is_prefab(indexed.sources(), indexed.number("Assets/v.yaml")));
  const SourcePrefab& prefab = indexed.flat("Assets/v.yaml");
  CHECK(outline(prefab) ==
        "Plain[Health,Marker](Arm[Transform](Hand[Transform,Health]!) Child[Marker]! "
        "Nested[Transform,Health](Arm[Transform](Hand[Transform,Health]!)))");
  const SourceComponent* health = prefab.entities[0].find("Health");
  CHECK(health->scalar("current") == "99");
  CHECK(health->scalar("maximum") == "20");
  CHECK(health->layers.size() == 2);
}

TEST_CASE(
    "A base that is missing, unreadable or not a prefab is reported, and all other content is read",
    "[registry][prefab]") {
  struct Row {
    const char* reason;
    const char* text;
    PrefabProblem::Kind kind;
  };
  using Kind = PrefabProblem::Kind;
  const auto row = GENERATE(
      Row{"lost",
          "%YAML 1.1\n--- !u!1001 &7\nPrefabInstance:\n  m_Modification: {}\n  m_SourcePrefab: "
          "{fileID: 1, guid: 7e53c0a6d4f84a0db7a2f5e3c0914b68, type: 3}\n",
          Kind::missing_source},
      Row{"pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
          Kind::not_readable},
      Row{"broken", "%YAML 1.1\n--- !u!1 &1\nGameObject: {\n", Kind::not_readable},
      Row{"head", "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n", Kind::not_readable},
      Row{"version", "%YAML 1.1\n\n# nothing\n", Kind::not_readable},
      Row{"object", "%YAML 1.1\n--- !u!1 &1\nGameObject:\n  m_Layer: 0\n", Kind::cut_short},
      Row{"without an object", "%YAML 1.1\n--- !u!21 &1\nMaterial:\n  m_Name: a\n", Kind::no_root});
  CAPTURE(row.reason);
  UnityProject project;
  project.file("Assets/P.prefab", row.text);
  const IndexedProject indexed(project.files);
  const SourcePrefab& prefab = indexed.flat("Assets/P.prefab");
  REQUIRE_FALSE(prefab.problems.empty());
  CHECK(prefab.problems.front().kind == row.kind);
  CHECK(prefab.problems.front().path.text() == "Assets/P.prefab");
}

TEST_CASE("Prefabs that contain each other are reported, in any order of requests",
          "[registry][prefab]") {
  UnityProject project;
  const auto variant = [&](const std::string& path, const Guid& of) {
    return project.file(path, "class: Prefab\nvariant_of: {fileID: 1, guid: " + of.to_string() +
                                  "}\nroot:\n  name: x\n");
  };
  const Guid a = variant("Assets/a.yaml", Guid());
  const Guid b = variant("Assets/b.yaml", a);
  const Guid c = variant("Assets/c.yaml", b);
  variant("Assets/a.yaml", c);
  variant("Assets/user.yaml", b);
  const Guid self = variant("Assets/self.yaml", Guid());
  variant("Assets/self.yaml", self);
  const std::string first =
      GENERATE(as<std::string>{}, "Assets/a.yaml", "Assets/b.yaml", "Assets/user.yaml");
  const IndexedProject indexed(project.files);
  (void)indexed.flat(first);
  for (const std::string path : {"Assets/a.yaml", "Assets/b.yaml", "Assets/c.yaml"}) {
    CAPTURE(first, path);
    const SourcePrefab& prefab = indexed.flat(path);
    REQUIRE_FALSE(prefab.problems.empty());
    CHECK(prefab.problems.front().kind == PrefabProblem::Kind::cycle);
    CHECK(prefab.problems.front().chain.size() == 3);
  }
  const SourcePrefab& alone = indexed.flat("Assets/self.yaml");
  REQUIRE(alone.problems.size() == 1);
  CHECK(alone.problems.front().chain == std::vector{indexed.number("Assets/self.yaml")});
}

// A project with 80 levels of nested prefabs, a cycle of prefabs, and prefabs that nest these.
UnityProject entangled_project() {
  UnityProject project;
  const auto variant = [&](const std::string& name, const Guid& of, const Guid& child = {}) {
    std::string text = "class: Prefab\nvariant_of: {fileID: 1, guid: " + of.to_string() +
                       "}\nroot:\n  name: " + name + "\n";
    if (!child.is_null()) {
      text += "  children:\n  - name: inner\n    prefab: {fileID: 1, guid: " + child.to_string() +
              "}\n";
    }
    return project.file("Assets/" + name + ".yaml", text);
  };
  Guid below = project.file("Assets/p0.yaml", "class: Prefab\nroot:\n  name: bottom\n");
  std::vector<Guid> levels{below};
  for (std::size_t i = 1; i < 80; ++i) {
    // Some levels are nested twice: by the next level and by a much higher level.
    below = variant("p" + std::to_string(i), below, i % 3 == 0 ? levels[i / 2] : Guid());
    levels.push_back(below);
  }
  const Guid a = variant("a", levels[2]);
  const Guid b = variant("b", a);
  const Guid c = variant("c", b, levels[4]);
  variant("a", c, levels[3]);
  variant("user", b, levels[70]);
  return project;
}

std::string summary(const SourcePrefab& prefab) {
  std::string text = outline(prefab);
  for (const PrefabProblem& problem : prefab.problems) {
    text += "; " + std::to_string(static_cast<int>(problem.kind)) + " " + problem.path.text() +
            ":" + std::to_string(problem.position.line);
    for (const AssetNumber step : problem.chain) text += " " + std::to_string(step);
  }
  return text;
}

TEST_CASE("Prefabs with too many levels of nesting are reported", "[registry][prefab]") {
  const UnityProject project = entangled_project();
  const IndexedProject indexed(project.files);
  CHECK(indexed.flat("Assets/p63.yaml").problems.empty());
  CHECK_FALSE(indexed.flat("Assets/p63.yaml").entities.empty());
  for (const std::string path : {"Assets/p64.yaml", "Assets/p79.yaml"}) {
    CAPTURE(path);
    const SourcePrefab& prefab = indexed.flat(path);
    CHECK(prefab.entities.empty());
    CHECK(prefab.is_incomplete);
    REQUIRE(prefab.problems.size() == 1);
    CHECK(prefab.problems.front().kind == PrefabProblem::Kind::too_deep);
    CHECK(prefab.problems.front().path.text() == path);
  }
}

TEST_CASE("The result for a prefab does not depend on earlier or parallel requests",
          "[registry][prefab]") {
  const UnityProject project = entangled_project();
  const std::size_t count = IndexedProject(project.files).index().assets().size();
  std::vector<std::string> alone;
  for (AssetNumber asset = 0; asset < count; ++asset) {
    alone.push_back(summary(IndexedProject(project.files).prefabs().flatten(asset)));
  }
  SECTION("prefabs are requested one after another") {
    const std::size_t step = GENERATE(1U, 7U, 11U, 82U);
    const IndexedProject indexed(project.files);
    for (std::size_t i = 0; i < count; ++i) {
      const auto asset = static_cast<AssetNumber>(i * step % count);
      CAPTURE(step, asset);
      CHECK(summary(indexed.prefabs().flatten(asset)) == alone[asset]);
    }
  }
  SECTION("prefabs are requested in parallel") {
    const IndexedProject indexed(project.files);
    std::vector<const SourcePrefab*> found(4 * count);
    (void)parallel_for(found.size(), 4, {}, [&](std::size_t i, unsigned worker) {
      const std::size_t asset = (i * 29 + worker) % count;
      found[i] = &indexed.prefabs().flatten(static_cast<AssetNumber>(asset));
    });
    for (AssetNumber asset = 0; asset < count; ++asset) {
      CHECK(summary(indexed.prefabs().flatten(asset)) == alone[asset]);
    }
  }
}

TEST_CASE("Cycles of parents and very deep children are handled", "[registry][prefab]") {
  UnityProject project;
  PrefabText circle;
  circle.object(100, "A", {400})
      .transform(400, 100, 401)
      .object(101, "B", {401})
      .transform(401, 101, 400);
  project.file("Assets/Circle.prefab", circle.text());
  PrefabText deep;
  for (std::int64_t i = 1; i <= 20'000; ++i) {
    deep.object(i, "x", {i + 100'000}).transform(i + 100'000, i, i == 1 ? 0 : i + 99'999);
  }
  project.file("Assets/Deep.prefab", deep.text());
  const IndexedProject indexed(project.files);
  CHECK_FALSE(indexed.flat("Assets/Circle.prefab").problems.empty());
  CHECK(indexed.flat("Assets/Deep.prefab").entities.size() == 20'000);
}

TEST_CASE("A weak reference is read in every spelling, also in overrides",
          "[registry][prefab][sys-10]") {
  const std::string hex = "00112233445566778899aabbccddeeff";
  const auto [body, expected, reason] = GENERATE_COPY(table<std::string, std::string, std::string>({
      {"  w:\n    guid: " + hex + "\n", hex, "text"},
      {"  w:\n    val0: 1122867\n    val1: 1719092309\n    val2: -1146447480\n    val3: -1122868\n",
       hex, "four integers"},
      {"  w: " + hex + "\n", hex, "bare"},
      {"  w:\n    guid:\n", std::string(32, '0'), "unset text"},
      {"  w:\n    val0: 0\n    val1: 0\n    val2: 0\n    val3: 0\n", std::string(32, '0'),
       "unset integers"},
  }));
  CAPTURE(reason);
  UnityProject project;
  const Guid script = project.script("Thing");
  PrefabText text;
  text.object(100, "Root", {400, 500}).transform(400, 100, 0).behaviour(500, 100, script, body);
  project.file("Assets/P.prefab", text.text());
  const IndexedProject indexed(project.files);
  const SourceComponent* thing = indexed.flat("Assets/P.prefab").entities[0].find("Thing");
  REQUIRE(thing != nullptr);
  REQUIRE(thing->weak_reference("w").has_value());
  CHECK(thing->weak_reference("w").value().to_string() == expected);
  CHECK_FALSE(thing->weak_reference("nothing").has_value());
}

}  // namespace
}  // namespace muster
