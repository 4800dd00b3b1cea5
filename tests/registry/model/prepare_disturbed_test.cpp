// Tests `prepare` after changes by other tools: removed entries, reordered lists, unreadable
// sources. Also tests one registry per side, and empty lists of unknown layout.
#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

#include "registry/model/type_ids.h"
#include "registry/rules/validate.h"
#include "tests/support/open_project.h"
#include "tests/support/prefab_text.h"

namespace muster {
namespace {

using testing::PrefabText;
using testing::UnityProject;

// All ids, by registry path and guid.
std::map<std::pair<std::string, Guid>, std::uint32_t> ids_of(const UnityProject& project) {
  const auto opened = open(project);
  std::map<std::pair<std::string, Guid>, std::uint32_t> ids;
  for (const Registry& registry : opened->model().registries) {
    const std::string& path = opened->index().at(registry.asset).path.text();
    for (const RegistryEntry& entry : registry.entries) {
      if (!entry.is_free) ids.emplace(std::pair(path, identity_of(entry)), entry.type_id.value());
    }
  }
  return ids;
}

std::string text_of(const UnityProject& project, std::string_view path) {
  ByteVector buffer;
  const auto bytes = project.files.read(AssetPath::parse(path).value(), 0, 1 << 20, buffer);
  REQUIRE(bytes.has_value());
  return std::string(as_text(bytes.value()));
}

std::string entry_of(const Guid& guid) {
  return "  - guid:\n" + UnityProject::words(guid, 6) + "    prefab:\n" +
         UnityProject::words(guid, 6) + "    factory: {fileID: 0}\n";
}

bool reports(const UnityProject& project, std::string_view rule) {
  const auto opened = open(project);
  const auto findings = validate(*opened, {});
  return std::ranges::any_of(findings, [&](const Finding& f) { return f.rule == rule; });
}

TEST_CASE(
    "An entry that was removed by hand gets its old id again, and no other asset gets that id",
    "[registry][registries][sys-2]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid registry = project.script("ReplicatedEntityRegistry");
  const Guid a = project.prefab("Assets/A.prefab", {{entity, ""}});
  const Guid b = project.prefab("Assets/B.prefab", {{entity, ""}});
  const Guid c = project.prefab("Assets/C.prefab", {{entity, ""}});
  const std::string path = "Assets/R.asset";
  project.asset(path, registry, "  entries:\n" + entry_of(a) + entry_of(b) + entry_of(c));
  prepare(project);
  project.asset(path, registry, "  entries:\n" + entry_of(a) + entry_of(c));
  prepare(project);
  CHECK(ids_of(project) == std::map<std::pair<std::string, Guid>, std::uint32_t>{
                               {{path, a}, 0}, {{path, b}, 1}, {{path, c}, 2}});

  // The newest asset and its entry are removed by hand. The id stays reserved after each run.
  project.remove("Assets/C.prefab");
  project.asset(path, registry, "  entries:\n" + entry_of(a) + entry_of(b));
  prepare(project);
  prepare(project);
  const Guid d = project.prefab("Assets/D.prefab", {{entity, ""}});
  prepare(project);
  CHECK(ids_of(project).at({path, d}) == 3);
  CHECK_FALSE(reports(project, "type-id-reused"));
}

TEST_CASE("An empty slot in a list that another tool reordered retires no id of another asset",
          "[registry][registries][sys-2]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid registry = project.script("ReplicatedEntityRegistry");
  const Guid a = project.prefab("Assets/A.prefab", {{entity, ""}});
  const Guid b = project.prefab("Assets/B.prefab", {{entity, ""}});
  const Guid c = project.prefab("Assets/C.prefab", {{entity, ""}});
  const std::string free = entry_of(Guid());
  project.asset("Assets/R.asset", registry,
                "  entries:\n" + entry_of(a) + entry_of(b) + free + entry_of(c));
  prepare(project);
  const auto before = ids_of(project);
  project.asset("Assets/R.asset", registry,
                "  entries:\n" + entry_of(c) + free + entry_of(b) + entry_of(a));
  prepare(project);
  CHECK(ids_of(project) == before);
  CHECK_FALSE(reports(project, "type-id-reused"));
}

TEST_CASE("The id of an entry that another tool removed is never given to a new prefab",
          "[registry][registries][sys-2]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid registry = project.script("ReplicatedEntityRegistry");
  const Guid a = project.prefab("Assets/A.prefab", {{entity, ""}});
  const Guid b = project.prefab("Assets/B.prefab", {{entity, ""}});
  project.asset("Assets/R.asset", registry, "  entries:\n" + entry_of(a) + entry_of(b));
  prepare(project);
  project.remove("Assets/B.prefab");
  SECTION("another tool removes the last entry") {
    const Guid c = project.prefab("Assets/C.prefab", {{entity, ""}});
    project.asset("Assets/R.asset", registry, "  entries:\n" + entry_of(a) + entry_of(c));
    prepare(project);
    CHECK(ids_of(project).at({"Assets/R.asset", a}) == 0);
    CHECK(ids_of(project).at({"Assets/R.asset", c}) == 2);
  }
  SECTION("all entries are retired, and another tool rewrites the list") {
    project.remove("Assets/A.prefab");
    prepare(project);
    const Guid c = project.prefab("Assets/C.prefab", {{entity, ""}});
    project.asset("Assets/R.asset", registry, "  entries:\n" + entry_of(c));
    prepare(project);
    CHECK(ids_of(project).at({"Assets/R.asset", c}) == 2);
  }
  CHECK_FALSE(reports(project, "type-id-reused"));
}

TEST_CASE("An empty slot that another tool inserts at the front changes no id",
          "[registry][registries]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid registry = project.script("ReplicatedEntityRegistry");
  const Guid a = project.prefab("Assets/A.prefab", {{entity, "  registryId: 0\n"}});
  const Guid b = project.prefab("Assets/B.prefab", {{entity, "  registryId: 1\n"}});
  project.asset("Assets/R.asset", registry, "  entries:\n" + entry_of(a) + entry_of(b));
  prepare(project);
  const auto before = ids_of(project);
  project.asset("Assets/R.asset", registry,
                "  entries:\n" + entry_of(Guid()) + entry_of(a) + entry_of(b));
  prepare(project);
  CHECK(ids_of(project) == before);
  const std::string lock = text_of(project, "Assets/.R.asset.ids.yaml");
  CHECK(lock.ends_with("retired: []\n"));
  for (const char* rule : {"type-id-reused", "type-id-collision", "registry-id-mismatch"}) {
    CHECK_FALSE(reports(project, rule));
  }
}

TEST_CASE("An entry is not removed while a base of its prefab cannot be read",
          "[registry][registries]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid base = project.prefab("Assets/Base.prefab", {{entity, ""}});
  const Guid variant = project.file(
      "Assets/Variant.prefab",
      "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1001 &700\nPrefabInstance:\n"
      "  m_Modification:\n    m_TransformParent: {fileID: 0}\n    m_Modifications: []\n"
      "    m_RemovedComponents: []\n  m_SourcePrefab: {fileID: 100100000, guid: " +
          base.to_string() + ", type: 3}\n");
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), "  entries: []\n");
  prepare(project);
  const auto before = ids_of(project);
  REQUIRE(before.size() == 2);
  SECTION("the base is a Git LFS pointer") {
    project.files.add("Assets/Base.prefab",
                      "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n");
    prepare(project);
    CHECK(ids_of(project) == before);
  }
  SECTION("the base is not in the project") {
    project.remove("Assets/Base.prefab");
    prepare(project);
    CHECK(ids_of(project).size() == 1);
    CHECK(ids_of(project).contains({"Assets/R.asset", variant}));
  }
}

TEST_CASE("A new asset gets the same id in the client's and the server's registry of a class",
          "[registry][registries][sys-2]") {
  UnityProject project;
  project.script("DynamicEnum", "ScriptableObject");
  const Guid definition = project.script("ItemTypeDefinition", "DynamicEnum");
  const Guid registry = project.script("ItemRegistry", "Registry<ItemTypeDefinition>");
  const Guid root = project.script("AssetRegistryRoot", "ScriptableObject");
  const Guid client = project.asset("Assets/Client/Items.asset", registry, "  entries: []\n");
  const Guid server = project.asset("Assets/Server/Items.asset", registry, "  entries: []\n");
  const auto list = [](const Guid& guid) {
    return "  assetRegistries:\n  - " + UnityProject::strong(guid) + "\n";
  };
  project.asset("Assets/Client.asset", root, "  serverBuild: 0\n" + list(client));
  project.asset("Assets/Server.asset", root, "  serverBuild: 1\n" + list(server));
  const Guid item = project.asset("Assets/Item.asset", definition, "  registryId: 1\n");
  prepare(project);
  CHECK(ids_of(project) ==
        std::map<std::pair<std::string, Guid>, std::uint32_t>{
            {{"Assets/Client/Items.asset", item}, 1}, {{"Assets/Server/Items.asset", item}, 1}});
}

TEST_CASE("An empty registry is filled in the layout of the project's other registries",
          "[registry][registries]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid prefab = project.prefab("Assets/A.prefab");
  project.prefab("Assets/B.prefab", {{entity, "  guid: " + prefab.to_string() + "\n"}});
  const Guid factory =
      project.asset("Assets/F.asset", project.script("BoxFactory", "ReplicatedEntityFactor"), "");
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), "  entries: []\n");
  project.script("ScriptableObjectRegistry", "RegistryBase");
  const Guid shot = project.asset("Assets/P.asset", project.script("ProjectileTypeDefinition"), "");
  project.asset(
      "Assets/Shots.asset",
      project.script("ProjectileRegistry", "ScriptableObjectRegistry<ProjectileTypeDefinition>"),
      "  entries: []\n");
  prepare(project);
  const std::string entities = text_of(project, "Assets/R.asset");
  CHECK(entities.find("  - prefab:\n      guid: ") != std::string::npos);
  CHECK(entities.find("    factory: " + UnityProject::strong(factory)) != std::string::npos);
  CHECK(entities.find("val0") == std::string::npos);
  CHECK(text_of(project, "Assets/Shots.asset")
            .ends_with("  entries:\n  - " + UnityProject::strong(shot) + "\n"));
}

TEST_CASE("The root of an unknown importer's model is the object with the overridden name",
          "[registry][registries]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid model = project.file("Assets/Barrel.glb", "glTF");
  const auto source = [&](const char* id) {
    return "{fileID: " + std::string(id) + ", guid: " + model.to_string() + ", type: 3}";
  };
  const Guid variant =
      project.file("Assets/Barrel.prefab",
                   "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1001 &700\nPrefabInstance:\n"
                   "  m_Modification:\n    m_TransformParent: {fileID: 0}\n    m_Modifications:\n"
                   "    - target: " +
                       source("-927199367670048503") +
                       "\n      propertyPath: m_Name\n      value: Barrel\n"
                       "      objectReference: {fileID: 0}\n    m_RemovedComponents: []\n"
                       "  m_SourcePrefab: " +
                       source("100100000") +
                       "\n--- !u!1 &900 stripped\nGameObject:\n  m_CorrespondingSourceObject: " +
                       source("-927199367670048503") +
                       "\n  m_PrefabInstance: {fileID: 700}\n--- !u!114 &901\nMonoBehaviour:\n"
                       "  m_GameObject: {fileID: 900}\n  m_Script: {fileID: 11500000, guid: " +
                       entity.to_string() + ", type: 3}\n");
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), "  entries: []\n");
  prepare(project);
  CHECK(ids_of(project).contains({"Assets/R.asset", variant}));
}

TEST_CASE("An entry of a truncated prefab keeps its id for any length of the prefab",
          "[registry][registries][sys-2]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  PrefabText text;
  text.object(100, "A", {400, 11400}).transform(400, 100, 0).behaviour(11400, 100, entity);
  const Guid base = project.file("Assets/A.prefab", text.text());
  PrefabText variant;
  variant.instance(9000, base, {.father = 0, .changes = {{100, "m_Name", "V"}}});
  const Guid v = project.file("Assets/V.prefab", variant.text());
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"),
                "  entries:\n" + entry_of(base) + entry_of(v));
  prepare(project);
  const auto before = ids_of(project);
  REQUIRE(before.size() == 2);
  const std::string path = GENERATE("Assets/A.prefab", "Assets/V.prefab");
  const std::string whole = text_of(project, path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(path, whole.substr(0, length));
    project.file(path, whole.substr(0, length));
    prepare(project);
    REQUIRE(ids_of(project) == before);
  }
}

TEST_CASE("A variant that lost its added component keeps its entry", "[registry][registries]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid base = project.prefab("Assets/A.prefab");
  PrefabText instance;
  instance.instance(9000, base, {.father = 0});
  std::string text = instance.text();
  const std::string added =
      "    m_AddedComponents:\n    - targetCorrespondingSourceObject: "
      "{fileID: 100, guid: " +
      base.to_string() + ", type: 3}\n      insertIndex: -1\n      addedObject: {fileID: 77}\n";
  text.insert(text.find("  m_SourcePrefab"), added);
  PrefabText rest;
  rest.stripped(1, 50, 9000, 100, base).behaviour(77, 50, entity);
  text += rest.text().substr(rest.text().find("---"));
  const Guid v = project.file("Assets/V.prefab", text);
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"),
                "  entries:\n" + entry_of(v));
  prepare(project);
  const auto before = ids_of(project);
  REQUIRE(before.size() == 1);
  project.file("Assets/V.prefab", text.substr(0, text.find("--- !u!114")));
  prepare(project);
  CHECK(ids_of(project) == before);
  CHECK(reports(project, "cut-short"));
}

UnityProject with_one_entity() {
  UnityProject project;
  const Guid a = project.prefab("Assets/A.prefab", {{project.script("ReplicatedEntity"), ""}});
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"),
                "  entries:\n" + entry_of(a));
  return project;
}

TEST_CASE("Prepare reports that an entry is kept because its prefab is truncated",
          "[registry][registries]") {
  UnityProject project = with_one_entity();
  const std::string whole = text_of(project, "Assets/A.prefab");
  project.file("Assets/A.prefab", whole.substr(0, whole.find("--- !u!114")));
  const auto opened = open(project);
  const auto planned = plan_prepare(*opened);
  REQUIRE(planned.has_value());
  const PreparePlan& plan = planned.value();
  REQUIRE(plan.remaining.size() == 1);
  CHECK(plan.remaining[0].starts_with("Assets/A.prefab: a part of the file is missing"));
  CHECK(reports(project, "cut-short"));
}

TEST_CASE("Prepare removes the temporary files of a killed run", "[registry][registries]") {
  UnityProject project = with_one_entity();
  const std::vector<std::string> kept = {"Assets/.muster-notes.tmp", "Assets/.other.tmp"};
  for (const std::string& path : kept) project.files.add(path, "");
  project.files.add("Assets/.muster-0123456789abcdef.tmp", "half");
  prepare(project);
  const auto exists = [&](const std::string& path) {
    return project.files.stat(AssetPath::parse(path).value()).has_value();
  };
  CHECK_FALSE(exists("Assets/.muster-0123456789abcdef.tmp"));
  CHECK(std::ranges::all_of(kept, exists));
}

}  // namespace
}  // namespace muster
