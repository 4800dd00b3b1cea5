// Tests the registry classes of third-party packages.
#include "registry/model/ready_made.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/model/prepare.h"
#include "registry/rules/validate.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::UnityProject;

Guid parsed(std::string_view text) { return Guid::parse(text).value(); }

std::string component_of(const Guid& prefab) {
  return "{fileID: 5120486412, guid: " + prefab.to_string() + ", type: 3}";
}

std::unique_ptr<Project> opened(UnityProject& project, const std::string& names) {
  project.files.add("muster.yaml", "version: 1\nclasses_from: " + names + "\n");
  auto result = Project::open(project.files, 1, {});
  REQUIRE(result.has_value());
  return std::move(result).value();
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

TEST_CASE("Every ready-made declaration can be parsed", "[registry][ready-made]") {
  const auto all = ready_made_classes();
  CHECK(all.size() >= 3);
  CHECK(std::ranges::is_sorted(all, {}, &ReadyMadeClasses::name));
  for (const ReadyMadeClasses& one : all) {
    CAPTURE(one.name);
    MemoryFileSystem files;
    files.add("Assets/.keep", "");
    files.add("muster.yaml", "version: 1\nclasses_from: [" + std::string(one.name) + "]\n");
    const auto config = load_config(files);
    REQUIRE(config.has_value());
    const auto classes = declared_classes(config.value());
    REQUIRE(classes.has_value());
    CHECK(classes.value().size() > builtin_classes().size());
    for (const ClassDeclaration& entry : classes.value()) {
      CHECK((is_built_in(entry) || entry.script.has_value()));
    }
  }
}

TEST_CASE("An unknown name of ready-made classes is refused", "[registry][ready-made]") {
  MemoryFileSystem files;
  files.add("Assets/.keep", "");
  files.add("muster.yaml", "version: 1\nclasses_from: [fishnet, mirage]\n");
  const auto classes = declared_classes(load_config(files).value());
  REQUIRE_FALSE(classes.has_value());
  CHECK(classes.error().code == ErrorCode::malformed);
  CHECK(classes.error().message ==
        "muster.yaml:2:25: there are no ready-made classes 'mirage'; there are: addressables, "
        "fishnet, mirror, unity-netcode");
}

TEST_CASE("Netcode's list of prefabs is read", "[registry][ready-made]") {
  UnityProject project;
  const Guid ship = project.prefab("Assets/Ship.prefab");
  const Guid bot = project.prefab("Assets/Bot.prefab");
  const Guid gone = parsed("b3047ac91fd85e26c49a7f10e8d26b35");
  const auto entry = [](const Guid& prefab, const std::string& source, const std::string& target) {
    return "  - Override: 0\n    Prefab: {fileID: 123, guid: " + prefab.to_string() +
           ", type: 3}\n    SourcePrefabToOverride: " + source +
           "\n    SourceHashToOverride: 0\n    OverridingTargetPrefab: " + target + "\n";
  };
  project.asset("Assets/DefaultNetworkPrefabs.asset", parsed("e651dbb3fbac04af2b8f5abf007ddc23"),
                "  IsDefault: 1\n  List:\n" + entry(ship, "{fileID: 0}", "{fileID: 0}") +
                    entry(ship, component_of(ship), component_of(bot)) +
                    entry(gone, "{fileID: 0}", "{fileID: 0}"));
  const auto open = opened(project, "[unity-netcode]");
  REQUIRE(open->model().registries.size() == 1);
  const Registry& list = open->model().registries.front();
  CHECK(list.declaration->name == "NetworkPrefabsList");
  CHECK(list.targets == TargetSet::both());
  REQUIRE(list.entries.size() == 3);
  CHECK(list.entries[1].references.size() == 3);
  CHECK(open->model().assets_for(Target::server).size() == 3);
  const auto found = findings_of(*open);
  CHECK(std::ranges::count(found, "unresolved-reference Assets/DefaultNetworkPrefabs.asset") == 1);
}

TEST_CASE("FishNet's list is read, with indices as ids", "[registry][ready-made]") {
  UnityProject project;
  const Guid crate = project.prefab("Assets/Crate.prefab");
  const Guid barrel = project.prefab("Assets/Barrel.prefab");
  project.asset("Assets/DefaultPrefabObjects.asset", parsed("3ad70174b079c2f4ebc7931d3dd1af6f"),
                "  _prefabs:\n  - " + component_of(crate) + "\n  - " + component_of(barrel));
  const auto open = opened(project, "[addressables, fishnet]");
  REQUIRE(open->model().registries.size() == 1);
  const Registry& list = open->model().registries.front();
  CHECK(list.declaration->name == "DefaultPrefabObjects");
  REQUIRE(list.entries.size() == 2);
  CHECK(list.entries[1].type_id == TypeId(1));
  REQUIRE(list.entries[1].references.size() == 1);
  CHECK(list.entries[1].references[0].guid == barrel);
  CHECK(findings_of(*open) == std::vector<std::string>{});
  // Only the lock is written, because the editor owns the list.
  const auto plan = plan_prepare(*open);
  REQUIRE(plan.has_value());
  for (const FileWrite& write : plan.value().writes) CHECK(is_lock_name(write.path.name()));
}

TEST_CASE("Groups of Addressables are read", "[registry][ready-made]") {
  UnityProject project;
  const Guid boat = project.prefab("Assets/Boat.prefab");
  const Guid song = project.file("Assets/Song.wav", "RIFF");
  const Guid script = parsed("bbb281ee3bf0b054c82ac2347e9e782c");
  const auto entry = [](const std::string& guid, const std::string& address) {
    return "  - m_GUID: " + guid + "\n    m_Address: " + address +
           "\n    m_ReadOnly: 0\n    m_SerializedLabels: []\n";
  };
  project.asset("Assets/Default.asset", script,
                "  m_GroupName: Default\n  m_GUID: 7feb6b818bc574722a21e4df3ee3b193\n"
                "  m_SerializeEntries:\n" +
                    entry(boat.to_string(), "boat") + entry(song.to_string(), "song") +
                    "  m_ReadOnly: 0");
  project.asset("Assets/Built In Data.asset", script,
                "  m_SerializeEntries:\n" + entry("EditorSceneList", "EditorSceneList") +
                    entry("Resources", "Resources") + "  m_ReadOnly: 1");
  const auto open = opened(project, "[addressables]");
  CHECK(open->model().registries.size() == 2);
  CHECK(open->model().problems.empty());
  CHECK(open->model().assets_for(Target::client) ==
        (boat < song ? std::vector{boat, song} : std::vector{song, boat}));
  CHECK(findings_of(*open) == std::vector<std::string>{});
}

TEST_CASE("A list that is not content is packed if a built asset refers to it",
          "[registry][ready-made]") {
  UnityProject project;
  const auto settings = project.file("Assets/Settings.asset", "%YAML 1.1\n--- !u!114 &1\nA:\n");
  const Guid song = project.file("Assets/Song.wav", "RIFF");
  const Guid group =
      project.asset("Assets/Group.asset", parsed("bbb281ee3bf0b054c82ac2347e9e782c"),
                    "  m_Settings: " + UnityProject::strong(settings) +
                        "\n  m_SerializeEntries:\n  - m_GUID: " + song.to_string() + "\n");
  const Guid list = project.asset("Assets/List.asset", parsed("e651dbb3fbac04af2b8f5abf007ddc23"),
                                  "  List: []\n");
  const Guid prefab = project.prefab(
      "Assets/P.prefab", {{project.script("Manager"), "  m_List: " + UnityProject::strong(list)}});
  const Guid more = project.asset("Assets/More.asset", parsed("e651dbb3fbac04af2b8f5abf007ddc23"),
                                  "  List:\n  - Prefab: " + component_of(prefab) + "\n");
  const auto open = opened(project, "[addressables, unity-netcode]");
  const auto built = built_assets(*open, TargetSet::both());
  const auto is_built = [&](const Guid& guid) { return built.contains(open->index().find(guid)); };
  CHECK(is_built(song));
  CHECK(is_built(prefab));
  CHECK(is_built(list));
  CHECK_FALSE(is_built(group));
  CHECK_FALSE(is_built(settings));
  CHECK_FALSE(is_built(more));
}

TEST_CASE("The key 'packed' determines whether the lists of a project are content",
          "[registry][ready-made]") {
  const std::string packed =
      GENERATE(as<std::string>{}, "", "    packed: true\n", "    packed: false\n");
  UnityProject project;
  project.files.add("muster.yaml", "version: 1\nclasses:\n  Things:\n" + packed +
                                       "    references:\n    - {path: thing, targets: [client]}\n");
  const Guid list = project.asset("Assets/Things.asset",
                                  project.script("Things", "ScriptableObject"), "  entries: []\n");
  const auto open = Project::open(project.files, 1, {});
  REQUIRE(open.has_value());
  const auto built = built_assets(*open.value(), Target::client);
  CHECK(built.contains(open.value()->index().find(list)) == (packed.find("false") == packed.npos));
}

TEST_CASE("A project without settings has every ready-made class whose script it has",
          "[registry][ready-made]") {
  UnityProject project;
  const Guid crate = project.prefab("Assets/Crate.prefab");
  project.asset("Assets/DefaultPrefabObjects.asset", parsed("3ad70174b079c2f4ebc7931d3dd1af6f"),
                "  _prefabs:\n  - " + component_of(crate));
  const auto open = Project::open(project.files, 1, {});
  REQUIRE(open.has_value());
  REQUIRE(open.value()->model().registries.size() == 1);
  CHECK(open.value()->model().registries.front().targets == TargetSet::both());
  const auto none = opened(project, "[]");
  CHECK(none->model().registries.empty());
}

TEST_CASE("A folder in a group of Addressables stands for all assets in the folder",
          "[registry][ready-made]") {
  UnityProject project;
  const Guid folder = parsed("b3047ac91fd85e26c49a7f10e8d26b35");
  project.files.add("Assets/Icons.meta", "guid: " + folder.to_string() + "\nfolderAsset: yes\n");
  const Guid near = project.file("Assets/Icons/a.png", "png");
  const Guid deep = project.file("Assets/Icons/Deep/b.png", "png");
  project.file("Assets/Icons/Editor/c.png", "png");
  project.file("Assets/Icons/Tool.cs", "class Tool {}");
  project.file("Assets/IconsToo.png", "png");
  project.asset("Assets/Group.asset", parsed("bbb281ee3bf0b054c82ac2347e9e782c"),
                "  m_SerializeEntries:\n  - m_GUID: " + folder.to_string() +
                    "\n    m_Address: Icons\n  - m_GUID: " + near.to_string());
  const auto open = opened(project, "[addressables]");
  std::vector<Guid> wanted{near, deep};
  std::ranges::sort(wanted);
  CHECK(open->model().assets_for(Target::client) == wanted);
  for (const std::string& found : findings_of(*open)) CHECK(found.starts_with("missing-meta"));
}

TEST_CASE("Only classes with ids have a maximum number of entries", "[registry][ready-made]") {
  UnityProject project;
  std::string by_guid = "  m_SerializeEntries:";
  std::string by_index = "  _prefabs:";
  for (int i = 0; i < 65'600; ++i) {
    const Guid note = project.file("Assets/" + std::to_string(i) + ".txt", "note");
    by_guid += "\n  - m_GUID: " + note.to_string();
    by_index += "\n  - {fileID: 0}";
  }
  project.asset("Assets/Group.asset", parsed("bbb281ee3bf0b054c82ac2347e9e782c"), by_guid);
  project.asset("Assets/List.asset", parsed("3ad70174b079c2f4ebc7931d3dd1af6f"), by_index);
  const auto open = opened(project, "[addressables, fishnet]");
  REQUIRE(open->model().registries.size() == 1);
  CHECK(open->model().registries.front().entries.size() == 65'600);
  REQUIRE(open->model().problems.size() == 1);
  CHECK(open->model().problems.front().kind == ModelProblem::Kind::too_many);
  CHECK(findings_of(*open) == std::vector<std::string>{"too-many-entries Assets/List.asset"});
}

}  // namespace
}  // namespace muster
