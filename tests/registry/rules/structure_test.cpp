// Tests unknown keys, and values of the wrong kind, in plain files.
#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/rules/validate.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::UnityProject;

std::vector<Finding> findings_of(const UnityProject& project, std::string_view path) {
  const auto opened = Project::open(project.files, 1, {});
  REQUIRE(opened.has_value());
  std::vector<Finding> found = validate(*opened.value(), {});
  std::erase_if(found, [&](const Finding& finding) {
    return finding.location.path.text() != path ||
           (finding.rule != "unknown-field" && finding.rule != "wrong-shape" &&
            finding.rule != "unfit-value" && finding.rule != "malformed-type-id" &&
            finding.rule != "bad-pool-size" && finding.rule != "malformed-flag");
  });
  return found;
}

constexpr const char* kBase = "00112233445566778899aabbccddee01";

TEST_CASE("A plain prefab is checked key by key", "[registry][rules]") {
  const std::string strong = std::string("{fileID: 1, guid: ") + kBase + "}";
  const auto [reason, text, rule, position] =
      GENERATE_COPY(table<std::string, std::string, std::string, yaml::Position>({
          {"a misspelt list", "root:\n  component: []\n", "unknown-field", {3, 3}},
          {"a misspelt list of children", "root:\n  chidlren: []\n", "unknown-field", {3, 3}},
          {"a component outside its list",
           "root:\n  components: []\n  Sound: {i: 1}\n",
           "wrong-shape",
           {4, 3}},
          {"a misspelt base", "variantof: " + strong + "\nroot: {}\n", "unknown-field", {2, 1}},
          {"a weak base",
           std::string("variant_of: {guid: ") + kBase + "}\nroot: {}\n",
           "wrong-shape",
           {2, 13}},
          {"a base that is a text", "variant_of: base.yaml\nroot: {}\n", "wrong-shape", {2, 13}},
          {"one name instead of a list",
           "variant_of: " + strong + "\nroot: {removed: Sound}\n",
           "unfit-value",
           {3, 17}},
          {"a name that the base lacks",
           "variant_of: " + strong + "\nroot: {removed: [Soudn]}\n",
           "wrong-shape",
           {3, 18}},
          {"without a base", "root: {removed: [Sound]}\n", "wrong-shape", {2, 8}},
          {"a base at the wrong level", "root: {prefab: " + strong + "}\n", "wrong-shape", {2, 8}},
          {"a weak child",
           std::string("root:\n  children:\n  - prefab: {guid: ") + kBase + "}\n",
           "wrong-shape",
           {4, 13}},
          {"a child that is a text", "root:\n  children: [arm]\n", "wrong-shape", {3, 14}},
          {"a list as a name", "root: {name: [a]}\n", "wrong-shape", {2, 14}},
          {"neither true nor false", "root: {active: maybe}\n", "wrong-shape", {2, 16}},
          {"a mapping of components", "root: {components: {Sound: {}}}\n", "unfit-value", {2, 20}},
          {"two documents", "root: {}\n---\nroot: {}\n", "wrong-shape", {3, 1}},
          {"components beside the root", "components: []\nroot: {}\n", "unknown-field", {2, 1}},
      }));
  CAPTURE(reason, text);
  UnityProject project;
  project.files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
  project.files.add("Assets/base.yaml",
                    "class: Prefab\nroot:\n  components:\n  - Light: {i: 1}\n  - Sound: {i: 1}\n");
  project.files.add("Assets/base.yaml.meta", std::string("guid: ") + kBase + "\n");
  project.file("Assets/a.yaml", "class: Prefab\n" + text);
  const auto found = findings_of(project, "Assets/a.yaml");
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == rule);
  CHECK(found[0].location.position == position);
  CHECK(findings_of(project, "Assets/base.yaml").empty());
}

TEST_CASE("Ids and pool sizes in a plain registry are either used or refused",
          "[registry][rules]") {
  const auto [reason, text, rule, is_error,
              hint] = GENERATE(table<std::string, std::string, std::string, bool, std::string>({
      {"a misspelt id", "entries:\n- typeId: 7\n  prefab: {guid: G}\n", "unknown-field", true,
       "type_id"},
      {"one retired id", "retired: 3\nentries: []\n", "malformed-type-id", true, "[3]"},
      {"misspelt retired ids", "retird: [3]\nentries: []\n", "unknown-field", true, "retired"},
      {"a misspelt pool", "entries:\n- type_id: 1\n  prefab: {guid: G}\n  poolsize: 16\n",
       "unknown-field", true, "poolSize"},
      {"an id in quotes", "entries:\n- type_id: '7'\n  prefab: {guid: G}\n", "malformed-type-id",
       true, "quotes"},
      {"a pool in quotes", "entries:\n- prefab: {guid: G}\n  poolSize: '7'\n", "bad-pool-size",
       true, "quotes"},
      {"an unknown key of the registry", "colour: red\nentries: []\n", "unknown-field", false,
       "colour"},
      {"an unknown key of an entry", "entries:\n- colour: red\n", "unknown-field", false, "colour"},
      {"an unknown key of a reference", "entries:\n- prefab: {guid: G, path: x}\n", "unknown-field",
       false, "path"},
      {"a weak definition", "entries:\n- definition: {guid: G}\n", "wrong-shape", true, "weak"},
  }));
  CAPTURE(reason);
  UnityProject project;
  project.files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
  const Guid prefab = project.file("Assets/p.yaml", "class: Prefab\nroot: {name: p}\n");
  std::string body = text;
  if (const auto at = body.find(": G"); at != body.npos) {
    body.replace(at + 2, 1, prefab.to_string());
  }
  project.file("Assets/r.yaml", "class: HitscanEffectRegistry\n" + body);
  const auto found = findings_of(project, "Assets/r.yaml");
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == rule);
  CHECK((found[0].severity == Severity::error) == is_error);
  CHECK(found[0].message.find(hint) != std::string::npos);
  if (is_error) CHECK(found[0].blocks_build);
}

TEST_CASE("Keys that only the game reads are declared with the class of the registry",
          "[registry][rules]") {
  const bool is_declared = GENERATE(true, false);
  UnityProject project;
  project.files.add("muster.yaml",
                    std::string("version: 1\nfolders: [Assets]\nclasses:\n  Things:\n") +
                        (is_declared ? "    fields: [colour]\n" : "") +
                        "    references:\n    - {path: prefab, targets: [client]}\n");
  project.file("Assets/r.yaml", "class: Things\ncolour: red\nentries:\n- colour: blue\n");
  CHECK(findings_of(project, "Assets/r.yaml").size() == (is_declared ? 0U : 2U));
}

TEST_CASE(
    "A root is refused if its flag for the side has a wrong name or value, or if an entry is wrong",
    "[registry][rules]") {
  const auto [text, rule] = GENERATE(table<std::string, std::string>({
      {"serverbuild: 1\nassetRegistries: []\n", "unknown-field"},
      {"serverBuild: '1'\nassetRegistries: []\n", "malformed-flag"},
      {"serverBuild: 1\nassetRegistries:\n- {guid: 00112233445566778899aabbccddee01}\n",
       "wrong-shape"},
  }));
  CAPTURE(text);
  UnityProject project;
  project.files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
  project.file("Assets/root.yaml", "class: AssetRegistryRoot\n" + text);
  const auto found = findings_of(project, "Assets/root.yaml");
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == rule);
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].blocks_build);
}

TEST_CASE("An unknown key in a plain file's sidecar is reported", "[registry][rules]") {
  UnityProject project;
  project.files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
  project.files.add("Assets/p.yaml", "class: Prefab\nroot: {name: p}\n");
  project.files.add("Assets/p.yaml.meta", std::string("guid: ") + kBase + "\nfolderasset: yes\n");
  const auto found = findings_of(project, "Assets/p.yaml.meta");
  REQUIRE(found.size() == 1);
  CHECK(found[0].message.find("did you mean 'folderAsset'?") != std::string::npos);
  CHECK(found[0].location.position == yaml::Position{2, 1});
}

TEST_CASE("The sidecar of a plain file is one mapping and belongs to one file",
          "[registry][rules]") {
  const std::string guid = std::string("guid: ") + kBase + "\n";
  const auto [reason, text, is_error, position] =
      GENERATE_COPY(table<std::string, std::string, bool, yaml::Position>({
          {"a second document", guid + "---\n" + guid, true, {2, 1}},
          {"the guid twice", guid + guid, true, {2, 7}},
          {"a bracket that stays open", guid + "labels: [a\n", false, {3, 1}},
          {"a key inside a value", guid + "  x: 1\n", false, {2, 4}},
          {"a folder's mark", guid + "folderAsset: yes\n", false, {2, 1}},
      }));
  CAPTURE(reason);
  UnityProject project;
  project.files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
  project.files.add("Assets/p.yaml", "class: Prefab\nroot: {name: p}\n");
  project.files.add("Assets/p.yaml.meta", text);
  const auto found = findings_of(project, "Assets/p.yaml.meta");
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "wrong-shape");
  CHECK(found[0].location.position == position);
  CHECK((found[0].severity == Severity::error) == is_error);
  CHECK(found[0].blocks_build == is_error);
}

TEST_CASE("Keys that the editor writes into a sidecar are accepted", "[registry][rules]") {
  UnityProject project;
  project.files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
  project.files.add("Assets/p.yaml", "class: Prefab\nroot: {name: p}\n");
  project.files.add("Assets/p.yaml.meta",
                    "\xEF\xBB\xBF"
                    "fileFormatVersion: 2\r\nguid: " +
                        std::string(kBase) +
                        "\r\nlabels:\r\n- hero\r\nTextScriptImporter:\r\n  externalObjects: {}\r\n"
                        "  userData: \r\n  assetBundleName: \r\n");
  CHECK(findings_of(project, "Assets/p.yaml.meta").empty());
}

TEST_CASE("An invalid pool size is quoted as written", "[registry][rules]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"many", "a pool size is a whole number from 1 to 1024, not 'many'"},
      {"0x10", "a pool size is a whole number from 1 to 1024, not '0x10'"},
      {"1.5", "a pool size is a whole number from 1 to 1024, not '1.5'"},
      {"0", "a pool size is a whole number from 1 to 1024, not '0'"},
      {"1025", "a pool size is a whole number from 1 to 1024, not '1025'"},
      {"99999999999999999999",
       "a pool size is a whole number from 1 to 1024, not '99999999999999999999'"},
      {"", "a pool size is a whole number from 1 to 1024, and this one is empty"},
      {"[4]", "a pool size is a whole number from 1 to 1024, and this one is empty"},
  }));
  CAPTURE(text);
  UnityProject project;
  project.files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
  const Guid prefab = project.file("Assets/p.yaml", "class: Prefab\nroot: {name: p}\n");
  project.file("Assets/r.yaml", "class: HitscanEffectRegistry\nentries:\n- prefab: {guid: " +
                                    prefab.to_string() + "}\n  poolSize: " + text + "\n");
  const auto found = findings_of(project, "Assets/r.yaml");
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "bad-pool-size");
  CHECK(found[0].message == message);
}

}  // namespace
}  // namespace muster
