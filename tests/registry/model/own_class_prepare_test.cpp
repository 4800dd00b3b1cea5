// Tests that `prepare` writes entries that match the class that a project declares.
#include <catch2/catch.hpp>

#include "registry/rules/validate.h"
#include "tests/support/open_project.h"
#include "tests/support/prefab_text.h"

namespace muster {
namespace {

using testing::UnityProject;

std::string text_of(const UnityProject& project, std::string_view path) {
  ByteVector buffer;
  const auto bytes = project.files.read(AssetPath::parse(path).value(), 0, 1 << 20, buffer);
  REQUIRE(bytes.has_value());
  return std::string(as_text(bytes.value()));
}

struct OwnClass : UnityProject {
  OwnClass() {
    component = script("NetThing");
    definition = script("NetDefinition", "ScriptableObject");
    for (const std::string name : {"A", "B", "C"}) {
      prefabs.push_back(prefab("Assets/" + name + ".prefab", {{component, ""}}));
      definitions.push_back(asset("Assets/" + name + ".asset", definition,
                                  "  prefab:\n    guid: " + prefabs.back().to_string() + "\n"));
    }
  }
  void declare(const std::string& path, const std::string& strength, const std::string& prepare) {
    files.add("muster.yaml",
              "version: 1\nfolders: [Assets]\nclasses:\n  NetRegistry:\n    references:\n"
              "    - {path: '" +
                  path + "', strength: " + strength +
                  ", targets: [client, server], role: prefab}\n    prepare: {" + prepare + "}\n");
  }
  void registry(bool is_plain, const std::string& list) {
    if (is_plain) {
      file("Assets/R.yaml", "class: NetRegistry\nentries:" + list);
    } else {
      asset("Assets/R.asset", script("NetRegistry", "ScriptableObject"), "  entries:" + list);
    }
  }
  Guid component, definition;
  std::vector<Guid> prefabs, definitions;
};

// Checks the prefabs in the registry after `prepare`, that `validate` finds nothing, and that a
// second `prepare` changes nothing.
void check_prepared(OwnClass& project) {
  for (int run = 0; run < 2; ++run) {
    const auto opened = open(project);
    const auto plan = plan_prepare(*opened);
    REQUIRE(plan.has_value());
    if (run == 1) CHECK(plan.value().writes.empty());
    REQUIRE(apply_prepare(project.files, plan.value()).has_value());
  }
  const auto opened = open(project);
  for (const Finding& finding : validate(*opened, {})) {
    if (finding.rule == "missing-meta")
      continue;  // The folders of the test project have no sidecars.
    CAPTURE(finding.location.path.text(), finding.location.position.line, finding.message);
    CHECK(finding.rule.empty());
  }
  std::vector<Guid> expected = project.prefabs;
  std::ranges::sort(expected);
  CHECK(opened->model().assets_for(Target::client) == expected);
}

TEST_CASE("After prepare, validate finds nothing, for any shape of a declared class",
          "[registry][registries][sys-1]") {
  OwnClass project;
  const bool is_plain = GENERATE(false, true);
  const auto [path, strength, rule] = GENERATE(table<std::string, std::string, std::string>(
      {{"prefab", "weak", "component: NetThing, field: prefab"},
       {"prefab", "strong", "component: NetThing, field: prefab"},
       {"", "weak", "component: NetThing"},
       {"", "strong", "component: NetThing"},
       {"definition.prefab", "weak", "assets_of_class: NetDefinition, field: definition"},
       {"thing.prefab", "weak", "assets_of_class: NetDefinition, field: thing"},
       {"prefab", "weak", "assets_of_class: NetDefinition"}}));
  // A plain list whose entries are definitions has no key for ids in this class.
  if (is_plain && path == "prefab" && rule == "assets_of_class: NetDefinition") return;
  CAPTURE(is_plain, path, strength, rule);
  project.declare(path, strength, rule);
  project.registry(is_plain, " []\n");
  check_prepared(project);
}

TEST_CASE("Prepare copies the spelling of the existing entries", "[registry][registries][sys-1]") {
  OwnClass project;
  const std::string digits = project.prefabs[0].to_string();
  const std::string strong = "{fileID: 100, guid: " + digits + ", type: 3}";
  const std::string words = UnityProject::words(project.prefabs[0], 6);
  const auto [path, strength, list, wanted] =
      GENERATE_COPY(table<std::string, std::string, std::string, std::string>(
          {{"prefab", "weak", "\n  - prefab:\n      guid: " + digits + "\n", "    prefab:\n"},
           {"prefab", "weak", "\n  - prefab:\n" + words, "- prefab:\n      val0: "},
           {"prefab", "weak", "\n  - prefab: " + digits + "\n", "- prefab: "},
           {"prefab", "strong",
            "\n  - prefab: " + strong +
                "\n    tags:\n    - a\n    at: {x: 1, y: 2}\n    name: foo\n    size: 1.5\n",
            "    tags: []\n    name: \n    size: 0\n"},
           {"", "weak", "\n  - " + digits + "\n", "  - "},
           {"", "weak", "\n  - guid: " + digits + "\n", "  - guid: "},
           {"", "weak", "\n  -" + words.substr(5), "  - val0: "},
           {"", "strong", "\n  - " + strong + "\n", "  - {fileID: 100, guid: "}}));
  CAPTURE(path, strength, list);
  project.declare(path, strength,
                  path.empty() ? "component: NetThing" : "component: NetThing, field: prefab");
  std::string text = list;
  if (list.find("\n  - val0") == 0) {
    text = "\n  - val0" + list.substr(list.find(':'));
    for (std::size_t at = 0; (at = text.find("      val", at)) != text.npos;)
      text.replace(at, 6, "    ");
  }
  project.registry(false, text);
  check_prepared(project);
  if (wanted.find("    prefab:") != 0) {
    CHECK(text_of(project, "Assets/R.asset").find(wanted) != std::string::npos);
  }
}

TEST_CASE(
    "A new strong reference refers to the same kind of object as the other references in its list",
    "[registry][registries][sys-1]") {
  OwnClass project;
  const auto [file_id, wanted] =
      GENERATE(table<int, std::string>({{100, "100"}, {11400, "11400"}}));
  project.declare("", "strong", "component: NetThing");
  project.registry(false, "\n  - {fileID: " + std::to_string(file_id) +
                              ", guid: " + project.prefabs[0].to_string() + ", type: 3}\n");
  testing::PrefabText text;
  text.instance(9000, project.prefabs[1], {.father = 0});
  const Guid variant = project.file("Assets/V.prefab", text.text());
  project.prefabs.push_back(variant);
  check_prepared(project);
  const std::string written = text_of(project, "Assets/R.asset");
  CHECK(written.find("{fileID: " + wanted + ", guid: " + project.prefabs[2].to_string() +
                     ", type: 3}") != std::string::npos);
  const auto opened = open(project);
  const SourcePrefab& flat = opened->prefabs().flatten(opened->index().find(variant));
  const std::int64_t id =
      file_id == 100 ? flat.entities[0].file_id : flat.entities[0].components.back().file_id;
  CHECK(written.find("{fileID: " + std::to_string(id) + ", guid: " + variant.to_string() +
                     ", type: 3}") != std::string::npos);
}

TEST_CASE("The field in a class declaration must be a single key", "[registry][registries]") {
  OwnClass project;
  project.declare("a.b", "weak", "component: NetThing, field: a.b");
  const auto opened = Project::open(project.files, 1, {});
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == ErrorCode::malformed);
}

TEST_CASE(
    "A built-in class whose script is outside the project can be declared by its script alone",
    "[registry][registries]") {
  UnityProject project;
  const Guid prefab = project.prefab("Assets/A.prefab");
  const Guid script = project.script("ReplicatedEntityRegistry", "ScriptableObject");
  project.asset("Assets/R.asset", script,
                "  entries:\n  - guid:\n" + UnityProject::words(prefab, 6) + "    prefab:\n" +
                    UnityProject::words(prefab, 6) + "    factory: {fileID: 0}\n");
  project.remove("Assets/Scripts/ReplicatedEntityRegistry.cs");
  const auto is_reported = [&] {
    const auto findings = validate(*open(project), {});
    return std::ranges::find(findings, "unknown-registry", &Finding::rule) != findings.end();
  };
  CHECK(open(project)->model().registries.empty());
  CHECK(is_reported());
  project.files.add(
      "muster.yaml",
      "version: 1\nfolders: [Assets]\nclasses:\n  ReplicatedEntityRegistry: {script: " +
          script.to_string() + "}\n");
  const auto opened = open(project);
  REQUIRE(opened->model().registries.size() == 1);
  CHECK(opened->model().assets_for(Target::client) == std::vector<Guid>{prefab});
  CHECK_FALSE(is_reported());
}

TEST_CASE("Entries without a reference keep separate ids after prepare",
          "[registry][registries][sys-2]") {
  OwnClass project;
  project.declare("prefab", "strong", "component: NetThing, field: prefab");
  const std::string unset = "\n  - prefab: {fileID: 0}\n    note: later";
  project.registry(false, "\n  - prefab: {fileID: 100, guid: " + project.prefabs[0].to_string() +
                              ", type: 3}" + unset + unset + "\n");
  for (int run = 0; run < 3; ++run) {
    const auto opened = open(project);
    for (const Finding& finding : validate(*opened, {})) {
      CAPTURE(run, finding.rule, finding.message);
      CHECK((finding.severity != Severity::error));
    }
    const auto plan = plan_prepare(*opened);
    REQUIRE(plan.has_value());
    if (run > 0) CHECK(plan.value().writes.empty());
    REQUIRE(apply_prepare(project.files, plan.value()).has_value());
  }
  CHECK_THAT(text_of(project, "Assets/.R.asset.ids.yaml"), !Catch::Contains(Guid().to_string()));
}

TEST_CASE("An asset of a script outside the project is not read as a registry of a declared class",
          "[registry][registries]") {
  OwnClass project;
  project.declare("prefab", "weak", "component: NetThing, field: prefab");
  project.registry(false, " []\n");
  const Guid elsewhere = Guid::parse("0123456789abcdef0123456789abcdef").value();
  project.asset("Assets/Foreign.asset", elsewhere, "  entries:\n  - prefab: 1\n");
  const auto opened = open(project);
  for (const Finding& finding : validate(*opened, {})) {
    CAPTURE(finding.rule, finding.message);
    CHECK((finding.severity != Severity::error));
  }
}

}  // namespace
}  // namespace muster
