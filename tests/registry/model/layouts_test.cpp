// Tests the layouts of registries, from the oldest (S) to the newest (F).
#include <catch2/catch.hpp>

#include "registry/model/project.h"
#include "tests/support/open_project.h"

namespace muster {
namespace {

using testing::UnityProject;

std::vector<Guid> sorted(std::vector<Guid> guids) {
  std::sort(guids.begin(), guids.end());
  return guids;
}

const Registry& only_registry(const Project& project) {
  REQUIRE(project.model().registries.size() == 1);
  return project.model().registries.front();
}

// A definition with three prefabs. References are words (`val0..val3`) or texts (`guid:`).
std::string triple(const Guid& server, const Guid& client, const Guid& first_person, bool words) {
  std::string body;
  for (const auto& [key, guid] :
       {std::pair("prefabServer", server), std::pair("prefabClient", client),
        std::pair("prefab1P", first_person)}) {
    body += std::string("  ") + key + ":\n";
    body += words ? UnityProject::words(guid, 4)
                  : "    guid: " + (guid.is_null() ? "" : guid.to_string()) + "\n";
  }
  return body;
}

TEST_CASE(
    "A replicated entity registry of the first layout uses indices as ids and packs only prefabs",
    "[registry][registries][sys-2]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid a = project.prefab("Assets/A.prefab", {{entity, "  guid: \n"}});
  const Guid b = project.prefab("Assets/B.prefab", {{entity, "  guid: \n"}});
  const Guid factory_class = project.script("ReplicatedEntityFactor", "ScriptableObject");
  const Guid factory = project.asset("Assets/F.asset", factory_class, "  typeId: 1\n");
  const Guid registry = project.script("ReplicatedEntityRegistry", "RegistryBase");
  project.asset("Assets/Registry.asset", registry,
                "  server: 0\n  entries:\n  - prefab:\n      guid: " + a.to_string() +
                    "\n    factory: {fileID: 0}\n  - prefab:\n      guid: \n    factory: " +
                    UnityProject::strong(factory) + "\n  - prefab:\n      guid: " + b.to_string() +
                    "\n    factory: {fileID: 0}\n");
  const auto opened = open(project);
  const Registry& found = only_registry(*opened);
  REQUIRE(found.entries.size() == 3);
  CHECK(found.entries[0].type_id == TypeId(0));
  CHECK(found.entries[1].type_id == TypeId(1));
  CHECK(found.entries[1].references.front().role == ReferenceRule::Role::factory);
  CHECK(found.entries[2].type_id == TypeId(2));
  CHECK(found.entries[2].references.front().guid == b);
  CHECK(opened->model().assets_for(Target::client) == sorted({a, b}));
  CHECK(opened->model().assets_for(Target::server).empty());
}

TEST_CASE(
    "A replicated entity registry of the last layout packs prefabs and factories for both sides",
    "[registry][registries][sys-2][sys-16]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid a = project.prefab("Assets/A.prefab", {{entity, ""}});
  const Guid base = project.script("ReplicatedEntityFactory", "ScriptableObject");
  (void)base;
  const Guid factory_class = project.script("RocketFactory", "ReplicatedEntityFactory");
  const Guid factory = project.asset("Assets/F.asset", factory_class, "  guid:\n");
  const Guid registry = project.script("ReplicatedEntityRegistry", "RegistryBase");
  project.asset("Assets/Registry.asset", registry,
                "  entries:\n  - guid:\n" + UnityProject::words(a, 6) + "    prefab:\n" +
                    UnityProject::words(a, 6) + "    factory: {fileID: 0}\n  - guid:\n" +
                    UnityProject::words(Guid(), 6) + "    prefab:\n" +
                    UnityProject::words(Guid(), 6) + "    factory: {fileID: 0}\n  - guid:\n" +
                    UnityProject::words(factory, 6) + "    prefab:\n" +
                    UnityProject::words(Guid(), 6) +
                    "    factory: " + UnityProject::strong(factory) + "\n");
  const auto opened = open(project);
  const Registry& found = only_registry(*opened);
  REQUIRE(found.entries.size() == 3);
  CHECK(found.entries[1].is_free);
  CHECK(found.entries[2].type_id == TypeId(2));
  CHECK(opened->model().assets_for(Target::client) == sorted({a, factory}));
  CHECK(opened->model().assets_for(Target::server) == sorted({a, factory}));
}

TEST_CASE("A registry counts from one if its definitions store ids from one",
          "[registry][registries][sys-5]") {
  const bool words = GENERATE(false, true);
  const std::uint32_t first = GENERATE(0U, 1U);
  CAPTURE(words, first);
  UnityProject project;
  const Guid definition = project.script("ItemTypeDefinition", "DynamicEnum");
  const Guid server = project.prefab("Assets/S.prefab");
  const Guid client = project.prefab("Assets/C.prefab");
  const Guid first_person = project.prefab("Assets/P.prefab");
  const auto item = [&](const char* path, const Guid& s, const Guid& c, std::uint32_t id) {
    return project.asset(
        path, definition,
        "  registryId: " + std::to_string(id) + "\n" + triple(s, c, first_person, words));
  };
  const Guid sword = item("Assets/Sword.asset", server, client, first);
  const Guid ghost = item("Assets/Ghost.asset", Guid(), client, first + 1);
  const Guid registry = project.script("ItemRegistry", "RegistryBase");
  project.asset("Assets/Items.asset", registry,
                "  entries:\n  - " + UnityProject::strong(sword) + "\n  - " +
                    UnityProject::strong(ghost) + "\n  - {fileID: 0}\n");
  const auto opened = open(project);
  const Registry& found = only_registry(*opened);
  REQUIRE(found.entries.size() == 3);
  CHECK(found.entries[0].type_id == TypeId(first));
  CHECK(found.entries[1].type_id == TypeId(first + 1));
  CHECK(found.entries[0].owner == sword);
  CHECK(found.entries[2].is_free);
  CHECK(opened->model().assets_for(Target::server) == std::vector<Guid>{server});
  CHECK(opened->model().assets_for(Target::client) == sorted({client, first_person}));
}

TEST_CASE("Effects are only for the client and count from one",
          "[registry][registries][sys-3][sys-4]") {
  const std::string kind = GENERATE("SpatialEffect", "HitscanEffect");
  UnityProject project;
  const Guid prefab = project.prefab("Assets/Boom.prefab");
  const Guid definition = project.script(kind + "TypeDefinition", "DynamicEnum");
  const Guid boom = project.asset(
      "Assets/Boom.asset", definition,
      "  registryId: 1\n  prefab:\n    guid: " + prefab.to_string() + "\n  poolSize: 16\n");
  const Guid registry = project.script(kind + "Registry", "Registry<" + kind + "TypeDefinition>");
  project.asset("Assets/Effects.asset", registry,
                "  entries:\n  - " + UnityProject::strong(boom) + "\n");
  const auto opened = open(project);
  const Registry& found = only_registry(*opened);
  REQUIRE(found.entries.size() == 1);
  CHECK(found.entries[0].type_id == TypeId(1));
  CHECK(found.entries[0].pool_size == 16);
  CHECK(opened->model().assets_for(Target::client) == std::vector<Guid>{prefab});
  CHECK(opened->model().assets_for(Target::server).empty());
}

TEST_CASE(
    "A hero's references are abilities in the first layout, none in the second, items in the last",
    "[registry][registries][sys-7]") {
  UnityProject project;
  const Guid ability = project.prefab("Assets/Ability.prefab");
  const Guid server = project.prefab("Assets/S.prefab");
  const Guid client = project.prefab("Assets/C.prefab");
  const Guid item_class = project.script("ItemTypeDefinition", "ScriptableObject");
  const Guid item =
      project.asset("Assets/Item.asset", item_class, triple(server, client, Guid(), true));
  const std::string items = "  items:\n  - itemType: " + UnityProject::strong(item) + "\n";
  const Guid registry = project.script("HeroTypeRegistry", "RegistryBase");
  std::vector<Guid> expected_client;
  std::vector<Guid> expected_server;
  std::string fields;
  std::string base = "ScriptableObject";
  SECTION("the definition has the first layout") {
    fields = items + "  abilities:\n  - guid: " + ability.to_string() + "\n";
    expected_client = expected_server = {ability};
  }
  SECTION("the definition has the second layout") {
    fields = "  registryId: 0\n" + items;
    base = "ScriptableObjectRegistryEntry";
  }
  SECTION("the definition has the last layout") {
    // If `leftover` is not empty, the definition still has the id of an older layout.
    const std::string leftover = GENERATE("", "  registryId: 1\n");
    fields = leftover + "  abilities:\n" + UnityProject::words(ability, 4) + items;
    expected_client = {client};
    expected_server = {server};
  }
  const Guid hero_class = project.script("HeroTypeAsset", base);
  const Guid hero = project.asset("Assets/Hero.asset", hero_class, fields);
  project.asset("Assets/Heroes.asset", registry,
                "  entries:\n  - " + UnityProject::strong(hero) + "\n");
  const auto opened = open(project);
  CHECK(opened->model().assets_for(Target::client) == expected_client);
  CHECK(opened->model().assets_for(Target::server) == expected_server);
  CHECK(only_registry(*opened).entries.front().type_id == TypeId(0));
}

TEST_CASE("Ids of an older layout in definitions are ignored in the last layout",
          "[registry][registries][sys-2]") {
  const auto [base, first] = GENERATE(table<std::string, std::uint32_t>({
      {"ScriptableObject", 0},
      {"DynamicEnum", 1},
      {"Unknown", 1},  // If the source is missing, the stored ids determine the base.
  }));
  const std::string kind = GENERATE("CharacterType", "HeroType", "ProjectileType");
  CAPTURE(base, kind);
  UnityProject project;
  const Guid script =
      project.script(kind == "HeroType" ? "HeroTypeAsset" : kind + "Definition", base);
  const Guid definition = project.asset("Assets/A.asset", script, "  registryId: 1\n");
  const std::string name = kind == "ProjectileType" ? "ProjectileRegistry" : kind + "Registry";
  project.asset("Assets/R.asset", project.script(name, "RegistryBase"),
                "  entries:\n  - " + UnityProject::strong(definition) + "\n");
  const auto opened = open(project);
  const RegistryEntry& entry = only_registry(*opened).entries.front();
  CHECK(entry.type_id == TypeId(first));
  CHECK(entry.stored_id.has_value() == (first == 1));
}

TEST_CASE("Projectiles and characters are read both inline and through definitions",
          "[registry][registries][sys-6][sys-8]") {
  UnityProject project;
  const Guid prefab = project.prefab("Assets/Rocket.prefab");
  const Guid definition = project.script("ProjectileTypeDefinition", "ScriptableObject");
  const Guid rocket = project.asset("Assets/Rocket.asset", definition,
                                    "  clientProjectilePrefab:\n" + UnityProject::words(prefab, 4));
  const Guid registry = project.script("ProjectileRegistry", "RegistryBase");
  const std::string entries =
      GENERATE_COPY("  - assetGuid:\n" + UnityProject::words(rocket, 6) +
                        "    definition: " + UnityProject::strong(rocket) + "\n",
                    "  - definition: " + UnityProject::strong(rocket) + "\n",
                    "  - " + UnityProject::strong(rocket) + "\n");
  project.asset("Assets/Projectiles.asset", registry, "  entries:\n" + entries);
  const auto opened = open(project);
  CHECK(opened->model().assets_for(Target::client) == std::vector<Guid>{prefab});
  CHECK(opened->model().assets_for(Target::server).empty());
  CHECK(only_registry(*opened).entries[0].owner == rocket);
}

TEST_CASE("Presentations keep owner, platform, type and variation",
          "[registry][registries][sys-9]") {
  UnityProject project;
  const Guid owner = project.prefab("Assets/Owner.prefab");
  const Guid shown = project.prefab("Assets/Shown.prefab");
  const Guid registry = project.script("PresentationRegistry", "RegistryBase");
  project.asset("Assets/Presentations.asset", registry,
                "  m_entries:\n  - ownerAssetGuid:\n" + UnityProject::words(owner, 6) +
                    "    platformFlags: 2\n    type: 7\n    variation: 3\n    presentation:\n" +
                    UnityProject::words(shown, 6));
  const auto opened = open(project);
  const Registry& found = only_registry(*opened);
  REQUIRE(found.entries.size() == 1);
  CHECK(found.entries[0].owner == owner);
  CHECK(found.entries[0].key == std::vector<std::string>{owner.to_string(), "2", "7", "3"});
  CHECK(opened->model().assets_for(Target::client) == std::vector<Guid>{shown});
}

TEST_CASE(
    "A root determines the side of its registries, and a registry that no root lists is not built",
    "[registry][registries][sys-11]") {
  UnityProject project;
  const Guid prefab = project.prefab("Assets/A.prefab");
  const Guid registry_class = project.script("CharacterTypeRegistry", "RegistryBase");
  const Guid root_class = project.script("AssetRegistryRoot", "ScriptableObject");
  const std::string inline_entry = "  entries:\n  - prefabServer:\n" +
                                   UnityProject::words(prefab, 6) + "    prefabClient:\n" +
                                   UnityProject::words(prefab, 6);
  const Guid registry = project.asset("Assets/R.asset", registry_class, inline_entry);
  project.asset("Assets/Unlisted.asset", registry_class, inline_entry);
  project.asset(
      "Assets/Server.asset", root_class,
      "  serverBuild: 1\n  assetRegistries:\n  - " + UnityProject::strong(registry) + "\n");
  const auto opened = open(project);
  REQUIRE(opened->model().registries.size() == 2);
  CHECK(opened->model().registries[0].targets == TargetSet(Target::server));
  CHECK(opened->model().registries[1].targets.empty());
  CHECK(opened->model().assets_for(Target::server) == std::vector<Guid>{prefab});
  CHECK(opened->model().assets_for(Target::client).empty());
}

TEST_CASE("A project's own class is found by name, by script guid and by inheritance",
          "[registry][registries]") {
  UnityProject project;
  const Guid prefab = project.prefab("Assets/Car.prefab");
  const std::string body = "  cars:\n  - car:\n      guid: " + prefab.to_string() + "\n";
  SECTION("the script has the name of the class") {
    project.asset("Assets/R.asset", project.script("CarRegistry"), body);
  }
  SECTION("the class names the guid of a script in an assembly") {
    const Guid assembly = project.file("Assets/Cars.dll", "MZ");
    project.asset("Assets/R.asset", assembly, body);
    project.files.add("script-guid", assembly.to_string());
  }
  SECTION("the script derives from the class") {
    project.script("CarRegistry");
    project.asset("Assets/R.asset", project.script("RaceCarRegistry", "CarRegistry"), body);
  }
  ByteVector buffer;
  const auto script = project.files.read(AssetPath::parse("script-guid").value(), 0, 64, buffer);
  project.files.add(
      "muster.yaml",
      "version: 1\nclasses:\n  CarRegistry:\n    entries: cars\n" +
          (script ? "    script: " + std::string(as_text(script.value())) + "\n" : std::string()) +
          "    references:\n    - {path: car, targets: [client]}\n");
  const auto opened = open(project);
  CHECK(only_registry(*opened).declaration->name == "CarRegistry");
  CHECK(opened->model().assets_for(Target::client) == std::vector<Guid>{prefab});
}

TEST_CASE("An unknown role or strength is refused with its line", "[registry][registries]") {
  const auto [declared, good, reason] = GENERATE(table<std::string, bool, std::string>(
      {{"role: prefab", true, "one of the three"},
       {"role: asset", true, "the default"},
       {"role: prefeb", false, "misspelt, so it would mean an asset"},
       {"strength: week", false, "neither strong nor weak"}}));
  CAPTURE(declared, reason);
  UnityProject project;
  project.files.add("muster.yaml",
                    "version: 1\nclasses:\n  CarRegistry:\n    references:\n"
                    "    - {path: car, targets: [client], " +
                        declared + "}\n");
  const auto opened = Project::open(project.files, 1, {});
  REQUIRE(opened.has_value() == good);
  if (!good) CHECK(opened.error().message.starts_with("muster.yaml:5:7: "));
}

TEST_CASE("A list may refer to a prefab through an object of the prefab's base",
          "[registry][registries]") {
  UnityProject project;
  const Guid prefab = project.prefab("Assets/A.prefab");
  project.files.add("muster.yaml",
                    "version: 1\nclasses:\n  PrefabList:\n    references:\n"
                    "    - {path: '', strength: strong, targets: [client], role: prefab}\n");
  project.asset("Assets/L.asset", project.script("PrefabList", "ScriptableObject"),
                "  entries:\n  - {fileID: 77, guid: " + prefab.to_string() + ", type: 3}\n");
  const auto opened = open(project);
  CHECK(opened->model().problems.empty());
  CHECK(opened->model().assets_for(Target::client) == std::vector{prefab});
}

TEST_CASE("A registry is found without its script's package, and as the second object of its file",
          "[registry][registries]") {
  UnityProject project;
  const Guid prefab = project.prefab("Assets/A.prefab", {{project.script("ReplicatedEntity"), ""}});
  const std::string head = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
  const auto object = [](const std::string& id, const Guid& script, const std::string& body) {
    return "--- !u!114 &" + id +
           "\nMonoBehaviour:\n  m_Script: {fileID: 11500000, guid: " + script.to_string() +
           ", type: 3}\n  m_Name: R\n" + body;
  };
  const std::string entries = "  entries:\n  - guid:\n" + UnityProject::words(prefab, 6) +
                              "    prefab:\n" + UnityProject::words(prefab, 6) +
                              "    factory: {fileID: 0}\n";
  SECTION("the asset stores the class name, because the package of the script is missing") {
    const Guid absent = Guid::parse("9f3b1c5e1c5e1c5e1c5e1c5e1c5e1c5e").value();
    const std::string stated =
        "  m_EditorClassIdentifier: Game::Game.Core.ReplicatedEntityRegistry\r\n";
    project.file("Assets/R.asset", head + object("11400000", absent, stated + entries));
  }
  SECTION("the sidecar names the second object as the main object") {
    const Guid other = project.script("ItemTypeDefinition", "ScriptableObject");
    const Guid script = project.script("ReplicatedEntityRegistry", "ScriptableObject");
    const Guid guid = project.file("Assets/R.asset", head + object("-77", other, "  a: 1\n") +
                                                         object("4411223344", script, entries));
    project.files.add("Assets/R.asset.meta", "fileFormatVersion: 2\nguid: " + guid.to_string() +
                                                 "\nNativeFormatImporter:\n"
                                                 "  mainObjectFileID: 4411223344\n");
    project.prefab("Assets/B.prefab", {{project.script("ReplicatedEntity"), ""}});
    prepare(project);
    CHECK(open(project)->model().assets_for(Target::server).size() == 2);
    project.remove("Assets/B.prefab");
    prepare(project);
  }
  const auto opened = open(project);
  CHECK(only_registry(*opened).declaration->name == "ReplicatedEntityRegistry");
  CHECK(opened->model().assets_for(Target::client) == std::vector{prefab});
}

}  // namespace
}  // namespace muster
