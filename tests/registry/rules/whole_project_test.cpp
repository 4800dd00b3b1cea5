// Tests findings that need several files of a project.
#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include "registry/base/disk_file_system.h"
#include "registry/model/prepare.h"
#include "registry/rules/validate.h"
#include "tests/support/refusing_file_system.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::UnityProject;

std::vector<Finding> findings_of(const UnityProject& project) {
  const auto opened = Project::open(project.files, 1, {});
  REQUIRE(opened.has_value());
  return validate(*opened.value(), {});
}

constexpr const char* kHead =
    "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!114 &11400000\nMonoBehaviour:\n";

TEST_CASE("A file that refers to a missing asset in two ways counts once", "[registry][rules]") {
  UnityProject project;
  const std::string guid = "0123456789abcdef0123456789abcde0";
  project.file("Assets/Smoke.vfx", std::string(kHead) +
                                       "  m_Value: {fileID: 2800000, guid: " + guid +
                                       ", type: 3}\n"
                                       "  m_Text: '{\"obj\":{\"fileID\":2800000,\"guid\":\"" +
                                       guid + "\",\"type\":3}}'\n");
  const auto findings = findings_of(project);
  const auto found = std::ranges::find(findings, "unresolved-reference", &Finding::rule);
  REQUIRE(found != findings.end());
  CHECK(found->message.ends_with("referred to 2 times in 1 file"));
  CHECK(found->related.empty());
}

TEST_CASE("A message that is too large for a tick is noted with its largest field",
          "[registry][rules]") {
  UnityProject project;
  project.files.add("muster.yaml",
                    "version: 1\nname: x\nfolders: [Assets]\ncomponents: components.json\n");
  const auto messages_with = [&](std::size_t bytes) {
    const std::string size = std::to_string((bytes + 7) / 4 * 4);
    project.files.add("components.json",
                      R"({"components": [], "messages": [{"name": "Chat", "size": )" + size +
                          R"(, "alignment": 4, "default": ")" +
                          std::string((bytes + 7) / 4 * 8, '0') +
                          R"(", "fields": [{"name": "number", "type": "int32", "offset": 0},
                          {"name": "text", "type": "text", "offset": 4, "element_bytes": )" +
                          std::to_string(bytes) + "}]}]}");
    auto found = findings_of(project);
    std::erase_if(found, [](const Finding& each) { return each.rule != "wire-limit"; });
    return found;
  };
  CHECK(messages_with(237).empty());  // The index and the number need 6 bytes.
  CHECK(messages_with(238).size() == 1);
  const std::vector<Finding> found = messages_with(252);
  REQUIRE(found.size() == 1);
  CHECK(found.front().severity == Severity::note);
  CHECK(found.front().location.path.text() == "components.json");
  CHECK(found.front().message ==
        "the message 'Chat' has 258 bytes on the wire, but a message can have at most 256 with "
        "`at_tick` and 243 with `emit`; its largest field is 'text' (252 bytes)");
}

TEST_CASE("Components of a plain factory are checked against their descriptions",
          "[registry][rules]") {
  UnityProject project;
  project.script("ReplicatedEntityFactory", "ScriptableObject");
  project.script("SpinFactory", "ReplicatedEntityFactory");
  project.script("Notes", "ScriptableObject");
  project.files.add("muster.yaml",
                    "version: 1\nname: x\nfolders: [Assets]\ncomponents: components.json\n");
  project.files.add("components.json", R"({"components": [
      {"name": "Spin", "size": 4, "alignment": 4, "default": "00000000",
       "fields": [{"name": "speed", "type": "float32", "offset": 0}]},
      {"name": "SpinFactory", "size": 4, "alignment": 4, "default": "00000000",
       "fields": [{"name": "speed", "type": "float32", "offset": 0}]}]})");
  const auto [body, rule, position, reason] =
      GENERATE(table<std::string, std::string, yaml::Position, std::string>(
          {{"components:\n- Spin: {sped: 1}\n", "unknown-field", {3, 10}, "in a list"},
           {"components:\n- Spim: {speed: 1}\n", "unknown-component", {3, 3}, "in a list"},
           {"components:\n- Spim\n", "unknown-component", {3, 3}, "a bare name"},
           {"spin: {sped: 1}\n", "unknown-field", {2, 8}, "a field that is a component"},
           {"sped: 1\n", "unknown-field", {2, 1}, "the class itself is a component"},
           {"spim: {speed: 1}\n", "unknown-field", {2, 1}, "the class itself lacks this field"},
           {"components:\n- Spin\n- Spin\n", "unfit-value", {4, 3}, "two components of a type"},
           {"components:\n- Spin\nspin: {speed: 1}\n",
            "unfit-value",
            {4, 1},
            "two components, in both forms"},
           {"components:\n- Spin: [1]\n", "unfit-value", {3, 9}, "no fields"},
           {"components: Spin\n", "unfit-value", {2, 13}, "no list"}}));
  CAPTURE(body, reason);
  project.file("Assets/A.yaml", "class: SpinFactory\n" + body);
  project.file("Assets/B.yaml", "class: SpinFactory\nspeed: 1\nguid: {guid: 0}\n");
  project.file("Assets/C.yaml", "class: SpinFactory\nsped: {guid: 0}\ncomponents: [Spin, Light]\n");
  project.file("Assets/D.yaml", "class: Notes\n" + body);
  std::vector<Finding> found = findings_of(project);
  std::erase_if(found, [](const Finding& finding) {
    return !finding.rule.starts_with("unknown-") && finding.rule != "unfit-value";
  });
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == rule);
  CHECK(found[0].location.path.text() == "Assets/A.yaml");
  CHECK(found[0].location.position == position);
}

TEST_CASE("Each missing asset is reported at the first reference to it", "[registry][rules]") {
  UnityProject project;
  std::string text = kHead;
  for (int i = 9; i >= 0; --i) {
    text += "  field: {fileID: 1, guid: 0123456789abcdef0123456789abcde" + std::to_string(i) +
            ", type: 3}\r\n";
  }
  project.file("Assets/A.asset", text);
  project.file("Assets/B.asset",
               text + "  more: {fileID: 1, guid: " + std::string(31, 'a') + "b, type: 3}");
  const auto findings = findings_of(project);
  REQUIRE(findings.size() == 11);
  for (std::size_t i = 0; i < 10; ++i) {
    CAPTURE(i);
    CHECK(findings[i].location.path.text() == "Assets/A.asset");
    CHECK(findings[i].location.position == yaml::Position{static_cast<std::uint32_t>(5 + i), 28});
    CHECK(findings[i].related.size() == 1);
  }
  CHECK(findings[10].location.path.text() == "Assets/B.asset");
  CHECK(findings[10].location.position == yaml::Position{15, 27});
}

TEST_CASE("A prefab that mentions the component but cannot be parsed is not skipped",
          "[registry][rules][sys-2]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  project.file("Assets/Deep.prefab",
               std::string(kHead) + "  m_Script: {fileID: 11500000, guid: " + entity.to_string() +
                   ", type: 3}\n  a: " + std::string(1000, '[') + "\n");
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), "  entries: []\n");
  const auto findings = findings_of(project);
  const auto found = std::ranges::find(findings, "yaml-syntax", &Finding::rule);
  REQUIRE(found != findings.end());
  CHECK(found->location.path.text() == "Assets/Deep.prefab");
  CHECK(found->location.position.line == 6);
}

TEST_CASE(
    "A list with more entries than type ids is refused as a whole, and prepare does not change it",
    "[registry][rules][sys-2]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  project.prefab("Assets/A.prefab", {{entity, ""}});
  std::string list = "  entries:\n";
  for (std::uint32_t i = 0; i <= TypeId::kMax + 1U; ++i) list += "  - prefab: {fileID: 0}\n";
  const Guid registry =
      project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), list);
  project.asset(
      "Assets/Root.asset", project.script("AssetRegistryRoot"),
      "  serverBuild: 0\n  assetRegistries:\n  - " + UnityProject::strong(registry) + "\n");
  const auto opened = Project::open(project.files, 1, {});
  REQUIRE(opened.has_value());
  const auto findings = validate(*opened.value(), {});
  CHECK(std::ranges::count(findings, true, &Finding::blocks_build) == 1);
  const auto plan = plan_prepare(*opened.value());
  REQUIRE(plan.has_value());
  CHECK(plan.value().writes.empty());
}

TEST_CASE("An id of an older layout in a prefab is ignored in the last layout",
          "[registry][rules][sys-2]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid prefab = project.prefab("Assets/Old.prefab", {{entity, "  registryId: 11\n"}});
  const std::string guid = "  - guid:\n" + UnityProject::words(prefab, 6) + "    prefab:\n" +
                           UnityProject::words(prefab, 6) + "    factory: {fileID: 0}\n";
  const std::string text =
      "  - prefab:\n      guid: " + prefab.to_string() + "\n    factory: {fileID: 0}\n";
  const bool is_last = GENERATE(true, false);
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"),
                "  entries:\n" + (is_last ? guid : text));
  const auto findings = findings_of(project);
  CHECK(std::ranges::count(findings, "registry-id-mismatch", &Finding::rule) == (is_last ? 0 : 1));
}

TEST_CASE("Progress reports contain every step of reading, checking and preparing a project",
          "[registry][rules]") {
  UnityProject project;
  project.prefab("Assets/A.prefab", {{project.script("ReplicatedEntity"), ""}});
  project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), "  entries: []\n");
  std::vector<std::string> phases;
  std::size_t open_steps = 0;
  const Progress progress{.on_begin =
                              [&](std::string_view phase, std::size_t total) {
                                CHECK(open_steps == 0);
                                phases.emplace_back(phase);
                                open_steps = total;
                              },
                          .on_advance =
                              [&](std::size_t steps, std::string_view /*what*/) {
                                CHECK(steps <= open_steps);
                                open_steps -= steps;
                              }};
  const auto opened = Project::open(project.files, 1, {}, progress);
  REQUIRE(opened.has_value());
  (void)validate(*opened.value(), {.progress = progress});
  CHECK(plan_prepare(*opened.value(), progress).has_value());
  CHECK(open_steps == 0);
  CHECK(phases == std::vector<std::string>{"walking the folders", "reading sidecars",
                                           "scanning assets", "reading the registries", "checking",
                                           "looking for members"});
}

TEST_CASE("A file that is too large gives one finding, although several checks read it",
          "[registry][rules]") {
  const auto [name, head, severity] = GENERATE(table<std::string, std::string, Severity>({
      {"Assets/R.yaml", "class: ReplicatedEntityRegistry\n", Severity::error},
      {"Assets/P.yaml", "class: Prefab\n", Severity::warning},
      {"Assets/X.yaml", "notes: long\n", Severity::warning},
      {"Assets/X.prefab", "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n", Severity::warning},
  }));
  CAPTURE(name);
  UnityProject project;
  project.file(name, head + std::string(70'000, '#'));
  testing::RefusingFileSystem files(project.files);
  files.huge.insert(name);
  const auto opened = Project::open(files, 1, {});
  REQUIRE(opened.has_value());
  const auto findings = validate(*opened.value(), {});
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().rule == "file-too-large");
  CHECK(findings.front().severity == severity);
}

TEST_CASE("A link that leaves the project and a guid in upper case are reported",
          "[registry][rules]") {
  const TemporaryFolder folder;
  folder.put("Assets/A.txt", "a");
  folder.put("Assets/A.txt.meta", "fileFormatVersion: 2\nguid: 3D0F1C5B8A6E4F27B1C9D2E7A4508F61\n");
  std::filesystem::create_symlink("../..", std::filesystem::path(folder.path()) / "Assets/Out");
  std::filesystem::create_symlink(".", std::filesystem::path(folder.path()) / "Assets/Circle");
  const auto files = DiskFileSystem::open(folder.path());
  REQUIRE(files.has_value());
  const auto opened = Project::open(files.value(), 1, {});
  REQUIRE(opened.has_value());
  std::vector<std::string> found;
  for (const Finding& finding : validate(*opened.value(), {})) {
    found.push_back(finding.location.path.text() + " " + std::string(finding.rule));
  }
  CHECK(found == std::vector<std::string>{"Assets/A.txt.meta upper-case-guid",
                                          "Assets/Circle link-outside",
                                          "Assets/Circle missing-meta", "Assets/Out link-outside"});
}

TEST_CASE("A guid of two assets blocks the build if the guid is built", "[registry][rules]") {
  const bool is_built = GENERATE(true, false);
  CAPTURE(is_built);
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid registry = project.script("ReplicatedEntityRegistry");
  const Guid crate = project.prefab("Assets/Crate.prefab", {{entity, ""}});
  const std::string words = UnityProject::words(crate, 6);
  project.asset(
      "Assets/R.asset", registry,
      "  entries:\n  - guid:\n" + words + "    prefab:\n" + words + "    factory: {fileID: 0}\n");
  const Guid note = project.file("Assets/Note.txt", "");
  project.file("Assets/Other.txt", "");
  project.files.add("Assets/Other.txt.meta",
                    "fileFormatVersion: 2\nguid: " + (is_built ? crate : note).to_string() + "\n");
  const auto findings = findings_of(project);
  const auto found = std::ranges::find(findings, "duplicate-guid", &Finding::rule);
  REQUIRE(found != findings.end());
  CHECK(found->blocks_build == is_built);
  CHECK(found->location.path.text() == "Assets/Other.txt");
  REQUIRE(found->related.size() == 1);
  CHECK(found->related.front().location.path.text() ==
        (is_built ? "Assets/Crate.prefab" : "Assets/Note.txt"));
}

TEST_CASE("Two scripts with the same class are noted if both are used", "[registry][rules]") {
  UnityProject project;
  const bool is_used = GENERATE(false, true);
  const Guid mine = project.script("ReplicatedEntity");
  const Guid other = project.file("Assets/Vendor/ReplicatedEntity.cs", "class ReplicatedEntity {}");
  project.file("Assets/Vendor/Helper.cs", "class Helper {}");
  project.prefab("Assets/A.prefab", {{mine, ""}});
  project.prefab("Assets/B.prefab", {{is_used ? other : mine, ""}});
  const auto findings = findings_of(project);
  CHECK(std::ranges::count(findings, "namesake-script", &Finding::rule) == (is_used ? 1 : 0));
}

}  // namespace
}  // namespace muster
