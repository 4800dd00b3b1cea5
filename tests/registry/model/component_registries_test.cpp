// Tests registries that are components in prefabs and scenes.
#include "registry/model/component_registries.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/model/prepare.h"
#include "registry/rules/validate.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::UnityProject;

constexpr std::string_view kHead = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";

Guid parsed(std::string_view text) { return Guid::parse(text).value(); }

Guid manager_script() { return parsed("8aab4c8111b7c411b9b92cf3dbc5bd4e"); }
Guid room_script() { return parsed("615e6c6589cf9e54cad646b5a11e0529"); }

std::string object_of(const Guid& prefab) {
  return "{fileID: 100, guid: " + prefab.to_string() + ", type: 3}";
}

std::string manager_fields(const std::string& player, const std::vector<Guid>& spawned) {
  std::string text = "  playerPrefab: " + player + "\n  autoCreatePlayer: 1\n  spawnPrefabs:";
  if (spawned.empty()) text += " []";
  text += "\n";
  for (const Guid& guid : spawned) text += "  - " + object_of(guid) + "\n";
  return text;
}

// A scene with one component.
Guid scene(UnityProject& project, std::string_view path, const Guid& script,
           const std::string& fields) {
  return project.file(
      path, std::string(kHead) +
                "--- !u!29 &1\nOcclusionCullingSettings:\n  m_ObjectHideFlags: 0\n"
                "--- !u!1 &500\nGameObject:\n  m_Component:\n  - component: {fileID: 501}\n"
                "  - component: {fileID: 502}\n  m_Name: Network\n"
                "--- !u!4 &501\nTransform:\n  m_GameObject: {fileID: 500}\n  m_Children: []\n"
                "  m_Father: {fileID: 0}\n"
                "--- !u!114 &502\nMonoBehaviour:\n  m_GameObject: {fileID: 500}\n"
                "  m_Script: {fileID: 11500000, guid: " +
                script.to_string() + ", type: 3}\n" + fields);
}

// A scene with an instance of a prefab, and one override for each path.
Guid scene_of_instance(UnityProject& project, std::string_view path, const Guid& prefab,
                       const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string text = std::string(kHead) +
                     "--- !u!1001 &900\nPrefabInstance:\n  m_Modification:\n"
                     "    m_TransformParent: {fileID: 0}\n    m_Modifications:\n";
  for (const auto& [name, reference] : changes) {
    text += "    - target: {fileID: 11400, guid: " + prefab.to_string() +
            ", type: 3}\n      propertyPath: " + name +
            "\n      value: \n      objectReference: " + reference + "\n";
  }
  return project.file(path, text +
                                "    m_RemovedComponents: []\n  m_SourcePrefab: {fileID: "
                                "100100000, guid: " +
                                prefab.to_string() + ", type: 3}\n");
}

std::unique_ptr<Project> opened(UnityProject& project) {
  auto result = Project::open(project.files, 1, {});
  REQUIRE(result.has_value());
  return std::move(result).value();
}

std::vector<Guid> sorted(std::vector<Guid> guids) {
  std::ranges::sort(guids);
  return guids;
}

// "RULE PATH" for each finding except notes.
std::vector<std::string> findings_of(const Project& project) {
  std::vector<std::string> found;
  for (const Finding& finding : validate(project, {})) {
    if (finding.severity == Severity::note) continue;
    found.push_back(std::string(finding.rule) + " " + finding.location.path.text());
  }
  return found;
}

TEST_CASE("Mirror's manager in a scene is a registry", "[registry][components]") {
  UnityProject project;
  const Guid player = project.prefab("Assets/Player.prefab");
  const Guid ball = project.prefab("Assets/Ball.prefab");
  const Guid other = project.prefab("Assets/Other.prefab");
  scene(project, "Assets/Main.unity", manager_script(), manager_fields(object_of(player), {ball}));
  const auto open = opened(project);
  REQUIRE(open->model().registries.size() == 1);
  const Registry& manager = open->model().registries.front();
  CHECK(manager.declaration->name == "NetworkManager");
  CHECK(manager.targets == TargetSet::both());
  REQUIRE(manager.entries.size() == 2);
  CHECK(manager.entries[0].references.at(0).guid == player);
  CHECK(manager.entries[0].references.at(0).location.position.line == 21);
  for (const Target target : kTargets) {
    const auto assets = open->model().assets_for(target);
    CHECK(assets == sorted({player, ball}));
    CHECK_FALSE(std::ranges::count(assets, other) != 0);
    // The scene is not packed.
    CHECK(open->model().holders_for(target).empty());
  }
  CHECK(findings_of(*open) == std::vector<std::string>{});
  const auto plan = plan_prepare(*open);
  REQUIRE(plan.has_value());
  CHECK(plan.value().writes.empty());
}

TEST_CASE("A prefab with managers is one registry with the entries of all its managers",
          "[registry][components]") {
  UnityProject project;
  const Guid player = project.prefab("Assets/Player.prefab");
  const Guid lobby = project.prefab("Assets/Lobby.prefab");
  const Guid ball = project.prefab("Assets/Ball.prefab");
  project.prefab("Assets/Network.prefab",
                 {{room_script(), manager_fields(object_of(player), {}) +
                                      "  roomPlayerPrefab: " + object_of(lobby) + "\n"},
                  {manager_script(), manager_fields("{fileID: 0}", {ball})}});
  const auto open = opened(project);
  REQUIRE(open->model().registries.size() == 1);
  CHECK(open->model().registries.front().declaration->name == "NetworkRoomManager");
  CHECK(open->model().assets_for(Target::server) == sorted({player, lobby, ball}));
  CHECK(findings_of(*open) == std::vector<std::string>{});
}

TEST_CASE("A manager of a derived class is found through the project's scripts",
          "[registry][components]") {
  UnityProject project;
  const Guid ball = project.prefab("Assets/Ball.prefab");
  const Guid lobby = project.prefab("Assets/Lobby.prefab");
  const Guid own = project.script("ArenaManager", "NetworkManager");
  const Guid rooms = project.script("ArenaRooms", "NetworkRoomManager");
  scene(project, "Assets/A.unity", own, manager_fields("{fileID: 0}", {ball}));
  scene(project, "Assets/B.unity", rooms,
        manager_fields("{fileID: 0}", {}) + "  roomPlayerPrefab: " + object_of(lobby) + "\n");
  const auto open = opened(project);
  CHECK(open->model().registries.size() == 2);
  CHECK(open->model().assets_for(Target::client) == sorted({ball, lobby}));
}

TEST_CASE("Another class with the same name as Mirror's class is not a registry",
          "[registry][components]") {
  UnityProject project;
  const Guid player = project.prefab("Assets/Player.prefab");
  const Guid own = project.script("NetworkManager");
  scene(project, "Assets/Main.unity", own, "  playerPrefab: " + object_of(player) + "\n");
  const auto open = opened(project);
  CHECK(open->model().registries.empty());
  CHECK(open->model().problems.empty());
}

TEST_CASE("Overrides in an instance of a manager's prefab are packed as well",
          "[registry][components]") {
  UnityProject project;
  const Guid player = project.prefab("Assets/Player.prefab");
  const Guid ball = project.prefab("Assets/Ball.prefab");
  const Guid knight = project.prefab("Assets/Knight.prefab");
  const Guid arrow = project.prefab("Assets/Arrow.prefab");
  const Guid skin = project.prefab("Assets/Skin.prefab");
  const Guid base = project.prefab("Assets/Network.prefab",
                                   {{manager_script(), manager_fields(object_of(player), {ball})}});
  scene_of_instance(project, "Assets/Same.unity", base, {{"m_Name", "{fileID: 0}"}});
  scene_of_instance(project, "Assets/Main.unity", base,
                    {{"playerPrefab", object_of(knight)},
                     {"spawnPrefabs.Array.size", "{fileID: 0}"},
                     {"spawnPrefabs.Array.data[1]", object_of(arrow)},
                     {"skin", object_of(skin)}});
  const auto open = opened(project);
  REQUIRE(open->model().registries.size() == 2);
  CHECK(open->model().assets_for(Target::client) == sorted({player, ball, knight, arrow}));
}

TEST_CASE("A manager is found through an instance of an instance", "[registry][components]") {
  UnityProject project;
  const Guid arrow = project.prefab("Assets/Arrow.prefab");
  const Guid base = project.prefab("Assets/Network.prefab",
                                   {{manager_script(), manager_fields("{fileID: 0}", {})}});
  const Guid variant =
      scene_of_instance(project, "Assets/Variant.prefab", base, {{"m_Name", "{fileID: 0}"}});
  scene_of_instance(project, "Assets/Main.unity", variant,
                    {{"spawnPrefabs.Array.data[0]", object_of(arrow)}});
  const auto open = opened(project);
  CHECK(open->model().assets_for(Target::client) == std::vector{arrow});
}

TEST_CASE("A missing prefab in a manager's list is an error", "[registry][components]") {
  UnityProject project;
  const Guid gone = parsed("b3047ac91fd85e26c49a7f10e8d26b35");
  scene(project, "Assets/Main.unity", manager_script(), manager_fields("{fileID: 0}", {gone}));
  const auto found = findings_of(*opened(project));
  CHECK(std::ranges::count(found, "unresolved-reference Assets/Main.unity") >= 1);
}

TEST_CASE("A manager's file that cannot be parsed blocks the build", "[registry][components]") {
  UnityProject project;
  const Guid ball = project.prefab("Assets/Ball.prefab");
  scene(project, "Assets/Main.unity", manager_script(),
        manager_fields("{fileID: 0}", {ball}) + "  broken: [\n");
  const auto found = findings_of(*opened(project));
  CHECK(std::ranges::count(found, "yaml-syntax Assets/Main.unity") >= 1);
}

TEST_CASE("A project can declare its own components as registries", "[registry][components]") {
  UnityProject project;
  const auto declare = [&](const std::string& rest) {
    project.files.add("muster.yaml",
                      "version: 1\nclasses_from: []\nclasses:\n  Spawner:\n    entries: things\n"
                      "    references:\n"
                      "    - {path: \"\", strength: strong, targets: [server], role: prefab}\n" +
                          rest);
    return declared_classes(load_config(project.files).value());
  };
  CHECK_FALSE(declare("    is_component: true\n").has_value());
  CHECK_FALSE(declare("    ids: false\n    single_entries: [one]\n").has_value());
  REQUIRE(declare("    is_component: true\n    ids: false\n").has_value());
  const Guid ball = project.prefab("Assets/Ball.prefab");
  scene(project, "Assets/Main.unity", project.script("Spawner"),
        "  things:\n  - " + object_of(ball) + "\n");
  const auto open = opened(project);
  CHECK(open->model().assets_for(Target::server) == std::vector{ball});
  CHECK(open->model().assets_for(Target::client).empty());
}

}  // namespace
}  // namespace muster
