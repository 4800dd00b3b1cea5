#include "bundler/cook/asset_cooker.h"

#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

#include "bundler/cook/cook_answers.h"
#include "bundler/cook/object_to_tree.h"
#include "registry/base/disk_file_system.h"
#include "registry/components/describe.h"
#include "registry/model/open_variants.h"
#include "runtime/bundle/prefab_reader.h"
#include "tests/support/arena_build.h"
#include "tests/support/decoded.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::UnityProject;

const std::string kHead = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";

const CookedEntry* entry_of(const CookedAsset& asset, EntryKind kind) {
  for (const CookedEntry& entry : asset.entries) {
    if (entry.kind == kind) return &entry;
  }
  return nullptr;
}

TEST_CASE("Every text file of the sample game is cooked to an equal tree",
          "[bundler][cook][sys-12]") {
  const DiskFileSystem files = DiskFileSystem::open(MUSTER_SOURCE_DIR "/content/arena").value();
  const auto project = Project::open(files, 2, {}).value();
  const auto components = testing::components_of(*project);
  REQUIRE_FALSE(components.empty());
  const AssetCooker cooker(*project, components);
  std::size_t prefabs = 0;
  std::size_t described = 0;
  for (AssetNumber number = 0; number < project->index().assets().size(); ++number) {
    const Asset& asset = project->index().at(number);
    if (asset.is_folder) continue;
    CAPTURE(asset.path.text());
    const CookedAsset cooked = cooker.cook(number);
    CHECK(cooked.problems.empty());
    REQUIRE_FALSE(cooked.entries.empty());
    for (const CookedEntry& entry : cooked.entries) {
      CHECK(entry.guid == packed_guid(*project, number));
    }
    const CookedEntry* object = entry_of(cooked, EntryKind::object);
    CHECK((object != nullptr) == holds_references(asset.path));
    if (object == nullptr) continue;
    const auto reader = ObjectReader::open(object->plain);
    REQUIRE(reader.has_value());
    const auto found =
        samples::difference(project->sources().get(number).tree, object_to_tree(reader.value()));
    CHECK(found.value_or("") == "");
    if (!is_prefab(project->sources(), number)) continue;
    ++prefabs;
    const CookedEntry* flat = entry_of(cooked, EntryKind::prefab);
    REQUIRE(flat != nullptr);
    const auto prefab = PrefabReader::open(flat->plain);
    REQUIRE(prefab.has_value());
    const SourcePrefab& source = project->prefabs().flatten(number);
    CHECK(prefab.value().entity_count() == source.entities.size());
    described += prefab.value().description_count();
  }
  CHECK(prefabs >= 60);
  CHECK(described > 100);
}

TEST_CASE("A file that is not text is packed unchanged, with its import settings",
          "[bundler][cook]") {
  UnityProject project;
  const std::string picture("\x89PNG\0\1\2\xFF", 8);
  project.file("Assets/a.png", picture);
  project.file("Assets/empty.txt", "");
  const std::string graph =
      "\xEF\xBB\xBF{\r\n    \"m_Name\": \"x\",\r\n    \"m_List\": [1, 2]\r\n}";
  project.file("Assets/a.shadergraph", graph);
  // The head of the engine's native format has the length of the file: 64 bytes.
  const std::string native =
      std::string("\0\0\0\0\0\0\0\x40\0\0\0\x15", 12) + std::string(52, '\0');
  project.file("Assets/native.asset", native);
  const auto opened = Project::open(project.files, 1, {}).value();
  const AssetCooker cooker(*opened, {});
  const auto cook = [&](const char* path) {
    return cooker.cook(opened->index().find(AssetPath::parse(path).value()));
  };
  for (const auto& [path, bytes] :
       {std::pair("Assets/a.png", picture), std::pair("Assets/empty.txt", std::string()),
        std::pair("Assets/a.shadergraph", graph), std::pair("Assets/native.asset", native)}) {
    CAPTURE(path);
    const CookedAsset cooked = cook(path);
    CHECK(cooked.problems.empty());
    CHECK(cooked.source_bytes == bytes.size());
    const CookedEntry* raw = entry_of(cooked, EntryKind::raw);
    REQUIRE(raw != nullptr);
    CHECK(as_text(raw->plain) == bytes);
    const CookedEntry* settings = entry_of(cooked, EntryKind::import_settings);
    REQUIRE(settings != nullptr);
    CHECK(ObjectReader::open(settings->plain).has_value());
  }
}

TEST_CASE("A cooking error has a position and a reason", "[bundler][cook]") {
  struct Row {
    const char* reason;
    const char* path;
    std::string text;
    std::uint32_t line;
  };
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
  const auto row = GENERATE_COPY(
      Row{"a pointer for a prefab", "Assets/a.prefab", pointer, 1},
      Row{"a pointer for a picture", "Assets/a.png", pointer, 1},
      Row{"broken syntax", "Assets/a.prefab", kHead + "--- !u!1 &1\nGameObject:\n  a: {b: 1\n", 5},
      Row{"an empty file", "Assets/a.mat", "", 0},
      Row{"not the engine's text", "Assets/a.mat", "words\n", 1},
      Row{"binary data instead of text", "Assets/a.mat", std::string(64, '\0'), 0},
      Row{"unknown bytes", "Assets/a.asset", std::string(64, '\0'), 0},
      Row{"without a root", "Assets/a.prefab", kHead + "--- !u!21 &1\nMaterial:\n  a: 1\n", 0});
  CAPTURE(row.reason);
  UnityProject project;
  project.file(row.path, row.text);
  const auto opened = Project::open(project.files, 1, {}).value();
  const AssetCooker cooker(*opened, {});
  const CookedAsset cooked = cooker.cook(opened->index().find(AssetPath::parse(row.path).value()));
  REQUIRE(cooked.problems.size() == 1);
  CHECK(cooked.problems.front().location.path.text() == row.path);
  CHECK(cooked.problems.front().location.position.line == row.line);
}

TEST_CASE("The cooked data contains the name of a stripped component, but not its values",
          "[bundler][cook][strip]") {
  const bool is_unity = GENERATE(true, false);
  UnityProject project;
  const Guid picture = project.file("Assets/a.png", "x");
  const std::string use = "{fileID: 1, guid: " + picture.to_string() + ", type: 3}";
  const std::string path = is_unity ? "Assets/a.prefab" : "Assets/a.yaml";
  project.file(path, is_unity
                         ? kHead +
                               "--- !u!1 &1\nGameObject:\n  m_Name: A\n  m_Component:\n"
                               "  - component: {fileID: 2}\n  - component: {fileID: 3}\n"
                               "--- !u!4 &2\nTransform:\n  m_GameObject: {fileID: 1}\n"
                               "--- !u!23 &3\nMeshRenderer:\n  m_GameObject: {fileID: 1}\n"
                               "  m_Main: " +
                               use + "\n"
                         : "class: Prefab\nroot:\n  name: A\n  components:\n  - Transform: {x: 1}\n"
                           "  - MeshRenderer: {main: " +
                               use + "}\n");
  const auto opened = Project::open(project.files, 1, {}).value();
  const AssetNumber number = opened->index().find(AssetPath::parse(path).value());
  const StripRules rules = StripRules::defaults_for(Target::server);
  const CookedAsset whole = AssetCooker(*opened, {}).cook(number);
  const CookedAsset bare = AssetCooker(*opened, {}, &rules).cook(number);
  REQUIRE(whole.problems.empty());
  REQUIRE(bare.problems.empty());
  // Both targets depend on the stripping rules, so the reuse of a bundle must check the rules.
  const CookQuestion question{
      .kind = CookQuestionKind::stripping, .guid = {}, .text = "MeshRenderer"};
  CHECK(std::ranges::count(whole.questions, question) > 0);
  CHECK(std::ranges::count(bare.questions, question) > 0);
  const auto object_of = [](const CookedAsset& cooked) {
    return ObjectReader::open(entry_of(cooked, EntryKind::object)->plain).value();
  };
  CHECK(samples::guid_count(object_of(whole)) == 1);
  CHECK(samples::guid_count(object_of(bare)) == 0);
  CHECK(object_of(whole).document_count() == object_of(bare).document_count());
  if (is_unity) {
    const ObjectReader object = object_of(bare);
    const ObjectDocument renderer = object.document(2);
    CHECK(renderer.is_stripped);
    CHECK(renderer.type_name == "MeshRenderer");
    CHECK(renderer.file_id == 3);
    CHECK_FALSE(renderer.root.has_value());
  }
  const auto types_of = [](const CookedAsset& cooked) {
    const PrefabReader prefab =
        PrefabReader::open(entry_of(cooked, EntryKind::prefab)->plain).value();
    std::vector<std::string> types;
    for (std::uint32_t i = 0; i < prefab.component_count(); ++i) {
      types.emplace_back(prefab.component(i).type);
    }
    return types;
  };
  CHECK(std::ranges::count(types_of(whole), "MeshRenderer") == 1);
  CHECK(std::ranges::count(types_of(bare), "MeshRenderer") == 0);
  CHECK(types_of(whole).size() == types_of(bare).size() + 1);
}

TEST_CASE("A script with the name of an engine component is kept in the cooked data",
          "[bundler][cook][strip]") {
  UnityProject project;
  const Guid picture = project.file("Assets/a.png", "x");
  const Guid script = project.script("Light");
  const Guid factory = project.script("LightFactory", "ReplicatedEntityFactory");
  const std::string use = "  m_Main: {fileID: 1, guid: " + picture.to_string() + ", type: 3}\n";
  const Guid lamp = project.prefab("Assets/a.prefab", {{script, use}});
  const Guid made = project.asset("Assets/b.asset", factory, "  light: {power: 1}\n");
  const auto opened = Project::open(project.files, 1, {}).value();
  std::vector<ComponentDescription> described(1);
  described.front().name = "Light";
  const auto types_with = [&](const Guid& guid, const StripRules& rules) {
    const AssetCooker cooker(*opened, described, &rules);
    const CookedAsset cooked = cooker.cook(opened->index().find(guid));
    CHECK(cooked.problems.empty());
    CHECK(std::ranges::count(cooked.questions,
                             CookQuestion{CookQuestionKind::script_stripping, {}, "Light"}) > 0);
    CHECK(std::ranges::count(cooked.questions,
                             CookQuestion{CookQuestionKind::stripping, {}, "Light"}) == 0);
    const PrefabReader prefab =
        PrefabReader::open(entry_of(cooked, EntryKind::prefab)->plain).value();
    std::vector<std::string> types;
    for (std::uint32_t i = 0; i < prefab.component_count(); ++i) {
      types.emplace_back(prefab.component(i).type);
    }
    return std::pair(types,
                     samples::guid_count(
                         ObjectReader::open(entry_of(cooked, EntryKind::object)->plain).value()));
  };
  const StripRules defaults = StripRules::defaults_for(Target::server);
  REQUIRE(defaults.strips_class("Light", ClassOwner::engine));
  const auto [kept_types, kept_guids] = types_with(lamp, defaults);
  CHECK(std::ranges::count(kept_types, "Light") == 1);
  CHECK(kept_guids == types_with(lamp, StripRules()).second);
  CHECK(types_with(made, defaults).first == std::vector<std::string>{"Light"});
  const CookAnswers answers(*opened, described, [](const AssetPath&) { return ContentHash(); });
  CHECK(answers.answer({CookQuestionKind::stripping, {}, "Light"}, Target::server) !=
        ContentHash());
  CHECK(answers.answer({CookQuestionKind::script_stripping, {}, "Light"}, Target::server) ==
        ContentHash());
}

TEST_CASE("A file that disappears or cannot be read is a problem", "[bundler][cook]") {
  const std::string path = GENERATE(as<std::string>{}, "Assets/a.png", "Assets/a.mat");
  UnityProject project;
  project.file(path, "text");
  const auto opened = Project::open(project.files, 1, {}).value();
  const AssetPath asset_path = AssetPath::parse(path).value();
  const AssetNumber number = opened->index().find(asset_path);
  REQUIRE(project.files.remove(asset_path).has_value());
  const Project& project_now = *opened;
  const AssetCooker cooker(project_now, {});
  const CookedAsset cooked = cooker.cook(number);
  REQUIRE(cooked.problems.size() == 1);
  CHECK(cooked.problems.front().location.path == asset_path);
}

TEST_CASE("Every failure to read an asset or its sidecar is reported", "[bundler][cook]") {
  UnityProject project;
  project.file("Assets/a.png", "text");
  testing::FaultyFileSystem files(project.files, ErrorCode::io);
  const auto opened = Project::open(files, 1, {}).value();
  const AssetNumber number = opened->index().find(AssetPath::parse("Assets/a.png").value());
  const AssetCooker cooker(*opened, {});
  std::size_t n = 0;
  for (;; ++n) {
    files.fail_at(n);
    const CookedAsset cooked = cooker.cook(number);
    if (!files.has_failed()) break;
    CAPTURE(files.failed_call());
    CHECK(cooked.problems.size() == 1);
  }
  CHECK(n >= 2);
}

/// The component of replicated entities.
struct Marker {
  AssetReference asset_guid{};
};
consteval auto describe(Type<Marker>) {
  return Describe<Marker>("ReplicatedEntity").field<&Marker::asset_guid>("assetGuid");
}

TEST_CASE("A replicated entity without a stored guid gets the guid of the prefab whose root it is",
          "[bundler][cook]") {
  UnityProject project;
  project.files.add("muster.yaml",
                    "version: 1\nfolders: [Assets]\nvariants:\n  quality: {values: [low, high]}\n");
  const auto prefab = [&](const std::string& path, const std::string& text) {
    return project.file("Assets/" + path, "class: Prefab\n" + text);
  };
  const auto ref = [](const Guid& guid) { return UnityProject::strong(guid); };
  const std::string marked = "  components:\n  - ReplicatedEntity: {}\n";
  const Guid coin = prefab("coin.yaml", "root:\n  name: coin\n" + marked);
  const Guid low = prefab("coin@low.yaml", "root:\n  name: coin\n" + marked);
  const Guid gold = prefab("gold.yaml", "variant_of: " + ref(coin) + "\nroot: {name: gold}\n");
  const Guid heap =
      prefab("heap.yaml",
             "root:\n  name: heap\n  children:\n  - name: A\n    prefab: " + ref(gold) + "\n");
  const std::string stored(32, '7');
  const Guid level = prefab(
      "level.yaml",
      "root:\n  name: level\n  children:\n  - name: B\n    prefab: " + ref(coin) +
          "\n    components:\n    - Transform: {}\n  - name: C\n    prefab: " + ref(heap) +
          "\n  - name: D\n    components:\n    - ReplicatedEntity: {}\n  - name: E\n    prefab: " +
          ref(coin) + "\n    components:\n    - ReplicatedEntity: {assetGuid: {guid: " + stored +
          "}}\n");
  const auto opened = Project::open(project.files, 1, {}).value();
  const std::vector<ComponentDescription> described{description_of<Marker>()};
  const AssetCooker cooker(*opened, described);
  // Returns the name of each entity with the component, and its guid.
  const auto guids_in = [&](const Guid& asset) {
    const CookedAsset cooked = cooker.cook(opened->index().find(asset));
    CHECK(cooked.problems.empty());
    const auto read = PrefabReader::open(entry_of(cooked, EntryKind::prefab)->plain).value();
    std::map<std::string, Guid> guids;
    for (std::uint32_t i = 0; i < read.entity_count(); ++i) {
      const FlatEntity entity = read.entity(i);
      for (std::uint32_t j = 0; j < entity.component_count; ++j) {
        const FlatComponent component = read.component(entity.first_component + j);
        if (component.type != "ReplicatedEntity") continue;
        guids[std::string(entity.name)] = Guid::from_bytes(component.data.first(16));
      }
    }
    return guids;
  };
  using Guids = std::map<std::string, Guid>;
  CHECK(guids_in(coin) == Guids{{"coin", coin}});
  CHECK(guids_in(low) == Guids{{"coin", coin}});  // A variant has the guid of its base.
  CHECK(guids_in(gold) == Guids{{"gold", gold}});
  CHECK(guids_in(heap) == Guids{{"A", gold}});
  // D is not the root of a prefab, and E has a stored guid.
  CHECK(guids_in(level) ==
        Guids{{"A", gold}, {"B", coin}, {"D", Guid()}, {"E", Guid::parse(stored).value()}});
}

TEST_CASE("A factory is cooked to one entity with its components", "[bundler][cook][sys-2]") {
  UnityProject project;
  project.script("ReplicatedEntityFactory", "ScriptableObject");
  project.asset("Assets/Own.asset", project.script("RoundFactory", "ReplicatedEntityFactory"),
                "  seconds: 5\n");
  const auto opened = Project::open(project.files, 1, {}).value();
  const AssetCooker cooker(*opened, {});
  const CookedAsset cooked =
      cooker.cook(opened->index().find(AssetPath::parse("Assets/Own.asset").value()));
  CHECK(cooked.problems.empty());
  const CookedEntry* flat = entry_of(cooked, EntryKind::prefab);
  REQUIRE(flat != nullptr);
  const auto prefab = PrefabReader::open(flat->plain);
  REQUIRE(prefab.has_value());
  CHECK(prefab.value().entity_count() == 1);
  REQUIRE(prefab.value().component_count() == 1);
  CHECK(prefab.value().component(0).type == "RoundFactory");
}

TEST_CASE("A plain factory or prefab gives the same data in flow style and in block style",
          "[bundler][cook][sys-2]") {
  const auto [text, type] = GENERATE(table<std::string, std::string>(
      {{"{class: RoundFactory, seconds: 5}\n", "RoundFactory"},
       {"{\"class\": \"Prefab\", \"root\": {\"components\": [\"Life\"]}}\n", "Life"}}));
  UnityProject project;
  project.script("RoundFactory", "ReplicatedEntityFactory");
  project.file("Assets/Own.yaml", text);
  const auto opened = Project::open(project.files, 1, {}).value();
  const AssetCooker cooker(*opened, {});
  const CookedAsset cooked =
      cooker.cook(opened->index().find(AssetPath::parse("Assets/Own.yaml").value()));
  CHECK(cooked.problems.empty());
  const CookedEntry* flat = entry_of(cooked, EntryKind::prefab);
  REQUIRE(flat != nullptr);
  const auto prefab = PrefabReader::open(flat->plain).value();
  REQUIRE(prefab.component_count() == 1);
  CHECK(prefab.component(0).type == type);
}

}  // namespace
}  // namespace muster
