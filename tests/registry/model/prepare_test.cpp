#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "registry/model/type_ids.h"
#include "tests/support/open_project.h"

namespace muster {
namespace {

using testing::type_ids_of;
using testing::UnityProject;

PreparePlan plan_of(const Project& project) {
  auto plan = plan_prepare(project);
  REQUIRE(plan.has_value());
  return std::move(plan).value();
}

std::string stored_guid(std::string_view path) {
  return "  m_SerializedData:\n    assetGuid:\n      val0: " + std::to_string(path.size()) + "\n";
}

TEST_CASE("Preparing an empty registry adds prefabs and factories in the last layout",
          "[registry][registries][sys-1][sys-2]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid b = project.prefab("Assets/B.prefab", {{entity, ""}});
  const Guid a = project.prefab("Assets/A.prefab", {{entity, ""}});
  project.prefab("Assets/Plain.prefab");
  project.script("ReplicatedEntityFactory", "ScriptableObject");
  const Guid factory = project.asset(
      "Assets/F.asset", project.script("GameFactory", "ReplicatedEntityFactory"), "  guid:\n");
  const std::string list = GENERATE("  entries: []\n", "", "  entries:\n");
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), list);
  prepare(project);
  CHECK(type_ids_of(project) == std::map<Guid, std::uint32_t>{{a, 0}, {b, 1}, {factory, 2}});
  const auto opened = open(project);
  CHECK(plan_of(*opened).writes.empty());
}

TEST_CASE("A dry run changes nothing on disk", "[registry][registries][sys-1]") {
  UnityProject project;
  project.prefab("Assets/A.prefab", {{project.script("ReplicatedEntity"), ""}});
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), "  entries: []\n");
  const auto before = project.files.files();
  const auto opened = open(project);
  const PreparePlan plan = plan_of(*opened);
  CHECK(plan.registries.front().changes.size() == 1);
  CHECK(project.files.files() == before);
}

TEST_CASE("An inherited component of a variant counts, unless the variant removes it",
          "[registry][registries]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid base = project.prefab("Assets/Base.prefab", {{entity, ""}});
  const std::string head =
      "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1001 &700\nPrefabInstance:\n"
      "  m_Modification:\n    m_TransformParent: {fileID: 0}\n    m_Modifications: []\n";
  const std::string tail =
      "  m_SourcePrefab: {fileID: 100100000, guid: " + base.to_string() + ", type: 3}\n";
  const Guid keeps =
      project.file("Assets/Keeps.prefab", head + "    m_RemovedComponents: []\n" + tail);
  project.file("Assets/Loses.prefab",
               head + "    m_RemovedComponents:\n    - {fileID: 11400, guid: " + base.to_string() +
                   ", type: 3}\n" + tail);
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), "  entries: []\n");
  prepare(project);
  const auto ids = type_ids_of(project);
  CHECK(ids.size() == 2);
  CHECK(ids.contains(base));
  CHECK(ids.contains(keeps));
}

TEST_CASE("A component on the root of an imported model's variant counts",
          "[registry][registries]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid model = project.file("Assets/Barrel.fbx", "Kaydara FBX Binary");
  const auto variant = [&](const char* path, const char* corresponding) {
    return project.file(
        path,
        "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1001 &700\nPrefabInstance:\n"
        "  m_Modification:\n    m_TransformParent: {fileID: 0}\n    m_Modifications: []\n"
        "  m_SourcePrefab: {fileID: 100100000, guid: " +
            model.to_string() +
            ", type: 3}\n--- !u!1 &900 stripped\nGameObject:\n"
            "  m_CorrespondingSourceObject: {fileID: " +
            corresponding + ", guid: " + model.to_string() +
            ",\n    type: 3}\n  m_PrefabInstance: {fileID: 700}\n--- !u!114 &901\n"
            "MonoBehaviour:\n  m_GameObject: {fileID: 900}\n  m_Script: {fileID: 11500000, "
            "guid: " +
            entity.to_string() + ", type: 3}\n");
  };
  const Guid on_root = variant("Assets/Root.prefab", "100000");
  variant("Assets/Child.prefab", "100002");
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), "  entries: []\n");
  prepare(project);
  const auto ids = type_ids_of(project);
  CHECK(ids.size() == 1);
  CHECK(ids.contains(on_root));
}

TEST_CASE(
    "Client and server registries of the first layout give an asset the same id on both sides",
    "[registry][registries][sys-2]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid server = project.prefab("Assets/RobotServer.prefab", {{entity, "  guid: \n"}});
  const Guid client = project.prefab("Assets/RobotClient.prefab", {{entity, "  guid: \n"}});
  const Guid shared = project.prefab("Assets/Crate.prefab", {{entity, "  guid: \n"}});
  project.asset("Assets/Robot.asset",
                project.script("CharacterTypeDefinition", "DynamicEnum, IReplicatedEntityProvider"),
                "  prefabServer:\n    guid: " + server.to_string() +
                    "\n  prefabClient:\n    guid: " + client.to_string() + "\n");
  const Guid registry = project.script("ReplicatedEntityRegistry");
  project.asset("Assets/C.asset", registry, "  server: 0\n  entries: []\n");
  project.asset("Assets/S.asset", registry, "  server: 1\n  entries: []\n");
  prepare(project);
  const auto ids = type_ids_of(project);
  REQUIRE(ids.size() == 3);
  CHECK(ids.at(server) == ids.at(client));
  CHECK(ids.at(shared) != ids.at(client));
  const auto opened = open(project);
  CHECK(plan_of(*opened).writes.empty());
}

TEST_CASE("An id lock is unchanged after a round trip", "[registry][registries]") {
  IdLock lock;
  lock.registry = Guid::parse("00112233445566778899aabbccddeeff").value();
  lock.ids = {{TypeId(0), Guid::parse("0123456789abcdef0123456789abcdef").value()},
              {TypeId(7), Guid::parse("fedcba9876543210fedcba9876543210").value()}};
  lock.retired = {TypeId(1), TypeId(5)};
  const std::string text = format_id_lock(lock);
  yaml::Position fault;
  const auto read = parse_id_lock(text, fault);
  REQUIRE(read.has_value());
  CHECK(format_id_lock(read.value()) == text);
  CHECK(parse_id_lock("version: 1\nids: []\n", fault).has_value());
  const auto [wrong, line, column, reason] =
      GENERATE(table<std::string, std::uint32_t, std::uint32_t, std::string>({
          {"version: 2\n", 1, 1, "no registry"},
          {"version: 3\nregistry: 00112233445566778899aabbccddeeff\n", 1, 1, "a later version"},
          {"version: 2\nregistry: here\n", 2, 11, "no guid"},
          {"version: 1\nids:\n- {id: 70000, guid: x}\n", 3, 3, "an id that is too large"},
          {"version: 1\nids: 5\n", 2, 6, "a value instead of a list"},
          {"version: 1\nretired: 5\n", 2, 10, "a value instead of a list"},
          {"version: 1\nretired: [0, five]\n", 2, 14, "not a number"},
          {"version: 1\nretried: [0]\n", 2, 1, "a misspelled key"},
          {"version: 1\nids: [\n", 3, 1, "an open bracket"},
      }));
  CAPTURE(wrong, reason);
  CHECK_FALSE(parse_id_lock(wrong, fault).has_value());
  CHECK(fault.line == line);
  CHECK(fault.column == column);
}

// Edits a project at random and prepares it after each edit. Checks that an asset never changes its
// id, and that no id is used for two assets.
void check_stability(std::uint64_t seed, bool plain) {
  CAPTURE(seed, plain);
  Random random(seed);
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  if (plain) {
    project.files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
    project.file("Assets/R.yaml", "class: ReplicatedEntityRegistry\nentries: []\n");
  } else {
    project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), "  entries: []\n");
  }
  std::map<std::string, Guid> present;
  std::map<std::uint32_t, Guid> meaning;  // The asset of each id that was ever used.
  std::map<Guid, std::uint32_t> before;
  std::size_t made = 0;
  for (int step = 0; step < 24; ++step) {
    const std::uint64_t action = random.below(4);
    const auto pick = [&] {
      auto chosen = present.begin();
      std::advance(chosen, static_cast<std::ptrdiff_t>(random.below(present.size())));
      return chosen;
    };
    if (action < 2 || present.empty()) {
      const std::string path =
          "Assets/" + std::to_string(random.below(1000)) + "_" + std::to_string(made++) + ".prefab";
      present.emplace(path, project.prefab(path, {{entity, stored_guid(path)}}));
    } else if (action == 2) {
      const auto victim = pick();
      project.remove(victim->first);
      present.erase(victim);
    } else {
      const auto traveller = pick();
      const std::string to = "Assets/Moved/" + std::to_string(made++) + ".prefab";
      project.move(traveller->first, to);
      present.emplace(to, traveller->second);
      present.erase(traveller->first);
    }
    prepare(project);
    const auto now = type_ids_of(project);
    CHECK(now.size() == present.size());
    for (const auto& [guid, id] : now) {
      const auto [known, fresh] = meaning.emplace(id, guid);
      CHECK(known->second == guid);
      if (before.contains(guid)) CHECK(before.at(guid) == id);
    }
    before = now;
  }
}

TEST_CASE("Ids never change and are never reused after any additions, removals, moves and renames",
          "[registry][registries][sys-2]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    check_stability(seed, false);
    check_stability(seed, true);
  }
}

TEST_CASE("A lock keeps ids when another tool reorders a registry", "[registry][registries]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid a = project.prefab("Assets/A.prefab", {{entity, ""}});
  const Guid b = project.prefab("Assets/B.prefab", {{entity, ""}});
  const Guid registry = project.script("ReplicatedEntityRegistry");
  const auto entry = [](const Guid& guid) {
    return "  - guid:\n" + UnityProject::words(guid, 6) + "    prefab:\n" +
           UnityProject::words(guid, 6) + "    factory: {fileID: 0}\n";
  };
  project.asset("Assets/R.asset", registry, "  entries:\n" + entry(a) + entry(b));
  prepare(project);
  const auto before = type_ids_of(project);
  project.asset("Assets/R.asset", registry, "  entries:\n" + entry(b) + entry(a));
  CHECK(type_ids_of(project) == before);
}

TEST_CASE("Prepare changes neither CRLF, nor comments, nor unrelated lines",
          "[registry][registries]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid a = project.prefab("Assets/A.prefab", {{entity, ""}});
  const Guid registry = project.script("ReplicatedEntityRegistry");
  project.asset("Assets/R.asset", registry,
                "  m_Name: R\n  entries:\n  - prefab:\n      guid: " + a.to_string() +
                    "\n    factory: {fileID: 0}\n  after: 1\n");
  const AssetPath path = AssetPath::parse("Assets/R.asset").value();
  ByteVector buffer;
  std::string text(as_text(project.files.read(path, 0, 100000, buffer).value()));
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) {
    text.insert(at, "\r");
  }
  REQUIRE(project.files.write(path, as_bytes(text)).has_value());
  const Guid b = project.prefab("Assets/B.prefab", {{entity, ""}});
  prepare(project);
  const std::string expected = "  - prefab:\r\n      guid: " + b.to_string() +
                               "\r\n    factory: {fileID: 0}\r\n  after: 1\r\n";
  const std::string after(as_text(project.files.read(path, 0, 100000, buffer).value()));
  const std::size_t at = after.find(expected);
  REQUIRE(at != std::string::npos);
  CHECK(after.substr(0, at) + "  after: 1\r\n" == text);
}

}  // namespace
}  // namespace muster
